// What "npm run test:mutants" goes by.
import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { findCode, readExplained } from '../mutants/explained.ts';
import { MUTATED, WITH_SERVERS } from '../mutants/mutated-files.ts';

it('every explained survivor is of code that is still there', () => {
  for (const entry of readExplained()) {
    expect(() => findCode(entry)).not.toThrow();
    expect(MUTATED).toContain(entry.file);
    expect(entry.because).toMatch(/^[A-Z].*\.$/);
  }
});

it('every file of the pipeline and of signals is mutated, or is among those that need servers', () => {
  const files = ['src/pipeline', 'src/signals'].flatMap((folder) =>
    readdirSync(folder).flatMap((file) => (file.endsWith('.ts') ? `${folder}/${file}` : [])),
  );
  const listed: string[] = [...MUTATED, ...WITH_SERVERS];
  expect(new Set(listed.filter((file) => /^src\/(pipeline|signals)\//.test(file)))).toEqual(new Set(files));
});

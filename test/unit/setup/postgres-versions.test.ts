import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { installPostgres, PACKAGES } from '../../../scripts/postgres/versions.ts';

it.each([undefined, '13', '17.10'])('an unknown version of PostgreSQL (%s) is refused, and the known ones are named', (major) => {
  expect(() => installPostgres(major)).toThrow('name one of 14, 15, 16, 17, 18, as in "npm run test:postgres -- 14"');
});

it('CI runs the tests on every version that is known', async () => {
  const workflow = parse(await readFile(new URL('../../../.github/workflows/ci.yml', import.meta.url), 'utf8'));
  expect(workflow.jobs.postgres.strategy.matrix.postgres.map(String)).toEqual([...PACKAGES.keys()]);
});

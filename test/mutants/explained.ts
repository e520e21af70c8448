// Survivors that are no gap of the tests. An entry names a piece of code, and why it may be changed without a test that fails.
import { readFileSync } from 'node:fs';

const PATH = 'test/mutants/explained.json';

/** `code`: a piece of one line or more of the file, which stands in it once. A survivor that begins within it is explained. */
export type Explained = Readonly<{ file: string; code: string; because: string }>;

/** Lines count from 1, columns from 0. */
export type Survivor = Readonly<{
  file: string;
  mutator: string;
  replacement: string;
  location: Readonly<{ start: Readonly<{ line: number; column: number }> }>;
}>;

export const readExplained = (): readonly Explained[] => JSON.parse(readFileSync(PATH, 'utf8')) as Explained[];

/** Throws when the code of an entry is not in its file, or stands in it more than once. */
export function findCode({ file, code }: Explained): { from: number; to: number } {
  const source = readFileSync(file, 'utf8');
  const from = source.indexOf(code);
  if (from === -1 || source.indexOf(code, from + 1) !== -1)
    throw new Error(`${PATH}: ${file} ${from === -1 ? 'does not have' : 'has more than once'}: ${code}`);
  return { from, to: from + code.length };
}

export function isExplained(explained: readonly Explained[], { file, location: { start } }: Survivor): boolean {
  const own = explained.filter((entry) => entry.file === file);
  if (own.length === 0) return false;
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, start.line - 1);
  const at = lines.reduce((sum, line) => sum + line.length + 1, start.column);
  return own.some((entry) => {
    const { from, to } = findCode(entry);
    return at >= from && at < to;
  });
}

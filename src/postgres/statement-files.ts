// Reads src/<folder>/sql: one file per table, in which each statement stands below a line `-- name: <file>/<statement>`, with a header of its own,
// and ends in `;`.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { compareText } from '../core/compare-text.ts';

const SRC = new URL('../', import.meta.url);

/** A file of statements: `executions` of the folder `ledger`. */
export type StatementFile = Readonly<{ folder: string; name: string; text: string }>;

/** All files, sorted by their names. No two have the same. */
export function readStatementFiles(): StatementFile[] {
  const folders = readdirSync(SRC).filter((folder) => existsSync(new URL(`${folder}/sql/`, SRC)));
  const files = folders.flatMap((folder) => readdirSync(new URL(`${folder}/sql/`, SRC)).map((file) => ({ folder, file })));
  return files
    .map(({ folder, file }) => ({
      folder,
      name: file.slice(0, -'.sql'.length),
      text: readFileSync(new URL(`${folder}/sql/${file}`, SRC), 'utf8'),
    }))
    .sort((a, b) => compareText(a.name, b.name));
}

/** Each statement by its name, with its header and without `;`. */
export function readStatements(): ReadonlyMap<string, string> {
  return new Map(readStatementFiles().flatMap(({ text }) => statementsIn(text)));
}

/** The statements of a file: name and text, in their order. */
export function statementsIn(file: string): [name: string, text: string][] {
  return [...file.matchAll(/^-- name: (.+)\n((?:.+\n)+)/gm)].map(([, name = '', text = '']) => [name, text.replace(/;\n$/, '\n')]);
}

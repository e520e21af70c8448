// Reads sql/: one file per table, in which each statement stands below a line `-- name: <file>/<statement>`, with a header of its own, and ends in `;`.
import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('./sql/', import.meta.url);

/** Each statement by its name, with its header and without `;`. */
export function readStatements(): ReadonlyMap<string, string> {
  return new Map(
    readdirSync(FOLDER)
      .sort()
      .flatMap((file) => statementsIn(readFileSync(new URL(file, FOLDER), 'utf8'))),
  );
}

/** The statements of a file: name and text, in their order. */
export function statementsIn(file: string): [name: string, text: string][] {
  return [...file.matchAll(/^-- name: (.+)\n((?:.+\n)+)/gm)].map(([, name = '', text = '']) => [name, text.replace(/;\n$/, '\n')]);
}

// How names and words are compared in any case: by the database (search_reports.folded), and, without accents too, by the process (foldedText).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { foldedText } from '../../../src/core/name-pattern.ts';
import { Secret } from '../../../src/core/secret.ts';
import { createPool, type Pool } from '../../../src/postgres/pool.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(new Secret(database.url), { applicationName: 'test', max: 1 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** All characters of the first two planes, but for the one that Postgres does not store, and halves of pairs. */
const CHARACTERS = Array.from({ length: 0x20000 }, (_, point) => point)
  .filter((point) => point > 0 && (point < 0xd800 || point > 0xdfff))
  .map((point) => String.fromCodePoint(point));
/** The blocks whose letters the database knows in both cases. */
const KNOWN = /[A-Z\u00c0-\u024f\u0370-\u03ff\u0400-\u052f\u0531-\u058f\u1e00-\u1eff]/u;

async function foldedInSql(texts: readonly string[]): Promise<string[]> {
  const { rows } = await pool.query<{ folded: string }>(
    'SELECT search_reports.folded(t) AS folded FROM unnest($1::text[]) WITH ORDINALITY AS s (t, n) ORDER BY n',
    [texts],
  );
  return rows.map(({ folded }) => folded);
}
const differing = (wanted: readonly string[], found: readonly string[]): string[] =>
  CHARACTERS.filter((_, at) => wanted[at] !== found[at]).map((character) => `U+${character.codePointAt(0)?.toString(16)} ${character}`);

it('letters that the database knows have one case, as in this process', async () => {
  const lower = (character: string): string =>
    character.normalize('NFC').toLowerCase().replaceAll('i\u0307', 'i').replaceAll('ß', 'ss').replaceAll('ς', 'σ');
  const wanted = CHARACTERS.map((character) => (KNOWN.test(character.normalize('NFC')) ? lower(character) : character.normalize('NFC')));
  expect(differing(wanted, await foldedInSql(CHARACTERS))).toEqual([]);
});

it('what is one for the database is one for this process', async () => {
  const folded = await foldedInSql(CHARACTERS);
  expect(differing(CHARACTERS.map(foldedText), folded.map(foldedText))).toEqual([]);
});

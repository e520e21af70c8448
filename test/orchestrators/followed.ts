// A ledger whose changed weeks a recipe follows, with a copy for each consumer. The consumer of a test is written into a copy of the recipe, at the place
// where its user would write it (consumer.py).
import { readFileSync } from 'node:fs';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Job } from '../../src/config/settings.ts';
import { compareText } from '../../src/core/compare-text.ts';
import type { Window } from '../../src/core/weeks.ts';
import { recordJob } from '../../src/ledger/jobs.ts';
import { keepingOf, weekly } from '../support/kept-weeks.ts';
import { jobOf, type Ledger, useLedger } from '../support/ledger.ts';
import { loadWindow } from '../support/window-steps.ts';
import { wireRow } from '../support/wire-rows.ts';

const RECIPES = fileURLToPath(new URL('../../docs/recipes/', import.meta.url));

/** Runs a consumer's recipe once. A consumer that fails is no error. */
export type Follow = (consumer: string) => Promise<void>;

export interface Followed {
  readonly ledger: Ledger;
  /** Where the recipe is. */
  readonly folder: string;
}

/** Makes a ledger before the tests of a file. */
export function useFollowed(): Followed {
  const ledger = useLedger();
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'searchmill-recipe-'));
    await copyFile(fileURLToPath(new URL('consumer.py', import.meta.url)), join(folder, 'consumer.py'));
    await ledger.pool.query(`CREATE SCHEMA copy;
      CREATE TABLE copy.rows (consumer text, account_id bigint, week text, query text);
      CREATE TABLE copy.replaced (consumer text, account_id bigint, week text);
      CREATE TABLE copy.failing (consumer text, week text)`);
  });
  afterAll(async () => {
    await ledger.pool.query('DROP SCHEMA copy CASCADE');
    await rm(folder, { recursive: true, force: true });
  });
  return {
    ledger,
    get folder() {
      return folder;
    },
  };
}

/** Writes a recipe with changes into the folder. Throws when it has no such text. */
export async function writeRecipe(
  { folder }: Followed,
  name: string,
  changes: readonly (readonly [string, string])[],
  file = name,
): Promise<void> {
  let text = readFileSync(join(RECIPES, name), 'utf8');
  for (const [from, to] of changes) {
    if (!text.includes(from)) throw new Error(`${name} does not have: ${from}`);
    text = text.replaceAll(from, to);
  }
  await writeFile(join(folder, file), text);
}

/** Each row of the tables, once in the copy. */
export async function expectCopied({ ledger }: Followed, consumer: string): Promise<void> {
  const { rows: copied } = await ledger.pool.query(
    'SELECT account_id, query FROM copy.rows WHERE consumer = $1 ORDER BY account_id, week, query',
    [consumer],
  );
  const { rows: stored } = await ledger.pool.query(
    'SELECT account_id, query FROM search.keyword_rankings ORDER BY account_id, time_period_start, query',
  );
  expect(copied).toEqual(stored);
}

/** The weeks that a consumer has replaced since it was last asked, sorted. */
export async function replacedWeeks({ ledger }: Followed, consumer: string): Promise<string[]> {
  const { rows } = await ledger.pool.query<{ week: string }>('DELETE FROM copy.replaced WHERE consumer = $1 RETURNING week', [consumer]);
  return rows.map(({ week }) => week).sort(compareText);
}

export type Story = Readonly<{
  followed: Followed;
  consumer: string;
  follow: Follow;
  resetCursor: (consumer: string) => Promise<void>;
  restart?: () => Promise<void>;
}>;

/** All that happens to weeks: after each, the consumer's copy is what the tables have, and it has replaced what has changed. */
export async function liveThrough({ followed, consumer, follow, resetCursor, restart = async () => undefined }: Story): Promise<void> {
  const { pool } = followed.ledger;
  const { expire, load } = keepingOf(followed.ledger);
  const job: Job = jobOf({ since: '1993-01-03', keepWeeks: 6 });
  const weeks = weekly('1993-01-03', 12);
  const [seventh, eighth, ninth] = weeks.slice(8) as [Window, Window, Window];
  const newest = weeks.at(-1)?.start ?? '';
  const rows = (window: Window, ...queries: string[]) => queries.map((query) => wireRow(job, { query }, window.start));
  const restate = (window: Window, ...queries: string[]) => loadWindow(pool, job, rows(window, ...queries), window);
  const expectReplaced = async (expected: readonly string[]): Promise<void> => {
    await follow(consumer);
    expect(await replacedWeeks(followed, consumer)).toEqual(expected);
    await expectCopied(followed, consumer);
  };
  const all = weeks.map(({ start }) => start);

  await load(job, weeks);
  await expectReplaced(all);
  await expectReplaced([]);
  await restate(seventh, 'a', 'b');
  await restate(eighth, 'c');
  await expectReplaced([seventh.start, eighth.start]);
  await restate(seventh);
  await expectReplaced([seventh.start]);

  // It fails for one of two weeks, and holds neither.
  await pool.query('INSERT INTO copy.failing VALUES ($1, $2)', [consumer, seventh.start]);
  await restate(seventh, 'd');
  await restate(ninth, 'e');
  await follow(consumer);
  await restart();
  await follow(consumer);
  await pool.query('DELETE FROM copy.failing');
  await follow(consumer);
  expect(await replacedWeeks(followed, consumer)).toEqual(expect.arrayContaining([seventh.start, ninth.start]));
  await expectCopied(followed, consumer);

  await recordJob(pool, job, newest);
  await expire([job], newest);
  await expire([job], newest);
  const { rows: removed } = await pool.query<{ week: string }>(
    'SELECT week::text FROM search_reports.changed_weeks WHERE publication IS NULL ORDER BY 1',
  );
  expect(removed.length).toBeGreaterThan(0);
  await expectReplaced(removed.map(({ week }) => week));

  await resetCursor(consumer);
  await expectReplaced(all);
  // As after a restore: another mark, and each week again.
  await pool.query('UPDATE searchmill.ledger SET id = gen_random_uuid()');
  await expectReplaced(all);
  await restate(ninth, 'f');
  await expectReplaced([ninth.start]);
}

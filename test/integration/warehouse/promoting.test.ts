// searchmill promote: a key of _extra becomes a column that has what it has, in rows from before and in all that is written later, by whatever release.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { afterAll, describe, expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { compareText } from '../../../src/core/compare-text.ts';
import { CancelledError } from '../../../src/core/errors.ts';
import { Secret } from '../../../src/core/secret.ts';
import { addDays } from '../../../src/core/weeks.ts';
import { attribute, integer } from '../../../src/datasets/columns.ts';
import { exportTables } from '../../../src/export/export-tables.ts';
import { readDrift } from '../../../src/ledger/coverage.ts';
import { adoptPromotions } from '../../../src/postgres/schema/adopted-columns.ts';
import { migrate } from '../../../src/postgres/schema/migrate.ts';
import { replayQuarantine } from '../../../src/publishing/quarantine.ts';
import { fillColumn, makeColumn, type Promotion, requirePromotable } from '../../../src/tables/promotions.ts';
import { verifyTables } from '../../../src/tables/verification.ts';
import { runCli } from '../../support/command-line.ts';
import { createLogin, createTestPool, useLogin } from '../../support/database-access.ts';
import { jobOf, publishedRows, useLedger, WEEK } from '../../support/ledger.ts';
import { nextMigrations, removeNextReleases } from '../../support/next-release.ts';
import { type Extra, loadWith, stageWith } from '../../support/promoted-rows.ts';
import { loadWindow, publish } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const writer = useLogin(ledger, 'searchmill_writer');
const never = new AbortController().signal;
afterAll(removeNextReleases);

async function make(promotion: Promotion): Promise<void> {
  await makeColumn(new Secret(ledger.url), promotion, { promotedBy: 'test', tell: () => undefined });
}
const fill = (promotion: Promotion, signal = never, onProgress: () => void = () => undefined) =>
  fillColumn(ledger.pool, promotion, { signal, onProgress });
const check = (promotion: Promotion, isForced = false) => requirePromotable(ledger.pool, promotion, { isForced, signal: never });
async function valuesOf(job: Job, column: string): Promise<unknown[]> {
  const { rows } = await ledger.pool.query<{ value: string | null }>(
    `SELECT "${column}"::text AS value FROM search.keyword_rankings WHERE account_id = $1 ORDER BY time_period_start, query`,
    [job.accountId],
  );
  return rows.map(({ value }) => value);
}

async function expectAsPublished(job: Job): Promise<void> {
  const { differences } = await verifyTables(ledger.pool, { job: job.name }, { isDeep: true, signal: never, onPlace: () => undefined });
  expect(differences).toEqual([]);
}

/** A job, and a promotion of a key that no other test has. */
let last = 0;
function begin(type: Promotion['type'] = 'text'): { job: Job; promotion: Promotion; column: string } {
  const job = jobOf();
  last += 1;
  const column = `mood_${last}`;
  return { job, column, promotion: { dataset: job.dataset, column, type } as Promotion };
}

describe('a key of _extra that is promoted', () => {
  it('is a column with its values in rows from before, of all months, and in what is loaded later, by a login that only loads', async () => {
    const { job, promotion, column } = begin('bigint');
    const earlier = addDays(WEEK.start, -28);
    await loadWith(writer.pool, job, [{ query: 'a', extra: { [column]: '12' } }], earlier);
    await loadWith(writer.pool, job, [
      { query: 'a', extra: { [column]: '-3' } },
      { query: 'b', extra: { [column]: '' } },
    ]);
    expect(await check(promotion)).toBe(false);
    await make(promotion);
    expect(await fill(promotion)).toMatchObject({ weeks: 2, rows: 2, odd: 0, filled: 2 });
    expect(await valuesOf(job, column)).toEqual(['12', '-3', null]);
    const next = addDays(WEEK.start, 7);
    await loadWith(writer.pool, job, [{ query: 'a', extra: { [column]: '9007199254740993' } }], next);
    expect(await valuesOf(job, column)).toEqual(['12', '-3', null, '9007199254740993']);
    expect(await readDrift(ledger.pool, job.name)).toEqual([]);
    await expectAsPublished(job);
  });

  it('is filled once: filling again, and loading the same rows again, rewrites no row', async () => {
    const { job, promotion, column } = begin();
    const rows = [{ query: 'a', extra: { [column]: 'merry' } }];
    await loadWith(ledger.pool, job, rows);
    await make(promotion);
    expect(await fill(promotion)).toMatchObject({ filled: 1 });
    expect(await check(promotion)).toBe(true);
    expect(await fill(promotion)).toMatchObject({ filled: 0 });
    expect(await loadWith(ledger.pool, job, rows)).toMatchObject({ inserted: 0, updated: 0, unchanged: 1 });
  });

  it('follows a reload: another value, none, and a row that goes', async () => {
    const { job, promotion, column } = begin();
    await loadWith(
      ledger.pool,
      job,
      ['a', 'b', 'c'].map((query) => ({ query, extra: { [column]: 'old' } })),
    );
    await make(promotion);
    await fill(promotion);
    await loadWith(ledger.pool, job, [
      { query: 'a', extra: { [column]: 'new' } },
      { query: 'b', extra: {} },
    ]);
    expect(await valuesOf(job, column)).toEqual(['new', null]);
    await loadWindow(ledger.pool, job, [wireRow(job, { query: 'a', rank_true: '1' })]);
    expect(await valuesOf(job, column)).toEqual([null]);
    await expectAsPublished(job);
  });

  it('is there in the view with arrays and in the list, described, for readers, too', async () => {
    const { job, promotion, column } = begin('bigint');
    await loadWith(ledger.pool, job, [{ query: 'a', extra: { [column]: '5' } }]);
    const reader = await createLogin(ledger.pool, ledger.url, 'searchmill_reader');
    await make(promotion);
    await fill(promotion);
    const pool = createTestPool(new Secret(reader.url), 1);
    const { rows } = await pool.query(`SELECT ${column} AS value FROM search.keyword_rankings_arrays WHERE account_id = $1`, [
      job.accountId,
    ]);
    expect(rows).toEqual([{ value: 5 }]);
    const listed = await pool.query('SELECT dataset, type FROM search_reports.promoted_columns WHERE column_name = $1', [column]);
    expect(listed.rows).toEqual([{ dataset: 'keyword_rankings', type: 'bigint' }]);
    const described = await ledger.pool.query(
      `SELECT DISTINCT col_description(attrelid, attnum) AS text FROM pg_attribute
        WHERE attname = $1 AND attrelid IN ('search.keyword_rankings'::regclass, 'search.keyword_rankings_arrays'::regclass)`,
      [column],
    );
    expect(described.rows).toEqual([{ text: expect.stringContaining(`Promoted from the key ${column}`) }]);
    const { out } = await runCli(['promote'], { env: { DATABASE_URL: ledger.url } });
    expect(out).toMatch(new RegExp(`search\\.keyword_rankings +${column} +bigint +\\S+ +test +filled`));
    await pool.end();
    await reader.drop();
  });

  it('is there in files of an export, in those of before, too, and is gone from them once it is taken back', async () => {
    const { job, promotion, column } = begin('date');
    await loadWith(ledger.pool, job, [{ query: 'a', extra: { [column]: '2026-11-08' } }]);
    const folder = mkdtempSync(join(tmpdir(), 'searchmill-promoted-'));
    const about = { folder, format: 'parquet' as const, account: String(job.accountId), hasPoints: false, since: undefined };
    const path = join(folder, `keyword_rankings/account=${job.accountId}/week=${WEEK.start}/rows.parquet`);
    const exportedValue = async (): Promise<unknown> => {
      await exportTables({ pool: ledger.pool, ...about, signal: never, onProgress: () => undefined });
      return (await parquetReadObjects({ file: await asyncBufferFromFile(path) }))[0]?.[column];
    };
    expect(await exportedValue()).toBeUndefined();
    await make(promotion);
    await fill(promotion);
    expect(await exportedValue()).toEqual(new Date('2026-11-08T00:00:00Z'));
    await runCli(['promote', job.dataset.name, column, '--undo'], { env: { DATABASE_URL: ledger.url } });
    expect(await exportedValue()).toBeUndefined();
    rmSync(folder, { recursive: true });
  });
});

it('values become those of each type, or are NULL in the column and stay in _extra', async () => {
  const cases = {
    text: [
      ['', ''],
      ['Zoë', 'Zoë'],
      [7, '7'],
    ],
    bigint: [
      ['12', '12'],
      ['1.2e1', '12'],
      ['9223372036854775808', null],
      ['1.5', null],
      ['x', null],
      ['', null],
    ],
    numeric: [
      ['0.10', '0.10'],
      ['1e3', '1000'],
      ['1,5', null],
      ['NaN', null],
    ],
    boolean: [
      ['TRUE', 'true'],
      [false, 'false'],
      ['1', null],
    ],
    date: [
      ['2024-02-29', '2024-02-29'],
      ['2023-02-29', null],
      ['29.02.2024', null],
    ],
    timestamptz: [
      ['2026-11-08T06:00:00.5Z', '2026-11-08T06:00:00.500000Z'],
      ['2026-11-08 06:00+01', '2026-11-08T05:00:00.000000Z'],
      ['2026-11-08T06:00:00', '2026-11-08T06:00:00.000000Z'],
      ['2026-11-08', '2026-11-08T00:00:00.000000Z'],
      ['2026-11-08T25:00', null],
    ],
  } as const;
  for (const [type, values] of Object.entries(cases)) {
    for (const [given, becomes] of values) {
      const { rows } = await ledger.pool.query('SELECT searchmill.promoted_value($1, $2) AS becomes', [JSON.stringify(given), type]);
      expect([type, given, rows[0]]).toEqual([type, given, { becomes }]);
    }
  }
});

it('a dry run changes nothing and tells how many values are none of the type, with some of them and where they are', async () => {
  const { job, promotion, column } = begin('numeric');
  const rows = ['1.5', 'many', 'few', ''].map((value, at) => ({ query: `q${at}`, extra: { [column]: value } }));
  await loadWith(ledger.pool, job, rows);
  const env = { DATABASE_URL: ledger.url };
  const trial = await runCli(['promote', job.dataset.name, column, '--type', 'numeric', '--dry-run'], { env });
  expect(trial.code).toBe(0);
  expect(trial.out).toContain(`3 rows in 1 week have a value for ${column}`);
  expect(trial.out).toMatch(
    new RegExp(`2 values are no numeric[\\s\\S]+account ${job.accountId}, week ${WEEK.start}, _key \\S+: "(many|few)"`),
  );
  expect(await check(promotion)).toBe(false);
  const done = await runCli(['promote', job.dataset.name, column, '--type', 'numeric', '--json'], { env });
  expect(JSON.parse(done.out)).toMatchObject({ column, type: 'numeric', rows: 3, odd: 2, filled: 1 });
  expect(await valuesOf(job, column)).toEqual(['1.5', null, null, null]);
  expect(
    (await publishedRows(ledger.pool, job, ['_extra'])).map(({ _extra }) => String((_extra as Extra)[column])).toSorted(compareText),
  ).toEqual(['', '1.5', 'few', 'many']);
});

it('refuses what is no name of a column, is known, is in no row, has another type, or belongs to somebody else', async () => {
  const { job, promotion, column } = begin();
  for (const name of ['Mood', '_key', 'mood#2', 'm'.repeat(64), 'ctid'])
    await expect(check({ ...promotion, column: name })).rejects.toThrow('cannot be the name of a column');
  await expect(check({ ...promotion, column: 'device' })).rejects.toThrow('has the column device already');
  await expect(check(promotion)).rejects.toThrow('no row of search.keyword_rankings has the key');
  expect(await check(promotion, true)).toBe(false);
  await loadWith(ledger.pool, job, [{ query: 'a', extra: { [column]: 'merry' } }]);
  await expect(requirePromotable(writer.pool, promotion, { isForced: false, signal: never })).rejects.toThrow(
    'only the owner of the tables',
  );
  await make(promotion);
  await expect(check({ ...promotion, type: 'date' })).rejects.toThrow('was promoted as text');
  await ledger.pool.query('ALTER TABLE search.keyword_rankings ADD COLUMN theirs text');
  await expect(check({ ...promotion, column: 'theirs' })).rejects.toThrow('a column theirs that Searchmill did not make');
  await ledger.pool.query('ALTER TABLE search.keyword_rankings DROP COLUMN theirs');
});

it('goes on where it was stopped', async () => {
  const { job, promotion, column } = begin();
  const weeks = [0, 7, 14].map((days) => addDays(WEEK.start, days));
  for (const start of weeks) await loadWith(ledger.pool, job, [{ query: 'a', extra: { [column]: start } }], start);
  await make(promotion);
  const stop = new AbortController();
  await expect(fill(promotion, stop.signal, () => stop.abort())).rejects.toThrow(CancelledError);
  expect(await valuesOf(job, column)).toEqual([weeks[0], null, null]);
  expect(await fill(promotion)).toMatchObject({ weeks: 2, filled: 2 });
  expect(await valuesOf(job, column)).toEqual(weeks);
});

it('goes on beside loads: what was staged before and is published while rows are filled has its values', async () => {
  const { job, promotion, column } = begin();
  const weeks = [0, 7, 14, 21].map((days) => addDays(WEEK.start, days));
  const rowsOf = (value: string) => ['a', 'b', 'c'].map((query) => ({ query, extra: { [column]: value } }));
  for (const start of weeks) await loadWith(ledger.pool, job, rowsOf('old'), start);
  const staged = [];
  for (const start of weeks) staged.push(await stageWith(writer.pool, job, rowsOf('new'), start));
  const published = Promise.all(staged.map((execution) => publish(writer.pool, job, execution)));
  await make(promotion);
  await Promise.all([fill(promotion), published]);
  expect(new Set(await valuesOf(job, column))).toEqual(new Set(['new']));
  await expectAsPublished(job);
});

it('rows of a replay have it', async () => {
  const { job, promotion, column } = begin();
  const bad = { query: 'b', extra: { [column]: 'merry' }, rank: 'not yet' };
  const execution = await stageWith(ledger.pool, job, [{ query: 'a', extra: { [column]: 'sad' } }, bad]);
  await publish(ledger.pool, job, execution);
  await make(promotion);
  await fill(promotion);
  const understand = `UPDATE searchmill.quarantined_rows SET raw = replace(raw, '"not yet"', '"7"') WHERE execution_id = $1`;
  await ledger.pool.query(understand, [execution.id]);
  expect(await replayQuarantine(ledger.pool, execution.id)).toMatchObject({ replayed: 1, remaining: 0 });
  expect(await valuesOf(job, column)).toEqual(['sad', 'merry']);
  await expectAsPublished(job);
});

it('a later release that knows the column takes it over, and processes of this one go on beside it', async () => {
  const { job, promotion, column } = begin('bigint');
  await loadWith(ledger.pool, job, [{ query: 'a', extra: { [column]: '5' } }]);
  await make(promotion);
  await fill(promotion);
  const statements = `ALTER TABLE search.keyword_rankings ADD COLUMN IF NOT EXISTS ${column} bigint;`;
  await migrate(new Secret(ledger.url), { folder: await nextMigrations({ statements }) });
  expect(await valuesOf(job, column)).toEqual(['5']);
  const columns = [...job.dataset.columns, integer(column, 'bigint', 'Of the next release.'), attribute('other', 'Another.')];
  await ledger.pool.query('ALTER TABLE search.keyword_rankings ADD COLUMN other text');
  const client = await ledger.pool.connect();
  await adoptPromotions(client, [{ ...promotion.dataset, columns }]);
  client.release();
  const later: Job = { ...job, dataset: { ...job.dataset, columns } };
  expect(await loadWindow(ledger.pool, later, [wireRow(later, { query: 'a', rank_true: '1', [column]: '6' })])).toMatchObject({
    updated: 1,
  });
  expect(await valuesOf(job, column)).toEqual(['6']);
  // One of this release brings the key.
  await loadWith(ledger.pool, job, [{ query: 'a', extra: { [column]: '7' } }]);
  expect(await valuesOf(job, column)).toEqual(['7']);
  await expect(check({ ...promotion, dataset: { ...promotion.dataset, columns } })).rejects.toThrow('already');
});

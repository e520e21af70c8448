// searchmill export: what the files say is what the tables have, after whatever happened to a week, and however often it was stopped.
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { afterAll, expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { compareText } from '../../../src/core/compare-text.ts';
import { addDays, windowOfWeeks } from '../../../src/core/weeks.ts';
import { type Exported, type ExportOptions, exportTables } from '../../../src/export/export-tables.ts';
import { runCli } from '../../support/command-line.ts';
import { jobOf, useLedger, WEEK } from '../../support/ledger.ts';
import { loadWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger({ keepsInvariants: false });
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'searchmill-export-'));
  folders.push(folder);
  return folder;
}

const row = (job: Job, query: string, values: Record<string, unknown> = {}, start = WEEK.start): unknown[] =>
  wireRow(job, { query, ...values }, start);

const exportTo = (folder: string, account: string, own: Partial<ExportOptions> = {}): Promise<Exported> =>
  exportTables({
    pool: ledger.pool,
    folder,
    format: 'parquet',
    account,
    hasPoints: false,
    since: undefined,
    signal: new AbortController().signal,
    onProgress: () => undefined,
    ...own,
  });

const fileOf = (job: Job, week = WEEK.start, format = 'parquet'): string =>
  `keyword_rankings/account=${job.accountId}/week=${week}/rows.${format}`;
const readFile = async (folder: string, path: string): Promise<Record<string, unknown>[]> =>
  parquetReadObjects({ file: await asyncBufferFromFile(join(folder, path)) });
const queriesOf = async (folder: string, job: Job, week = WEEK.start): Promise<unknown[]> =>
  (await readFile(folder, fileOf(job, week))).map(({ query }) => String(query)).toSorted(compareText);
const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(parquet|csv|json)$/.test(path))
    .toSorted(compareText);

/** As a load does that publishes the week anew, or as keep_weeks does. */
async function changeWeek(job: Job, kind: 'revised' | 'removed'): Promise<void> {
  await ledger.pool.query('DELETE FROM search.keyword_rankings WHERE account_id = $1', [job.accountId]);
  await ledger.pool.query(
    `INSERT INTO searchmill.week_changes (kind, dataset, account_id, week, publication_id)
     SELECT $2, 'keyword_rankings', $1, $3, CASE WHEN $2 = 'revised' THEN (SELECT max(id) FROM searchmill.publications) END`,
    [job.accountId, kind, WEEK.start],
  );
}

it('writes every value of a week with its type, and says what the file is', async () => {
  const [folder, job] = [newFolder(), jobOf()];
  const values = { title: 'Zoë "quoted", with\nlines', subdomain: '', cpc: '0.1', average_search_volume: null };
  await loadWindow(ledger.pool, job, [row(job, 'a', values), row(job, 'b')]);
  const { manifest } = await exportTo(folder, String(job.accountId));
  const rows = await readFile(folder, fileOf(job));
  const stored = await ledger.pool.query<Record<string, unknown>>(
    `SELECT account_id::text, title, subdomain, cpc, average_search_volume, rank_standard, time_period_start::text, _key::text,
            (extract(epoch FROM _loaded_at) * 1000000)::bigint::text AS loaded
       FROM search.keyword_rankings WHERE account_id = $1 AND query = 'a'`,
    [job.accountId],
  );
  const found = rows.find(({ query }) => query === 'a') ?? {};
  expect({
    account_id: String(found.account_id),
    title: found.title,
    subdomain: found.subdomain,
    cpc: found.cpc,
    average_search_volume: found.average_search_volume ?? null,
    rank_standard: found.rank_standard,
    time_period_start: (found.time_period_start as Date).toISOString().slice(0, 10),
    _key: found._key,
  }).toEqual({ ...stored.rows[0], loaded: undefined });
  // The reader makes a Date of it, which has no microseconds.
  expect((found._loaded_at as Date).getTime()).toBe(Math.floor(Number(stored.rows[0]?.loaded) / 1000));
  const bytes = readFileSync(join(folder, fileOf(job)));
  expect(manifest.weeks).toEqual([
    {
      dataset: 'keyword_rankings',
      account: String(job.accountId),
      week: WEEK.start,
      publication: expect.any(Number) as number,
      cursor: manifest.cursor,
      file: { path: fileOf(job), rows: 2, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') },
    },
  ]);
  expect(manifest.columns.keyword_rankings?.slice(0, 2)).toEqual([
    { name: 'account_id', type: 'bigint' },
    { name: 'account_name', type: 'text' },
  ]);
  expect(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))).toEqual(manifest);
  expect(await readFile(folder, 'changed_weeks.parquet')).toMatchObject([{ dataset: 'keyword_rankings', cursor: BigInt(manifest.cursor) }]);
});

it('replaces weeks that have changed, and no others; removes files of weeks that are removed or have no rows any more', async () => {
  const [folder, revised, emptied, removed] = [newFolder(), jobOf(), jobOf({ accountId: 501 }), jobOf({ accountId: 502 })];
  const all = { account: null };
  for (const job of [revised, emptied, removed]) await loadWindow(ledger.pool, job, [row(job, 'a')]);
  await exportTo(folder, '', all);
  const later = addDays(WEEK.start, 7);
  await loadWindow(ledger.pool, revised, [row(revised, 'a'), row(revised, 'b')]);
  await changeWeek(emptied, 'revised');
  await changeWeek(removed, 'removed');
  const first = await exportTo(folder, '', all);
  expect(first).toMatchObject({ weeks: 3, rows: 2, removed: 2 });
  expect(await queriesOf(folder, revised)).toEqual(['a', 'b']);
  expect(filesIn(folder)).not.toContain(fileOf(emptied));
  expect(filesIn(folder)).not.toContain(fileOf(removed));
  const weeksOf = ({ manifest }: Exported, job: Job) => manifest.weeks.filter(({ account }) => account === String(job.accountId));
  expect(weeksOf(first, emptied)).toMatchObject([{ file: null }]);
  expect(weeksOf(first, removed)).toEqual([]);
  await loadWindow(ledger.pool, revised, [row(revised, 'c', {}, later)], windowOfWeeks(later, 1));
  expect(await exportTo(folder, '', all)).toMatchObject({ weeks: 1, rows: 1, removed: 0 });
  expect(await queriesOf(folder, revised, later)).toEqual(['c']);
  expect(await exportTo(folder, '', all)).toMatchObject({ weeks: 0 });
});

it('goes on where it was stopped, and writes files again that are gone', async () => {
  const [folder, job] = [newFolder(), jobOf({ accountId: 503 })];
  const weeks = [0, 7, 14].map((days) => addDays(WEEK.start, days));
  for (const week of weeks) await loadWindow(ledger.pool, job, [row(job, week, {}, week)], windowOfWeeks(week, 1));
  const stopping = new AbortController();
  await expect(exportTo(folder, '503', { signal: stopping.signal, onProgress: () => stopping.abort() })).rejects.toThrow('stopped');
  expect(filesIn(folder)).toHaveLength(2);
  expect(await exportTo(folder, '503')).toMatchObject({ weeks: 2 });
  rmSync(join(folder, fileOf(job, weeks[1])));
  expect(await exportTo(folder, '503')).toMatchObject({ weeks: 1, rows: 1 });
  for (const week of weeks) expect(await queriesOf(folder, job, week)).toEqual([week]);
});

it('begins anew for another ledger, without what that one does not have, and refuses a folder of another kind', async () => {
  const [folder, job] = [newFolder(), jobOf({ accountId: 504 })];
  await loadWindow(ledger.pool, job, [row(job, 'a')]);
  const { manifest } = await exportTo(folder, '504');
  const gone = { ...manifest.weeks[0], week: '2020-01-05', file: { ...manifest.weeks[0]?.file, path: 'gone.parquet' } };
  writeFileSync(join(folder, 'gone.parquet'), '');
  writeFileSync(
    join(folder, 'manifest.json'),
    JSON.stringify({ ...manifest, ledger: 'another', cursor: 9_999_999, weeks: [...manifest.weeks, gone] }),
  );
  expect(await exportTo(folder, '504')).toMatchObject({
    weeks: 1,
    removed: 1,
    manifest: { weeks: manifest.weeks, ledger: manifest.ledger },
  });
  await expect(exportTo(folder, '504', { format: 'csv' })).rejects.toThrow(/holds an export as parquet/);
  await expect(exportTo(folder, '503')).rejects.toThrow(/holds an export of account 504; choose another folder for account 503/);
});

it('writes CSV that COPY reads back to the same rows, by the command', async () => {
  const [folder, job] = [newFolder(), jobOf({ accountId: 505 })];
  await loadWindow(ledger.pool, job, [row(job, 'a', { title: 'x, "y"\r\n ', subdomain: '' }), row(job, 'b', { title: null })]);
  const args = ['export', '--format', 'csv', '--to', folder, '--account', '505'];
  const { code, out } = await runCli(args, { env: { DATABASE_URL: ledger.url } });
  expect({ code, out }).toEqual({
    code: 0,
    out: expect.stringMatching(/^1 week with 2 rows, .* has 1 week, up to cursor \d+\.\n$/) as string,
  });
  const text = readFileSync(join(folder, fileOf(job, WEEK.start, 'csv')), 'utf8');
  expect(text.split('\r\n')[0]).toMatch(/^account_id,account_name,/);
  const client = await ledger.pool.connect();
  try {
    await client.query('CREATE TEMPORARY TABLE copied (LIKE search.keyword_rankings)');
    const { from } = await import('pg-copy-streams');
    const copying = client.query(from('COPY copied FROM STDIN (FORMAT csv, HEADER)'));
    await new Promise((done, failed) => copying.on('finish', done).on('error', failed).end(text));
    const { rows } = await client.query<{ n: number }>(
      `SELECT count(*)::integer AS n FROM copied c JOIN search.keyword_rankings t ON t.account_id = c.account_id AND to_jsonb(t) = to_jsonb(c)`,
    );
    expect(rows).toEqual([{ n: 2 }]);
  } finally {
    client.release(true);
  }
});

// Rows of jobs that were removed or are disabled: when they are told, by status and by figures, and how they go.
import { describe, expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { compareText } from '../../../src/core/compare-text.ts';
import { addDays, windowOfWeeks } from '../../../src/core/weeks.ts';
import { readState } from '../../../src/dashboards/sources.ts';
import { readRows } from '../../../src/postgres/statements.ts';
import { findProblems } from '../../../src/problems/find-problems.ts';
import { readStatus } from '../../../src/problems/read-status.ts';
import { readLeftRows } from '../../../src/publishing/forgetting.ts';
import { verifyTables } from '../../../src/tables/verification.ts';
import { runCli } from '../../support/command-line.ts';
import { jobOf, publishedRows, useLedger, WEEK } from '../../support/ledger.ts';
import { asksOf, columnsOf } from '../../support/panels.ts';
import { loadWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const BEFORE = windowOfWeeks(addDays(WEEK.start, -7), 1);

const row = (job: Job, query: string, start = WEEK.start): unknown[] => wireRow(job, { query }, start);
const queries = async (job: Job): Promise<unknown[]> =>
  (await publishedRows(ledger.pool, job, ['query'])).map(({ query }) => String(query)).toSorted(compareText);
/** How a job ends to be loaded. */
const STOPS = { removed: 'removed_at = clock_timestamp()', disabled: 'enabled = false' };
const stop = ({ name }: Job, how: keyof typeof STOPS) =>
  ledger.pool.query(`UPDATE searchmill.jobs SET ${STOPS[how]} WHERE name = $1`, [name]);
const cli = (args: string) => runCli(args.split(' '), { env: { DATABASE_URL: ledger.url } });

/** What problems tell of left rows, for one job. */
const told = async ({ name }: Job) =>
  findProblems(await readStatus(ledger.pool, name), new Date()).filter(({ kind }) => kind === 'rows-left');
/** What charts and assistants tell of the figures of the week. */
async function remarks({ dataset, accountId }: Job): Promise<unknown> {
  const { rows } = await ledger.pool.query(`SELECT note FROM search_reports.newest_weeks($1, $2, '1')`, [dataset.name, accountId]);
  const covered = await readRows(ledger.pool, 'assistants/read-coverage', { job: null, weeks: 1, most: 1000 });
  const own = covered.filter(({ account, week }) => account === String(accountId) && week === WEEK.start);
  return { chart: rows.map(({ note }) => note), coverage: [...new Set(own.map(({ remark }) => remark))] };
}
/** What Home, and the weekly brief from it, list of the newest week as missing or incomplete. */
const listed = async ({ accountId }: Job) =>
  columnsOf(await asksOf(() => ledger.pool, 'home')('missing', { account: String(accountId), weeks: '1' }), 'why').flat();
/** What is read from the ledger to know whether a kept page of a board is still right. */
const state = ({ accountId }: Job) => readState(ledger.pool, String(accountId));

/** A job that was renamed and given other filters at once: the old one has rows of two weeks, the new one those of the last. */
async function renamed(how: keyof typeof STOPS = 'removed'): Promise<[Job, Job]> {
  const { pool } = ledger;
  const old = jobOf({ filtersDigest: 'before' });
  await loadWindow(pool, old, [row(old, 'a', BEFORE.start), row(old, 'b', BEFORE.start)], BEFORE);
  await loadWindow(pool, old, [row(old, 'a'), row(old, 'b'), row(old, 'c')]);
  await stop(old, how);
  expect(await readLeftRows(pool, old.name)).toEqual([]);
  const now = jobOf({ accountId: old.accountId, filtersDigest: 'after' });
  await loadWindow(pool, now, [row(now, 'c'), row(now, 'd')]);
  return [old, now];
}

describe('rows of a job that is loaded no more', () => {
  it('are told once a configured job of their dataset and account has published one of their weeks, from both sides', async () => {
    const { pool } = ledger;
    const [old, now] = await renamed();
    const left = [
      {
        job: old.name,
        dataset: old.dataset.name,
        beside: [now.name],
        rows: 4,
        first: WEEK.start,
        last: WEEK.start,
        removedAt: expect.any(Date),
        latest: expect.any(Date),
        isSure: true,
      },
    ];
    expect(await readLeftRows(pool, old.name)).toEqual(left);
    expect(await readLeftRows(pool, now.name)).toEqual(left);
    expect(await told(now)).toMatchObject([
      { commands: [`searchmill forget ${old.name}`, `searchmill acknowledge rows-left ${old.name}`], needsYou: true },
    ]);
  });

  it.each(['removed', 'disabled'] as const)(
    'are not told beside those of a job whose filters exclude them, when the job is %s',
    async (how) => {
      const { pool } = ledger;
      const old = jobOf({ filters: { countries: ['US'] }, filtersDigest: 'us' });
      await loadWindow(pool, old, [row(old, 'a')]);
      await stop(old, how);
      const apart = jobOf({ accountId: old.accountId, filters: { countries: ['DE'] }, filtersDigest: 'de' });
      await loadWindow(pool, apart, [row(apart, 'b')]);
      expect(await readLeftRows(pool, old.name)).toEqual([]);
      expect(await told(apart)).toEqual([]);
      const both = jobOf({ accountId: old.accountId, filters: { countries: ['US', 'FR'] }, filtersDigest: 'both' });
      await loadWindow(pool, both, [row(both, 'c')]);
      expect(await readLeftRows(pool, old.name)).toMatchObject([{ beside: [both.name], isSure: true }]);
      expect(await told(both)).toMatchObject([{ severity: 'error' }]);
    },
  );

  it('are a warning when they were loaded with other filters than their job has now, since nobody can tell', async () => {
    const { pool } = ledger;
    const old = jobOf({ filters: { countries: ['DE'] }, filtersDigest: 'de' });
    await loadWindow(pool, old, [row(old, 'a')]);
    await stop(old, 'disabled');
    await pool.query(`UPDATE searchmill.jobs SET filters = '{"countries": ["US"]}', filters_digest = 'us' WHERE name = $1`, [old.name]);
    const now = jobOf({ accountId: old.accountId, filters: { countries: ['DE'] }, filtersDigest: 'de' });
    await loadWindow(pool, now, [row(now, 'b')]);
    expect(await told(now)).toMatchObject([{ severity: 'warning', why: [expect.stringContaining('is not known')] }]);
  });

  it('are not told of another account or of weeks of their own, nor when their job is configured again', async () => {
    const { pool } = ledger;
    const [old] = await renamed();
    const alone = jobOf();
    await loadWindow(pool, alone, [row(alone, 'a')]);
    await stop(alone, 'removed');
    expect(await readLeftRows(pool, alone.name)).toEqual([]);
    await pool.query('UPDATE searchmill.jobs SET removed_at = NULL WHERE name = $1', [old.name]);
    expect(await readLeftRows(pool, old.name)).toEqual([]);
  });

  it('are removed by one command, which asks first, and nothing else is', async () => {
    const { pool } = ledger;
    const [old, now] = await renamed();
    const asked = await cli(`forget ${old.name}`);
    expect({ code: asked.code, err: asked.err }).toEqual({
      code: 2,
      err: `This removes 4 rows of ${old.name} in 2 windows; confirm with --yes.\n`,
    });
    expect(await queries(now)).toEqual(['a', 'a', 'b', 'b', 'c', 'd']);
    const { code, out } = await cli(`forget ${old.name} --yes --reason renamed`);
    expect({ code, out }).toEqual({ code: 0, out: `Removed 4 rows of ${old.name} in 2 windows.\n` });
    expect(await queries(now)).toEqual(['c', 'd']);
    expect(await readLeftRows(pool)).not.toContainEqual(expect.objectContaining({ job: old.name }));
    expect(
      (await verifyTables(pool, { job: undefined }, { isDeep: true, signal: new AbortController().signal, onPlace: () => undefined }))
        .differences,
    ).toEqual([]);
    expect((await cli(`forget ${old.name} --yes`)).out).toBe(`${old.name} has no rows.\n`);
  });

  it('are told to those who follow the changes of weeks, and the act is in the history with its reason', async () => {
    const { pool } = ledger;
    const [old] = await renamed();
    await cli(`forget ${old.name} --yes --reason renamed`);
    const { rows: changes } = await pool.query(
      `SELECT c.kind, c.week FROM searchmill.week_changes c JOIN searchmill.slices s ON s.id = c.slice_id WHERE s.job = $1 ORDER BY c.cursor DESC LIMIT 2`,
      [old.name],
    );
    expect(changes).toEqual([
      { kind: 'revised', week: WEEK.start },
      { kind: 'revised', week: BEFORE.start },
    ]);
    const { rows: acts } = await pool.query('SELECT action, reason FROM searchmill.actions WHERE job = $1', [old.name]);
    expect(acts).toEqual([1, 2].map(() => ({ action: 'expire', reason: 'renamed' })));
  });

  for (const [how, said] of [
    ['removed', 'was removed'],
    ['disabled', 'is disabled'],
  ] as const)
    it(`are told by status, charts, the brief and assistants until they are forgotten, when the job ${said}`, async () => {
      const [old, now] = await renamed(how);
      expect(await told(now)).toHaveLength(1);
      const remark = `figures include rows of ${old.name}, which ${said}`;
      expect(await remarks(now)).toEqual({ chart: [remark], coverage: [remark] });
      expect(await listed(now)).toEqual([remark]);
      expect((await cli(`forget ${old.name} --yes`)).out).toBe(`Removed 4 rows of ${old.name} in 2 windows.\n`);
      expect(await queries(now)).toEqual(['c', 'd']);
      expect(await told(now)).toEqual([]);
      expect(await remarks(now)).toEqual({ chart: [null], coverage: [null] });
      expect(await listed(now)).toEqual([]);
    });

  it('are told no more once somebody says that they belong there, until there are more of them', async () => {
    const { pool } = ledger;
    const [old, now] = await renamed('disabled');
    const before = await state(now);
    expect((await cli(`acknowledge rows-left ${old.name}`)).code).toBe(0);
    expect(await state(now)).not.toBe(before);
    expect(await told(now)).toEqual([]);
    expect(await remarks(now)).toEqual({ chart: [null], coverage: [null] });
    expect(await queries(now)).toEqual(['a', 'a', 'b', 'b', 'c', 'd']);
    await loadWindow(pool, now, [row(now, 'e', BEFORE.start)], BEFORE);
    expect(await told(now)).toMatchObject([{ title: expect.stringContaining(`also in weeks of ${now.name}, ${BEFORE.start}`) }]);
  });

  it('are not told of a job that is loaded again', async () => {
    const [old, now] = await renamed('disabled');
    await ledger.pool.query('UPDATE searchmill.jobs SET enabled = true WHERE name = $1', [old.name]);
    expect(await told(now)).toEqual([]);
    expect(await remarks(now)).toEqual({ chart: [null], coverage: [null] });
  });

  it('are not removed while their job is configured', async () => {
    const job = jobOf();
    await loadWindow(ledger.pool, job, [row(job, 'a')]);
    const { code, err } = await cli(`forget ${job.name} --yes`);
    expect(code).toBe(2);
    expect(err).toContain(`job "${job.name}" is configured`);
    expect(await queries(job)).toEqual(['a']);
  });
});

// The tables against what publishing wrote down of them: what people delete, add or alter by hand is found, of the right job and week.
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { HOUR } from '../../../src/core/clock.ts';
import { compareText } from '../../../src/core/compare-text.ts';
import { addDays, windowOfWeeks } from '../../../src/core/weeks.ts';
import { DATASETS } from '../../../src/datasets/index.ts';
import { readRows } from '../../../src/postgres/statements.ts';
import { findProblems } from '../../../src/problems/find-problems.ts';
import { readStatus } from '../../../src/problems/read-status.ts';
import { rowDigest } from '../../../src/tables/published-periods.ts';
import { verifyTables } from '../../../src/tables/verification.ts';
import { verifyDue } from '../../../src/tables/verification-rounds.ts';
import { jobOf, useLedger, WEEK } from '../../support/ledger.ts';
import { loadWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const TABLE = 'search.keyword_rankings';
const NEXT = windowOfWeeks(addDays(WEEK.start, 7), 1);
const row = (job: Job, query: string, title = 'x', start = WEEK.start): unknown[] => wireRow(job, { query, title }, start);

/** `week published/found`, with what is wrong of as many rows. */
async function differences(job: Job | undefined, isDeep = false): Promise<string[]> {
  const options = { isDeep, signal: new AbortController().signal, onPlace: () => undefined };
  const { differences: found } = await verifyTables(ledger.pool, { job: job?.name }, options);
  return found.map(
    ({ job: name, week, expected, found, isAltered, isMisnamed }) =>
      `${name} ${week} ${expected}/${found}${isAltered ? ' altered' : ''}${isMisnamed ? ' misnamed' : ''}`,
  );
}

const byHand = (job: Job, statement: string): Promise<unknown> =>
  ledger.pool.query(statement.replace('OF_JOB', `account_id = ${job.accountId}`));

/** Two weeks, with rows that share a key. */
async function loadTwo(job: Job): Promise<void> {
  await loadWindow(ledger.pool, job, [row(job, 'a'), row(job, 'a'), row(job, 'b')]);
  await loadWindow(ledger.pool, job, [row(job, 'a', 'x', NEXT.start), row(job, 'b', 'x', NEXT.start)], NEXT);
}

describe('tables', () => {
  it('are as published after loads, reloads and an answer without rows', async () => {
    const job = jobOf();
    await loadTwo(job);
    await loadWindow(ledger.pool, job, [row(job, 'a', 'y'), row(job, 'c')]);
    await loadWindow(ledger.pool, job, [], NEXT);
    expect(await differences(undefined)).toEqual([]);
    expect(await differences(undefined, true)).toEqual([]);
  });

  it.each([
    [
      'rows that were deleted',
      `DELETE FROM ${TABLE} WHERE OF_JOB AND query = 'b' AND time_period_start = '${NEXT.start}'`,
      [`${NEXT.start} 2/1`],
    ],
    ['a week that was deleted', `DELETE FROM ${TABLE} WHERE OF_JOB AND time_period_start = '${WEEK.start}'`, [`${WEEK.start} 3/0`]],
    ['all that was deleted', `DELETE FROM ${TABLE} WHERE OF_JOB`, [`${WEEK.start} 3/0`, `${NEXT.start} 2/0`]],
    [
      'rows that were added',
      `INSERT INTO ${TABLE} SELECT (jsonb_populate_record(t, '{"_occurrence": 7}')).* FROM ${TABLE} t WHERE OF_JOB AND query = 'b'`,
      [`${WEEK.start} 3/4`, `${NEXT.start} 2/3`],
    ],
  ])('that lack or have too many are found by counting, and a reload mends them: %s', async (_, statement, expected) => {
    const job = jobOf();
    await loadTwo(job);
    await byHand(job, statement);
    expect(await differences(job)).toEqual(expected.map((each) => `${job.name} ${each}`));
    expect(await differences(undefined)).toEqual(expected.map((each) => `${job.name} ${each}`));
    await loadTwo(job);
    expect(await differences(job, true)).toEqual([]);
  });

  it.each([
    ['a title', `title = 'forged' WHERE OF_JOB AND query = 'b' AND time_period_start = '${WEEK.start}'`],
    ['a rank that was none', `rank_true = 1 WHERE OF_JOB AND query = 'b' AND time_period_start = '${WEEK.start}'`],
    ['values that are exchanged', `title = query, result_type = title WHERE OF_JOB AND time_period_start = '${WEEK.start}'`],
    ['_extra', `_extra = '{"a": 1}' WHERE OF_JOB AND query = 'b' AND time_period_start = '${WEEK.start}'`],
  ])('with other content are found with --deep only, and a reload mends them: %s', async (_, change) => {
    const job = jobOf();
    await loadTwo(job);
    await byHand(job, `UPDATE ${TABLE} SET ${change}`);
    expect(await differences(job)).toEqual([]);
    expect((await differences(job, true)).map((each) => each.replace(' misnamed', ''))).toEqual([`${job.name} ${WEEK.start} 3/3 altered`]);
    await byHand(job, `UPDATE ${TABLE} SET result_type = NULL WHERE OF_JOB`);
    await loadTwo(job);
    expect(await differences(job, true)).toEqual([]);
  });

  it('with rows whose identity was altered are found with --deep, and are mended when these are deleted first', async () => {
    const job = jobOf();
    await loadTwo(job);
    await byHand(job, `UPDATE ${TABLE} SET query = 'forged' WHERE OF_JOB AND query = 'b' AND time_period_start = '${WEEK.start}'`);
    expect(await differences(job, true)).toEqual([`${job.name} ${WEEK.start} 3/3 altered misnamed`]);
    await byHand(job, `DELETE FROM ${TABLE} WHERE OF_JOB AND time_period_start = '${WEEK.start}'`);
    await loadTwo(job);
    expect(await differences(job, true)).toEqual([]);
  });

  it('shared by jobs differ for the job whose rows are gone, whichever job had them first', async () => {
    const { pool } = ledger;
    const one = jobOf();
    const other = jobOf({ accountId: one.accountId, filtersDigest: 'other' });
    await loadWindow(pool, one, [row(one, 'same'), row(one, 'different'), row(one, 'twice'), row(one, 'twice'), row(one, 'own')]);
    await loadWindow(pool, other, [row(other, 'same'), row(other, 'different', 'y'), row(other, 'twice')]);
    expect(await differences(one, true)).toEqual([]);
    expect(await differences(other, true)).toEqual([]);
    await byHand(one, `DELETE FROM ${TABLE} WHERE OF_JOB AND query = 'same'`);
    expect(await differences(undefined)).toEqual([`${other.name} ${WEEK.start} 3/2`]);
    expect(await differences(one)).toEqual([]);
    await byHand(one, `DELETE FROM ${TABLE} WHERE OF_JOB AND query = 'own'`);
    expect(await differences(one)).toEqual([`${one.name} ${WEEK.start} 1/0`]);
    await loadWindow(pool, one, [row(one, 'own')]);
    await loadWindow(pool, other, [row(other, 'same'), row(other, 'different', 'y'), row(other, 'twice')]);
    expect(await differences(undefined, true)).toEqual([]);
  });

  it('with rows of no load say so, and those of a removed job are verified only when it is named', async () => {
    const job = jobOf();
    await loadTwo(job);
    await byHand(job, `UPDATE ${TABLE} SET _slice = 4711000 WHERE OF_JOB AND query = 'b' AND time_period_start = '${WEEK.start}'`);
    await byHand(job, `DELETE FROM ${TABLE} WHERE OF_JOB AND query = 'a' AND _occurrence = 2`);
    expect(await differences(undefined)).toEqual([`${job.name} ${WEEK.start} 3/1`, `null ${WEEK.start} 0/1`]);
    await ledger.pool.query('UPDATE searchmill.jobs SET removed_at = now() WHERE name = $1', [job.name]);
    expect(await differences(undefined)).toEqual([]);
    expect(await differences(job)).toEqual([`${job.name} ${WEEK.start} 3/1`, `null ${WEEK.start} 0/1`]);
    await ledger.pool.query('UPDATE searchmill.jobs SET removed_at = NULL WHERE name = $1', [job.name]);
    await loadTwo(job);
    expect(await differences(undefined, true)).toEqual([]);
  });
});

describe('the digest of a row', () => {
  it.each(DATASETS.map(({ name }) => [name] as const))(
    'of %s differs when any one column does, and NULLs in different columns give different digests',
    async (name) => {
      const dataset = DATASETS.find((each) => each.name === name);
      if (!dataset) throw new Error(`no dataset ${name}`);
      const given: Readonly<Record<string, string>> = {
        text: "'a'",
        integer: '1',
        bigint: '1',
        'double precision': '1',
        boolean: 'true',
        date: "'2026-11-08'",
      };
      const columns = dataset.columns.filter(({ isIdentity }) => !isIdentity);
      const rowWith = (changed: string | undefined): string =>
        [
          ...dataset.columns.map(({ name: column, pg }) => `${column === changed ? given[pg] : 'NULL'}::${pg} AS ${column}`),
          `${changed === '_extra' ? `'{}'` : 'NULL'}::jsonb AS _extra`,
          `'${changed === '_key' ? '1' : '0'}0000000-0000-0000-0000-000000000000'::uuid AS _key`,
        ].join(', ');
      const variants = [undefined, ...columns.map(({ name: column }) => column), '_extra', '_key'];
      const { rows } = await ledger.pool.query<{ digests: number }>(
        `SELECT count(DISTINCT ${rowDigest(dataset, 't')}) AS digests FROM (${variants.map((each) => `SELECT ${rowWith(each)}`).join(' UNION ALL ')}) t`,
      );
      expect(rows[0]?.digests).toBe(variants.length);
    },
  );
});

describe('a running service', () => {
  const { signal } = new AbortController();
  const count = () => verifyDue(ledger.pool, signal);
  const countAll = () => verifyDue(ledger.pool, signal, { newestAgeMs: 0, ageMs: 0 });
  const age = (job: Job, period: string, hours: number) =>
    ledger.pool.query(
      `UPDATE searchmill.published_periods p SET checked_at = clock_timestamp() - make_interval(hours => $3)
         FROM searchmill.slices s WHERE s.id = p.slice_id AND s.job = $1 AND p.period_start = $2`,
      [job.name, period, hours],
    );
  const problemsOf = async (job: Job): Promise<unknown[]> =>
    findProblems(await readStatus(ledger.pool, job.name), new Date())
      .filter(({ kind }) => kind === 'rows-differ')
      .map(({ title, window, commands, severity }) => ({ title: title.replace(/, noticed.*/, ''), window, commands, severity }));

  it('notices rows that were deleted by hand, says so until they are loaded again, and shows them on the board', async () => {
    const job = jobOf();
    await loadTwo(job);
    await countAll();
    expect(await problemsOf(job)).toEqual([]);
    await byHand(job, `DELETE FROM ${TABLE} WHERE OF_JOB AND time_period_start = '${NEXT.start}'`);
    await countAll();
    const problem = {
      title: `${job.name}: the table differs from what was published, in 1 week (${NEXT.start}..${NEXT.end})`,
      window: NEXT,
      commands: [
        `searchmill verify ${job.name}`,
        `searchmill backfill ${job.name} --from ${NEXT.start} --to ${NEXT.start} --reload`,
        `searchmill acknowledge rows-differ ${job.name}`,
      ],
      severity: 'error',
    };
    expect(await problemsOf(job)).toEqual([problem]);
    await countAll();
    expect(await problemsOf(job)).toEqual([problem]);
    const panel = await readFile(new URL('../../../dashboards/data-health/unlike.sql', import.meta.url), 'utf8');
    expect((await ledger.pool.query(panel)).rows).toMatchObject([{ job: job.name, week: NEXT.start, published_rows: 2, rows_in_table: 0 }]);
    await loadTwo(job);
    expect(await problemsOf(job)).toEqual([]);
  });

  it('notices that rows were put back', async () => {
    const job = jobOf();
    await loadTwo(job);
    await ledger.pool.query('CREATE TABLE public.kept AS SELECT * FROM search.keyword_rankings WHERE account_id = $1', [job.accountId]);
    await byHand(job, `DELETE FROM ${TABLE} WHERE OF_JOB`);
    await countAll();
    expect(await problemsOf(job)).toHaveLength(1);
    await ledger.pool.query(`INSERT INTO ${TABLE} SELECT * FROM public.kept; DROP TABLE public.kept`);
    await countAll();
    expect(await problemsOf(job)).toEqual([]);
  });

  it('counts the newest two weeks each hour, the others each day, and weeks just published not at all', async () => {
    const job = jobOf();
    const [old, oldest] = [windowOfWeeks(addDays(WEEK.start, -21), 1), windowOfWeeks(addDays(WEEK.start, -28), 1)];
    await loadTwo(job);
    for (const window of [old, oldest]) await loadWindow(ledger.pool, job, [row(job, 'a', 'x', window.start)], window);
    await count();
    expect(await count()).toBe(0);
    for (const { start } of [WEEK, NEXT, old, oldest]) await age(job, start, 1);
    expect(await count()).toBe(2);
    await age(job, oldest.start, 22);
    expect(await count()).toBe(1);
    expect(await count()).toBe(0);
  });

  it('counts a week that differs each hour, however old it is', async () => {
    const job = jobOf();
    const old = windowOfWeeks(addDays(WEEK.start, -21), 1);
    await loadTwo(job);
    await loadWindow(ledger.pool, job, [row(job, 'a', 'x', old.start)], old);
    await byHand(job, `DELETE FROM ${TABLE} WHERE OF_JOB AND time_period_start = '${old.start}'`);
    await countAll();
    await age(job, old.start, 1);
    expect(await count()).toBe(1);
    await loadWindow(ledger.pool, job, [row(job, 'a', 'x', old.start)], old);
  });

  it('spreads old weeks over rounds by their rows, and takes urgent ones at once', async () => {
    const job = jobOf();
    const old = [-28, -35, -42].map((days) => windowOfWeeks(addDays(WEEK.start, days), 1));
    await loadTwo(job);
    for (const window of old) await loadWindow(ledger.pool, job, [row(job, 'a', 'x', window.start)], window);
    await countAll();
    for (const { start } of [WEEK, NEXT, ...old]) await age(job, start, 22);
    const bounds = { newestAgeMs: 0, ageMs: 21 * HOUR, minRows: 2, share: 0 };
    const due = await readRows(ledger.pool, 'periods/find-due', bounds);
    const own = due.filter(({ accountId }) => accountId === String(job.accountId)).map(({ from }) => from);
    expect(own.toSorted(compareText)).toEqual([old[1]?.start, old[0]?.start, WEEK.start, NEXT.start]);
  });
});

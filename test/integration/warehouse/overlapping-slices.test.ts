import { describe, expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { addDays, weeksOfWindow, windowOfWeeks } from '../../../src/core/weeks.ts';
import type { Execution } from '../../../src/ledger/executions.ts';
import type { RowExtent } from '../../../src/tables/lock-rows.ts';
import { lockRows } from '../../../src/tables/lock-rows.ts';
import { jobOf, publishedRows, useLedger, WEEK } from '../../support/ledger.ts';
import { waitForLock } from '../../support/session.ts';
import { loadWindow, publish, stageWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const row = (job: Job, query: string, title = 'x', start = WEEK.start): unknown[] => wireRow(job, { query, title }, start);
const queries = async (job: Job): Promise<unknown[]> => (await publishedRows(ledger.pool, job, ['query'])).map(({ query }) => query);

describe('two jobs over the same account and week', () => {
  /** Two jobs that differ in their filters only. */
  const two = (): [Job, Job] => {
    const one = jobOf();
    return [one, jobOf({ accountId: one.accountId, filtersDigest: 'other' })];
  };

  it('keep their own rows when the other job is loaded', async () => {
    const { pool } = ledger;
    const [one, other] = two();
    await loadWindow(pool, one, [row(one, 'a'), row(one, 'b')]);
    expect(await loadWindow(pool, other, [row(other, 'c')])).toEqual({ inserted: 1, updated: 0, unchanged: 0, deleted: 0 });
    expect(await loadWindow(pool, one, [row(one, 'a')])).toEqual({ inserted: 0, updated: 0, unchanged: 1, deleted: 1 });
    expect(await queries(one)).toEqual(['a', 'c']);
  });

  it('leave a row to the job that wrote it last', async () => {
    const { pool } = ledger;
    const [one, other] = two();
    await loadWindow(pool, one, [row(one, 'a', 'old'), row(one, 'b')]);
    expect(await loadWindow(pool, other, [row(other, 'a', 'new')])).toMatchObject({ updated: 1 });
    expect(await loadWindow(pool, one, [row(one, 'b')])).toMatchObject({ deleted: 0 });
    expect(await queries(one)).toEqual(['a', 'b']);
    expect(await loadWindow(pool, other, [])).toMatchObject({ deleted: 1 });
    expect(await queries(one)).toEqual(['b']);
  });

  it('that are published at once do not double a row, whichever comes first', async () => {
    const { pool } = ledger;
    for (let round = 0; round < 5; round += 1) {
      const [one, other] = two();
      const rows = (job: Job): unknown[] => Array.from({ length: 60 }, (_, i) => row(job, `q${i}`));
      const first = await stageWindow(pool, one, [rows(one)]);
      const second = await stageWindow(pool, other, [rows(other)]);
      const counts = await Promise.all([publish(pool, one, first), publish(pool, other, second)]);
      expect(counts.map(({ inserted }) => inserted).toSorted((a, b) => a - b)).toEqual([0, 60]);
      expect(await queries(one)).toHaveLength(60);
    }
  });
});

describe('slices of one job that cover the same weeks', () => {
  const month = windowOfWeeks('2026-12-13', 4);
  const weeks = weeksOfWindow(month).map((start) => windowOfWeeks(start, 1));
  const answer = (job: Job, days: readonly string[], title: string): unknown[] =>
    days.flatMap((day) => [row(job, 'a', title, day), row(job, 'b', title, day)]);

  it('replace one another: four weeks by one week each, over the end of a year', async () => {
    const { pool } = ledger;
    const job = jobOf();
    await loadWindow(pool, job, answer(job, weeksOfWindow(month), 'old'), month);
    for (const window of weeks) {
      expect(await loadWindow(pool, job, [row(job, 'a', 'new', window.start)], window)).toEqual({
        inserted: 0,
        updated: 1,
        unchanged: 0,
        deleted: 1,
      });
    }
    expect(await publishedRows(pool, job, ['time_period_start', 'query', 'title'])).toEqual(
      weeks.map(({ start }) => ({ time_period_start: start, query: 'a', title: 'new' })),
    );
  });

  it('replace one another: one week each by four, unchanged rows left alone', async () => {
    const { pool } = ledger;
    const job = jobOf();
    for (const window of weeks) await loadWindow(pool, job, answer(job, [window.start], 'same'), window);
    expect(await loadWindow(pool, job, answer(job, weeksOfWindow(month), 'same'), month)).toEqual({
      inserted: 0,
      updated: 0,
      unchanged: 8,
      deleted: 0,
    });
    expect(await loadWindow(pool, job, answer(job, weeksOfWindow(month).slice(1), 'same'), month)).toMatchObject({
      unchanged: 6,
      deleted: 2,
    });
    expect(await loadWindow(pool, job, [], weeks[1])).toMatchObject({ deleted: 2 });
    expect(await queries(job)).toHaveLength(4);
  });

  it('leave the weeks beside them alone', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const before = windowOfWeeks(addDays(month.start, -7), 1);
    const after = windowOfWeeks(addDays(month.start, 28), 1);
    for (const window of [before, after]) await loadWindow(pool, job, [row(job, 'kept', 'x', window.start)], window);
    await loadWindow(pool, job, answer(job, weeksOfWindow(month), 'x'), month);
    await loadWindow(pool, job, [], month);
    expect(await queries(job)).toEqual(['kept', 'kept']);
  });

  /** Does `work` while somebody else holds what a publish of `own` locks, and ends once `own` has waited for it and is published. */
  async function publishAfter(job: Job, own: Execution, spread: RowExtent | undefined, work: () => Promise<void>): Promise<void> {
    const { pool } = ledger;
    const blocker = await pool.connect();
    try {
      await blocker.query('BEGIN');
      await lockRows(blocker, job.dataset, own, spread);
      await work();
      const waiting = publish(pool, job, own);
      await waitForLock(pool, spread ? 'SELECT CASE WHEN $1 THEN pg_advisory_xact_lock' : 'SELECT pg_advisory_xact_lock');
      await blocker.query('COMMIT');
      expect(await waiting).toMatchObject({ inserted: 1 });
    } finally {
      blocker.release();
    }
  }

  it('are published while another week is being published, and not while their own is', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const next = windowOfWeeks(addDays(WEEK.start, 7), 1);
    const own = await stageWindow(pool, job, [[row(job, 'a')]]);
    const other = await stageWindow(pool, job, [[row(job, 'b', 'x', next.start)]], next);
    await publishAfter(job, own, undefined, async () => expect(await publish(pool, job, other)).toMatchObject({ inserted: 1 }));
  });

  it('wait for a slice that has rows anywhere', async () => {
    const job = jobOf();
    const own = await stageWindow(ledger.pool, job, [[row(job, 'a')]]);
    const spread = { months: [], accounts: [String(job.accountId)], from: addDays(WEEK.start, -3650), to: WEEK.end };
    await publishAfter(job, own, spread, async () => undefined);
  });
});

import { describe, expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { addDays, type Window, windowOfWeeks } from '../../../src/core/weeks.ts';
import { type EmptyWeeks, readEmptyWeeks } from '../../../src/ledger/coverage.ts';
import { markRemovedJobs, recordJob } from '../../../src/ledger/jobs.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { loadWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const FIRST = '2026-10-18';
const week = (number: number): string => addDays(FIRST, 7 * number);

/** Publishes a window with rows in these weeks of it. */
async function load(job: Job, window: Window, full: readonly string[]): Promise<number> {
  await loadWindow(
    ledger.pool,
    job,
    full.map((start) => wireRow(job, { query: 'a' }, start)),
    window,
  );
  const { rows } = await ledger.pool.query<{ id: number }>('SELECT id FROM searchmill.slices WHERE job = $1 AND window_start = $2', [
    job.name,
    window.start,
  ]);
  return rows[0]?.id ?? 0;
}

async function told(job: Job): Promise<EmptyWeeks | undefined> {
  return (await readEmptyWeeks(ledger.pool, { job: job.name }))[0];
}

describe('weeks that are published with no rows', () => {
  it('are reported with the filters of the job, again and again, until rows come', async () => {
    const job = jobOf({ filters: { devices: ['DEKSTOP'] } });
    await load(job, windowOfWeeks(week(0), 1), []);
    await load(job, windowOfWeeks(week(1), 1), []);
    await load(job, windowOfWeeks(week(2), 1), [week(2)]);
    const both = { job: job.name, accountId: job.accountId, filters: job.filters, weeks: 2, first: week(0), last: week(1) };
    expect(await told(job)).toEqual(both);
    await load(job, windowOfWeeks(week(1), 1), []);
    expect(await told(job)).toEqual(both);
    await load(job, windowOfWeeks(week(1), 1), [week(1)]);
    expect(await told(job)).toMatchObject({ weeks: 1, first: week(0), last: week(0) });
    await load(job, windowOfWeeks(week(0), 1), [week(0)]);
    expect(await told(job)).toBeUndefined();
  });

  it('are found in a window with other weeks, and the latest publication counts where windows share a week', async () => {
    const job = jobOf();
    const all = await load(job, windowOfWeeks(week(0), 4), [week(0), week(2)]);
    expect(await told(job)).toMatchObject({ weeks: 2, first: week(1), last: week(3) });
    const one = await load(job, windowOfWeeks(week(1), 1), [week(1)]);
    expect(await told(job)).toMatchObject({ weeks: 1, first: week(3), last: week(3) });
    expect(await readEmptyWeeks(ledger.pool, { slices: [one] })).toEqual([]);
    expect(await readEmptyWeeks(ledger.pool, { slices: [all] })).toMatchObject([{ weeks: 1 }]);
  });

  it('are not reported where the rows of each week are not known, unless there are none at all', async () => {
    const job = jobOf();
    await load(job, windowOfWeeks(week(0), 2), [week(0)]);
    await ledger.pool.query('UPDATE searchmill.slices SET published_week_rows = NULL WHERE job = $1', [job.name]);
    expect(await told(job)).toBeUndefined();
    await load(job, windowOfWeeks(week(2), 2), []);
    await ledger.pool.query('UPDATE searchmill.slices SET published_week_rows = NULL WHERE job = $1', [job.name]);
    expect(await told(job)).toMatchObject({ weeks: 2, first: week(2), last: week(3) });
  });

  it('are not reported of a job that allows them, or is no longer configured', async () => {
    const job = jobOf();
    await load(job, windowOfWeeks(week(0), 1), []);
    await recordJob(ledger.pool, { ...job, allowEmpty: true }, undefined);
    expect(await told(job)).toBeUndefined();
    await recordJob(ledger.pool, job, undefined);
    expect(await told(job)).toBeDefined();
    await markRemovedJobs(ledger.pool, ['another'], 'test');
    expect(await told(job)).toBeUndefined();
  });
});

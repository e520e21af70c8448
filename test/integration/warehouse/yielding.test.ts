// Urgent work does not wait for a backfill: whenever a load has committed pages, it looks whether something
// more urgent is due that nobody takes, and then gives its place.
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import type { LoadReason } from '../../../src/ledger/executions.ts';
import { pause } from '../../../src/ledger/pauses.ts';
import type { Pool } from '../../../src/postgres/pool.ts';
import { drive, findLive, pipelineOn, stepIfLive } from '../../support/drive.ts';
import { jobOf, LEASE, publishedRows, useLedger, WEEK } from '../../support/ledger.ts';
import { scriptService } from '../../support/scripted-service.ts';
import { until } from '../../support/wait.ts';
import { planWindow, submitWindow } from '../../support/window-steps.ts';
import { schemaOf, wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const PAGES = 150;
/** Pages that the service sends beyond those that are committed. */
const MAX_AHEAD = 25;

async function committedPages(pool: Pool, job: string): Promise<number> {
  const { rows } = await pool.query<{ pages: number }>(
    'SELECT e.pages FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id WHERE s.job = $1 AND e.ended_at IS NULL',
    [job],
  );
  return rows[0]?.pages ?? 0;
}

/** A backfill of many pages during whose third page something else, for `reason`, has been due for `dueForMs`. */
async function loadWhileWaiting(reason: LoadReason, dueForMs: number, { isLeased = false, isPaused = false, isElsewhere = false } = {}) {
  const { pool } = ledger;
  const job = jobOf();
  const rows = Array.from({ length: PAGES }, (_, page) => [wireRow(job, { query: `page ${page}` })]);
  const service = scriptService(schemaOf(job.dataset), rows, 0);
  await planWindow(pool, job, WEEK, 'backfill');
  const pipeline = pipelineOn(pool, service);
  const step = () => stepIfLive(pool, pipeline, job.name);
  // Pages that came at once would all be committed together, as would those that come while a slow database commits.
  service.beforeCall = async (call) => {
    const page = Number(/^page .*\/(\d+)$/.exec(call)?.[1] ?? 0);
    if (page === 0) return;
    await systemClock.sleep(5);
    await until('commits', async () => page <= MAX_AHEAD + (await committedPages(pool, job.name)));
  };
  let other: Awaited<ReturnType<typeof submitWindow>> | undefined;
  service.afterCall = async (call) => {
    if (!call.endsWith('/3') || other) return;
    const otherJob = isElsewhere ? jobOf({ connection: 'elsewhere' }) : jobOf();
    other = await submitWindow(pool, otherJob, WEEK, reason);
    if (isPaused) await pause(pool, 'job', otherJob.name);
    await pool.query(
      'UPDATE searchmill.executions SET due_at = clock_timestamp() - make_interval(secs => $2::float8 / 1000), lease_until = $3 WHERE id = $1',
      [other.id, dueForMs, isLeased ? new Date(Date.now() + LEASE.leaseMs) : null],
    );
  };
  await step();
  await step();
  const read = service.calls.length;
  const state = (await findLive(pool, job.name))?.state;
  await pool.query("UPDATE searchmill.executions SET due_at = due_at + interval '1 hour', lease_until = NULL WHERE id = $1", [other?.id]);
  await drive(pool, pipeline, job.name);
  expect(await publishedRows(pool, job, ['query'])).toHaveLength(PAGES);
  return { read, state };
}

it.each(['newest', 'lookback', 'catch_up'] as const)('a backfill yields its place to a load for %s and goes on later', async (reason) => {
  const { read, state } = await loadWhileWaiting(reason, 1_000);
  expect(state).toBe('loading');
  // The pages at hand, and those read while they were committed.
  expect(read).toBeLessThan(PAGES / 2);
});

it.each([
  ['another backfill waits', 'backfill', 1_000, {}],
  ['something urgent is in the hands of another process', 'newest', 1_000, { isLeased: true }],
  ['something urgent is not due yet', 'newest', -30_000, {}],
  ['something urgent waits for another connection', 'newest', 1_000, { isElsewhere: true }],
  ['something urgent is paused', 'newest', 1_000, { isPaused: true }],
] as const)('a backfill goes on while %s', async (_what, reason, dueForMs, circumstances) => {
  const { read, state } = await loadWhileWaiting(reason, dueForMs, circumstances);
  expect({ read, state }).toEqual({ read: PAGES + 1, state: undefined });
});

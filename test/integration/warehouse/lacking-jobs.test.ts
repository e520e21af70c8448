// The statement that finds jobs which lack something, against the plan itself: no job that lacks something may be passed over.
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { HOUR } from '../../../src/core/clock.ts';
import { addDays, windowOfWeeks } from '../../../src/core/weeks.ts';
import { findLacking, readSlices, recordJob, recordJobs } from '../../../src/ledger/jobs.ts';
import type { Expectation } from '../../../src/pipeline/expected-weeks.ts';
import { choosePlan, describeWanted } from '../../../src/pipeline/plan.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const ledger = useLedger();
const TICK = new Date('2026-11-16T06:00:00Z');
const FIRST = '2026-09-06';
const STATES = ['planned', 'in_progress', 'held', 'published', 'failed', 'abandoned'] as const;

type Slice = Readonly<{
  start: string;
  weeks: number;
  runs: readonly (readonly [state: (typeof STATES)[number], hoursAfterTick: number])[];
}>;

async function writeSlice(job: Job, { start, weeks, runs }: Slice): Promise<void> {
  const { pool } = ledger;
  const window = windowOfWeeks(start, weeks);
  const { rows } = await pool.query<{ id: number }>(
    'INSERT INTO searchmill.slices (job, dataset, account_id, window_start, window_end) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING RETURNING id',
    [job.name, job.dataset.name, job.accountId, window.start, window.end],
  );
  const id = rows[0]?.id;
  if (id === undefined) return;
  for (const [at, [state, hours]] of runs.entries()) {
    const hasEnded = ['published', 'failed', 'abandoned'].includes(state);
    // Only the latest execution of a slice may be live.
    if (!hasEnded && at < runs.length - 1) continue;
    const plannedAt = new Date(TICK.getTime() + hours * HOUR);
    const inserted = await pool.query<{ id: number }>(
      `INSERT INTO searchmill.executions (slice_id, connection, reason, priority, filters_digest, request, page_size, max_rejected_share,
         min_keep_share, max_wait, max_submits, state, due_at, planned_at, ended_at, remote_execution_id)
       VALUES ($1, $2, 'newest', 1, $3, '{}', 1000, 0, 0, interval '1 hour', 3, $4, $5, $6, $7, gen_random_uuid()::text) RETURNING id`,
      [
        id,
        job.connection,
        job.filtersDigest,
        state,
        hasEnded || state === 'held' ? null : plannedAt,
        plannedAt,
        hasEnded ? plannedAt : null,
      ],
    );
    if (state === 'published')
      await pool.query('UPDATE searchmill.slices SET published_execution_id = $2, published_at = $3 WHERE id = $1', [
        id,
        inserted.rows[0]?.id,
        plannedAt,
      ]);
  }
}

// What the tests wrote belongs to no load that ever ran.
afterEach(async () => {
  await ledger.pool.query('UPDATE searchmill.slices SET published_execution_id = NULL, published_at = NULL');
  await ledger.pool.query('TRUNCATE searchmill.executions CASCADE');
});

describe('the search for jobs that lack something', () => {
  it('finds every job that lacks weeks, and skips one that has all', async () => {
    const { pool } = ledger;
    const run = fc.tuple(fc.constantFrom(...STATES, 'published' as const, 'published' as const), fc.constantFrom(-200, -1, 0, 1));
    const slice = fc.record({
      start: fc.nat(9).map((week) => addDays(FIRST, 7 * week)),
      weeks: fc.constantFrom(1, 1, 1, 2),
      runs: fc.array(run, { maxLength: 3 }),
    });
    const weeks = Array.from({ length: 10 }, (_, week) => addDays(FIRST, 7 * week));
    const complete = weeks.map((start): Slice => ({ start, weeks: 1, runs: [['published', 1]] }));
    const slices = fc.oneof(
      fc.array(slice, { maxLength: 14 }),
      fc.array(slice, { maxLength: 1 }).map((few) => [...few, ...complete]),
    );
    await fc.assert(
      fc.asyncProperty(
        slices,
        fc.integer({ min: 0, max: 12 }),
        fc.integer({ min: 1, max: 10 }),
        async (written, lookbackWeeks, expected) => {
          const job = { ...jobOf(), lookbackWeeks, since: FIRST };
          await recordJob(pool, job, undefined);
          for (const each of written) await writeSlice(job, each);
          const expectation: Expectation = { tick: TICK, weeks: weeks.slice(0, expected) };
          const wanted = describeWanted(job, expectation);
          if (!wanted) throw new Error('something is expected');
          const isFound = (await findLacking(pool, [wanted])).has(job.name);
          const planned = choosePlan(job, expectation, await readSlices(pool, job.name));
          if (planned.length > 0) expect(isFound).toBe(true);
        },
      ),
      { numRuns: propertyRuns(150), seed: 7 },
    );
    const job = { ...jobOf(), lookbackWeeks: 4, since: FIRST };
    await recordJobs(pool, [{ job, expectedThrough: undefined }]);
    for (const each of complete) await writeSlice(job, each);
    const wanted = describeWanted(job, { tick: TICK, weeks });
    expect(wanted && [...(await findLacking(pool, [wanted]))]).toEqual([]);
  });
});

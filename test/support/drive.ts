// Drives a slice through the pipeline without queue or clock: whatever is live is made due and takes its step, until nothing is.

import { systemClock } from '../../src/core/clock.ts';
import { silentLogger } from '../../src/core/log.ts';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import { createShared } from '../../src/pipeline/shared.ts';
import { runStep } from '../../src/pipeline/step.ts';
import { submitNext } from '../../src/pipeline/submit.ts';
import type { Pool } from '../../src/postgres/pool.ts';
import type { ServiceClient } from '../../src/service/client.ts';

const MAX_STEPS = 200;

/** Without a client it can plan, and no more. */
export function pipelineOn(pool: Pool, client: ServiceClient | undefined, changes: Partial<Pipeline> = {}): Pipeline {
  return {
    pool,
    findClient: () => client,
    ring: async () => undefined,
    owner: 'test',
    leaseMs: 60_000,
    log: silentLogger,
    clock: systemClock,
    random: () => 0.5,
    stopping: new AbortController().signal,
    observer: {},
    shared: createShared(),
    ...changes,
  };
}

type Live = { id: number; state: string; connection: string };

/** The live execution of a job's slices that is not held, if there is one. */
export async function findLive(pool: Pool, job: string): Promise<Live | undefined> {
  const { rows } = await pool.query<Live>(
    `SELECT e.id, e.state, e.connection FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
      WHERE s.job = $1 AND e.ended_at IS NULL AND e.state <> 'held'`,
    [job],
  );
  return rows[0];
}

/** One step of what is live of a job, as if its time had come. */
export async function stepOnce(pipeline: Pipeline, live: Live): Promise<void> {
  if (live.state === 'planned') await submitNext(pipeline, live.connection);
  else await runStep(pipeline, live.id);
}

/** Makes what is live of a job due, and lets leases of the dead run out. */
export async function makeDue(pool: Pool, job: string): Promise<void> {
  await pool.query(
    `UPDATE searchmill.executions e SET due_at = clock_timestamp(), lease_until = NULL
       FROM searchmill.slices s WHERE s.id = e.slice_id AND s.job = $1 AND e.ended_at IS NULL AND e.state <> 'held'`,
    [job],
  );
}

/** One step of what is live of a job, if anything is, as if it were due. */
export async function stepIfLive(pool: Pool, pipeline: Pipeline, job: string): Promise<void> {
  const live = await findLive(pool, job);
  await makeDue(pool, job);
  if (live) await stepOnce(pipeline, live);
}

/** Looks until nothing of the job is live. `pool` is a healthy one, whatever the pipeline's is. */
export async function drive(pool: Pool, pipeline: Pipeline, job: string): Promise<void> {
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    const live = await findLive(pool, job);
    if (!live) return;
    await makeDue(pool, job);
    await stepOnce(pipeline, live);
  }
  throw new Error(`${job} is still live after ${MAX_STEPS} steps`);
}

// The way of a slice through the ledger in single steps, without a service.
import type { Job } from '../../src/config/settings.ts';
import type { Window } from '../../src/core/weeks.ts';
import type { Publication } from '../../src/ledger/execution-histories.ts';
import {
  claimExecution,
  type Execution,
  finishSubmit,
  type LoadReason,
  readExecution,
  releaseLease,
  startSubmit,
} from '../../src/ledger/executions.ts';
import { planChosen, type WantedLoad } from '../../src/ledger/jobs.ts';
import type { Pool } from '../../src/postgres/pool.ts';
import { commitPages } from '../../src/publishing/checkpoint.ts';
import { publishStaged, readStagedFacts } from '../../src/publishing/publish.ts';
import { LEASE, WEEK } from './ledger.ts';
import { decodedPages } from './wire-rows.ts';

/** Plans loads of a job. Returns the executions that are new. */
export async function planLoads(pool: Pool, job: Job, loads: readonly WantedLoad[], plannedAt = new Date()): Promise<number[]> {
  return planChosen(pool, job, { configured: [job], instanceId: 'test', expectedThrough: undefined, plannedAt, choose: () => loads });
}

/** Plans one window of a job. Returns its new execution. Throws when one was live. */
export async function planWindow(pool: Pool, job: Job, window: Window = WEEK, reason: LoadReason = 'newest'): Promise<number> {
  const [id] = await planLoads(pool, job, [{ window, reason }]);
  if (id === undefined) throw new Error('nothing was planned');
  return id;
}

/** Takes the lease on an execution that must be there to be taken. */
export async function claim(pool: Pool, id: number): Promise<Execution> {
  const execution = await claimExecution(pool, id, LEASE);
  if (!execution) throw new Error(`execution ${id} could not be claimed`);
  return execution;
}

/** Plans and submits a window; the execution is in progress and its lease is held. */
export async function submitWindow(pool: Pool, job: Job, window: Window = WEEK, reason: LoadReason = 'newest'): Promise<Execution> {
  const planned = await claim(pool, await planWindow(pool, job, window, reason));
  await startSubmit(pool, planned);
  await finishSubmit(pool, planned, {
    remoteExecutionId: `remote-${planned.id}`,
    requestId: null,
    validityMs: 7 * 86_400_000,
    firstPollMs: 0,
  });
  return claim(pool, planned.id);
}

/** Submits a window and stages rows for it, each list a page. The lease is held. */
export async function stageWindow(pool: Pool, job: Job, pages: readonly (readonly unknown[])[], window: Window = WEEK): Promise<Execution> {
  const execution = await submitWindow(pool, job, window);
  for (const page of decodedPages(job.dataset, pages)) await commitPages(pool, job.dataset, execution, { ...LEASE, pages: [page] });
  return readExecution(pool, execution);
}

/** Publishes what is staged, without an audit. */
export async function publish(pool: Pool, job: Job, execution: Execution): Promise<Publication> {
  return publishStaged(pool, job.dataset, execution, { facts: await readStagedFacts(pool, execution), startedAt: performance.now() });
}

/** The whole way of one window: plan, submit, stage in one page, publish. */
export async function loadWindow(pool: Pool, job: Job, rows: readonly unknown[], window: Window = WEEK): Promise<Publication> {
  return publish(pool, job, await stageWindow(pool, job, [rows], window));
}

/** Gives a lease back, so that the execution can be claimed again at once. */
export async function release(pool: Pool, execution: Execution): Promise<void> {
  await releaseLease(pool, execution);
}

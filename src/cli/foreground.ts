// Work in the foreground, shared by run, backfill and demo: plan with what the verb chooses, work until those slices are
// settled, show progress.
import type { Environment, Job, JobsConfig } from '../config/settings.ts';
import { systemClock } from '../core/clock.ts';
import { createLogger, type Logger, silentLogger } from '../core/log.ts';
import type { IsoDate } from '../core/weeks.ts';
import { type EmptyWeeks, type LiveExecution, readConnections, readLiveExecutions, type WatchedSlice } from '../ledger/coverage.ts';
import { type PlannedSlice, settleJobs, type WantedLoad } from '../ledger/jobs.ts';
import { planJob } from '../pipeline/plan.ts';
import type { Pool } from '../postgres/pool.ts';
import { countWorkers, type Instance, startInstance } from '../queue/instance.ts';
import { DEFAULT_CONCURRENCY } from '../queue/workers.ts';
import { fitConnections } from './fit-connections.ts';
import { commonOptions } from './instance-options.ts';
import { type IdleJob, sortOutIdle } from './loadable-jobs.ts';
import { openTracing } from './open-tracing.ts';
import { type OutlastOptions, outlast } from './outlast.ts';
import { ANSWERS_AGAIN, showProgress } from './progress.ts';
import { requireDatabase, type Terminal } from './terminal.ts';
import { isSettled, waitForLoads } from './watch.ts';
import { finishSummaries } from './weeks-left.ts';

/** Logs go there, beside the results. */
const STANDARD_ERROR = 2;
/** States that neither a refused credential nor a pause stops: a sent submit is waited for, and publishing needs no call. */
const UNDER_WAY: ReadonlySet<string> = new Set(['submitting', 'staged']);

export type Choose = (
  job: Job,
) => Readonly<{ expectedThrough: IsoDate | undefined; choose: (slices: readonly PlannedSlice[]) => readonly WantedLoad[] }>;

/** Logs that do not disturb: none beside a progress display, whose summary says what failed; else separate from the results. */
function openForegroundLog(terminal: Terminal, environment: Environment): Logger {
  if (terminal.isInteractive) return silentLogger;
  return createLogger({ level: environment.logLevel, format: 'json', destination: STANDARD_ERROR });
}

/** How work in the foreground outlives a database that is away, while nothing is drawn. */
export function patienceOf(terminal: Terminal): OutlastOptions {
  return { clock: systemClock, signal: terminal.stopping, onWait: (text) => terminal.warn(text ?? ANSWERS_AGAIN) };
}

/** A process in the foreground with its configuration, and the loads that were under way before it. */
type Started = Readonly<{ instance: Instance; config: JobsConfig; before: readonly LiveExecution[] }>;

/**
 * Starts a process that plans nothing by itself, runs `work`, and stops it. From here on it outlives a database that is away.
 * Throws StoreError when too few connections are left.
 */
export async function withInstance<T>(
  { terminal, environment, config, pool }: Readonly<{ terminal: Terminal; environment: Environment; config: JobsConfig; pool: Pool }>,
  work: (started: Started) => Promise<T>,
): Promise<T> {
  const listeners = environment.redisUrl ? undefined : countWorkers('foreground');
  const plan = await fitConnections(pool, { concurrency: DEFAULT_CONCURRENCY, listeners }, (note) => terminal.warn(`note: ${note}`));
  const log = openForegroundLog(terminal, environment);
  await using tracing = await openTracing(environment, pool, log);
  const options = {
    role: 'foreground' as const,
    ...(tracing && { observer: tracing.pipelineObserver, callObserver: tracing.callObserver }),
    ...commonOptions({ environment, config, databaseUrl: requireDatabase(environment), pool, log }),
    concurrency: plan.concurrency,
    queueConnections: plan.queue,
  };
  // Read before any work starts: staged loads are published within moments.
  const before = await outlast(() => readLiveExecutions(pool), patienceOf(terminal));
  await using instance = await outlast(() => startInstance(options), patienceOf(terminal));
  return await work({ instance, config, before });
}

/** Plans `jobs` as `choose` says, then waits for these loads and for those that were under way. Returns all of them. */
export async function planAndWait(
  terminal: Terminal,
  { instance: { pipeline }, before, config: { jobs: configured } }: Started,
  jobs: readonly Job[],
  choose: Choose,
): Promise<readonly WatchedSlice[]> {
  const { pool } = pipeline;
  const patience = patienceOf(terminal);
  await outlast(() => settleJobs(pool, configured, pipeline.owner), patience);
  const planned: number[] = [];
  for (const job of jobs) {
    const { expectedThrough, choose: chooseLoads } = choose(job);
    planned.push(...(await outlast(() => planJob(pipeline, job, { configured, expectedThrough, choose: chooseLoads }), patience)).planned);
  }
  const names = new Set(jobs.map((job) => job.name));
  const now = await outlast(() => readLiveExecutions(pool), patience);
  const live = [...before, ...now].filter((execution) => names.has(execution.job));
  const executions = [...new Set([...planned, ...live.map((execution) => execution.id)])];
  if (executions.length === 0) return [];
  const busy = new Set(live.map((execution) => execution.job));
  const progress = showProgress(
    terminal,
    jobs.map((job) => job.name).filter((name) => busy.has(name)),
  );
  let stopped: ReadonlyMap<string, string> = new Map();
  const slices = await waitForLoads(pool, executions, {
    ...patience,
    onWait: (text) => progress.note(text),
    onPoll: (slices) => progress.update(slices),
    // Everything left waits for a refused credential or is paused: a person at a prompt should learn that soon.
    isInVain: async (unsettled) => {
      stopped = new Map([...(await readRefused(pool, jobs)), ...(await readPaused(pool, jobs))]);
      return unsettled.every(({ job, state }) => stopped.has(job) && !UNDER_WAY.has(state));
    },
  }).finally(() => progress.finish());
  await finishSummaries(terminal, pool, pipeline.log);
  return slices.map((slice) => (isSettled(slice) ? slice : { ...slice, detail: stopped.get(slice.job) ?? slice.detail }));
}

/** Refused credentials, by job: the load itself may not know yet. */
async function readRefused(pool: Pool, jobs: readonly Job[]): Promise<ReadonlyMap<string, string>> {
  const connections = await readConnections(pool);
  const refused = new Set(connections.filter(({ unauthorizedSince }) => unauthorizedSince).map(({ name }) => name));
  return new Map(
    jobs
      .filter(({ connection }) => refused.has(connection))
      .map(({ name, connection }) => [name, `the service has refused the credential of connection ${connection} (401)`]),
  );
}

/** Jobs that were paused after they were planned, and why they wait. */
async function readPaused(pool: Pool, jobs: readonly Job[]): Promise<ReadonlyMap<string, string>> {
  const { idle } = await sortOutIdle(pool, jobs);
  return new Map(idle.map(({ job, because, advice }) => [job, `it ${because}; ${advice}`]));
}

/** How loads ended, as a script reads it. */
export function loadsAsJson(slices: readonly WatchedSlice[], leftOut: readonly IdleJob[], emptyWeeks: readonly EmptyWeeks[]): unknown {
  return {
    published: slices.filter(({ state }) => state === 'published').length,
    loads: slices.map(({ sliceId: slice, executionId: execution, windowStart: from, windowEnd: to, ...load }) => {
      const { job, state, rowsReceived, rowsQuarantined, detail, waitingFor, objections } = load;
      return { job, from, to, slice, execution, state, rowsReceived, rowsQuarantined, detail, waitingFor, objections };
    }),
    leftOut,
    emptyWeeks,
  };
}

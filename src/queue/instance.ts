// One running Searchmill process: a scheduler, a worker or both. Puts the pieces together, keeps the rounds going
// (reconcile, plan, sign of life) and takes everything down in order.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Job, JobsConfig } from '../config/settings.ts';
import { MINUTE, SECOND, systemClock } from '../core/clock.ts';
import { closing } from '../core/closing.ts';
import { ConfigurationError, describeError } from '../core/errors.ts';
import type { Logger } from '../core/log.ts';
import { Round, type Standing } from '../core/round.ts';
import type { Secret } from '../core/secret.ts';
import type { IsoDate } from '../core/weeks.ts';
import { describeKept } from '../pipeline/expected-weeks.ts';
import { noteStoreError, type Pipeline, type PipelineObserver } from '../pipeline/pipeline.ts';
import { ADOPT_DOMAINS_EVERY_MS, createAdoption } from '../reports/own-domains.ts';
import { SWEEP_REPORTS_EVERY_MS, sweepReports } from '../reports/refresh.ts';
import type { Actor } from '../warehouse/actions.ts';
import { expirePartitions } from '../warehouse/expiry.ts';
import { readLedgerId, removeInstance, reportInstance } from '../warehouse/instances.ts';
import { SWEEP_EVERY_MS, sweepAfterEnd, sweepStaging } from '../warehouse/leftover-staging.ts';
import { applyRetention, RETAIN_EVERY_MS } from '../warehouse/retention.ts';
import { Activity } from './activity.ts';
import { openQueueBackend, type QueueBackend } from './backend.ts';
import { createDoorbell } from './doorbell.ts';
import { BELL_QUEUES, TICK_QUEUE } from './messages.ts';
import { explainQueueError } from './queue-tables.ts';
import { RECONCILE_EVERY_MS, reconcile } from './reconciler.ts';
import { openTickWorker, planAllJobs, reloadWeek, upsertSchedulers } from './scheduler.ts';
import { type ClientsOptions, ServiceClients } from './service-clients.ts';
import { DEFAULT_CONCURRENCY, openBellWorkers } from './workers.ts';

export type Role = 'all' | 'scheduler' | 'worker';

/** Planning again asks a few questions for all jobs together, and makes up for anything that was missed. */
const PLAN_EVERY_MS = 5 * MINUTE;
const REPORT_EVERY_MS = 15 * SECOND;
const QUEUE_ANSWER_MS = 5 * SECOND;
/** Longest a stop waits for the queue once nothing is under way. */
const CLOSING_MS = 2 * SECOND;
/** Schedulers are written again this often, and as soon as a count, which costs less, finds that some are missing. */
const UPSERT_EVERY_MS = 10 * MINUTE;
const COUNT_SCHEDULERS_EVERY_MS = MINUTE;
/** Where nobody says otherwise, the work of a dead process is taken over within this. */
const DEFAULT_TAKE_OVER_MS = 30 * SECOND;
/**
 * What there is between the end of a dead process's lease and the first step of whoever takes over: a round of the
 * reconciler and, should that fail, its repetition; the bell; the claim.
 */
const NOTICING_MS = RECONCILE_EVERY_MS + 5 * SECOND;

export type InstanceOptions = ClientsOptions &
  Readonly<{
    role: Role;
    config: JobsConfig;
    databaseUrl: Secret;
    redisUrl: Secret | undefined;
    log: Logger;
    version: string;
    /** Longest time from a death until the work goes on elsewhere; above 10 s. */
    takeOverMs?: number;
    /** For tests that cannot wait: the lease itself. */
    leaseMs?: number;
    /** Most connections of the Postgres queue, see connection-plan.ts. */
    queueConnections?: number;
    observer?: PipelineObserver;
    /** False for a process that only works on what it has planned itself, such as `run`. */
    isPlanning?: boolean;
  }>;

type Tasks = Pick<InstanceOptions, 'role' | 'isPlanning'>;

/** Whether a process plans when schedules fire, and whether it answers bells. */
const tasksOf = ({ role, isPlanning = true }: Tasks) => ({
  isScheduling: role !== 'worker' && isPlanning,
  isWorking: role !== 'scheduler',
});

/** Workers of the queue that a process has. */
export function countWorkers(tasks: Tasks): number {
  const { isScheduling, isWorking } = tasksOf(tasks);
  return (isWorking ? Object.keys(BELL_QUEUES).length : 0) + (isScheduling ? 1 : 0);
}

/** What health checks ask. */
export type InstanceHealth = Readonly<{
  role: Role;
  /** How the rounds of each kind go; a sign of life is also the proof that the ledger can be written. */
  reconciling: Standing;
  planning: Standing;
  reporting: Standing;
  isStopping: boolean;
}>;

export interface Instance {
  readonly id: string;
  readonly pipeline: Pipeline;
  readonly queueKind: QueueBackend['kind'];
  readonly health: () => InstanceHealth;
  /** Plans every configured job now, as its schedule expects. */
  planNow(): Promise<void>;
  /** Plans a week of a job again. Throws ConfigurationError where this process does not know the job; StoreError. */
  readonly reload: (job: string, week: IsoDate, by: Actor) => Promise<void>;
  /**
   * Goes on with another configuration: loads under way as they began, what follows by the new one. Throws StoreError,
   * ConfigurationError; nothing has changed then.
   */
  readonly configure: (next: JobsConfig) => Promise<void>;
  /** Resolves when the queue answers; throws when it does not. */
  pingQueue(): Promise<void>;
  /** Stops taking work, finishes the page at hand, gives leases back and closes everything but the pool. */
  stop(): Promise<void>;
}

/**
 * Starts a process on a migrated database. Resolves when it takes work.
 * Throws StoreError when the database cannot be used; a queue that is away is waited for.
 */
export async function startInstance(options: InstanceOptions): Promise<Instance & AsyncDisposable> {
  const { role, pool, clock = systemClock, concurrency = DEFAULT_CONCURRENCY } = options;
  let { config } = options;
  const id = `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`;
  const log = options.log.child({ instance: id });
  const stopping = new AbortController();

  const clients = new ServiceClients(options);
  await clients.configure(config.connections);
  const activity = new Activity();
  const tellOfQueue = quietly((error) => log.warn({ err: describeError(error) }, 'queue problem'));
  const opened = await openQueueBackend({
    databaseUrl: options.databaseUrl,
    redisUrl: options.redisUrl,
    ledgerId: await readLedgerId(pool),
    onError: (error) => {
      options.observer?.onQueueError?.();
      tellOfQueue(error);
    },
    maxConnections: options.queueConnections,
  });
  const backend: QueueBackend = {
    ...opened,
    openWorker: (name, answer, own) => opened.openWorker(name, (job) => activity.during(answer(job)), own),
  };
  const bells = { step: backend.openQueue(BELL_QUEUES.step), submits: backend.openQueue(BELL_QUEUES.submits) };
  const ring = createDoorbell(bells, log);
  const pipeline: Pipeline = {
    pool,
    findClient: (connection) => clients.find(connection),
    ring,
    owner: id,
    leaseMs: options.leaseMs ?? (options.takeOverMs ?? DEFAULT_TAKE_OVER_MS) - NOTICING_MS,
    log,
    clock,
    random: options.random ?? Math.random,
    stopping: stopping.signal,
    observer: options.observer ?? {},
  };

  const { isScheduling, isWorking } = tasksOf(options);
  const ticks = isScheduling ? backend.openQueue(TICK_QUEUE) : undefined;
  const answering = isWorking ? openBellWorkers(backend, pipeline, () => config, concurrency) : undefined;
  const workers = [...(answering?.workers ?? []), ...(isScheduling ? [openTickWorker(backend, pipeline, () => config.jobs)] : [])];
  const report = {
    id,
    role,
    host: hostname(),
    pid: process.pid,
    version: options.version,
    // Also of `run` and `backfill`: to a scheduler whose file lacks them their jobs would be removed ones.
    get jobs() {
      return role === 'worker' ? null : config.jobs.map((job) => job.name);
    },
  };

  const onProblem = (what: string, levelOf: (error: unknown) => 'warn' | 'error' = () => 'warn') => {
    const tell = quietly((error) => log[levelOf(error)]({ err: describeError(error) }, what));
    return (error: unknown): void => {
      noteStoreError(pipeline, error);
      tell(error);
    };
  };
  // A mistake of the machine, such as a clock that is ahead, stays until somebody sees to it.
  const levelOfPlanning = (error: unknown) => (error instanceof ConfigurationError ? 'error' : 'warn');
  const onUnplanned = onProblem('planning failed, will be repeated', levelOfPlanning);
  const planning = new Round(PLAN_EVERY_MS, () => planAllJobs(pipeline, config.jobs), onUnplanned);
  const every = (ms: number, work: () => Promise<unknown>, failed: string): Round =>
    new Round(ms, work, onProblem(`${failed}, will be repeated`));
  const reconciling = every(RECONCILE_EVERY_MS, () => reconcile(pool, ring, answering?.isWaiting), 'reconciling failed');
  const sweeping = every(SWEEP_EVERY_MS, () => sweepStaging(pool), 'staging of ended loads could not be removed');
  const summarizing = every(SWEEP_REPORTS_EVERY_MS, () => sweepReports(pool, stopping.signal), 'summaries could not be refreshed');
  const adoptOf = ({ jobs }: JobsConfig) => (role === 'worker' ? async () => undefined : createAdoption(pool, jobs, stopping.signal));
  let adopt = adoptOf(config);
  const adopting = every(ADOPT_DOMAINS_EVERY_MS, () => adopt(), 'own domains could not be written');
  // A queue that hangs must not hold the sign of life back.
  const askQueue = (): Promise<string | null> =>
    Promise.race([
      backend.ping().then(() => null, describeError),
      delay(QUEUE_ANSWER_MS, `it has not answered within ${QUEUE_ANSWER_MS / SECOND} s`, { ref: false }),
    ]);
  const onUnreported = onProblem('no sign of life could be given');
  const reporting = new Round(REPORT_EVERY_MS, async () => reportInstance(pool, report, await askQueue()), onUnreported);
  // Two rounds meet the same problem.
  const tellUnwritten = onProblem('schedules could not be written, will be repeated');
  const onUnwritten = (error: unknown): void => tellUnwritten(explainQueueError(error));
  const planned = (): Job[] => config.jobs.filter((job) => job.isEnabled);
  const upsert = async (): Promise<void> => ticks && upsertSchedulers(ticks, planned());
  const restore = async (): Promise<void> => {
    if ((await ticks?.getJobSchedulersCount()) !== planned().length) await upsert();
  };
  const upserting = new Round(UPSERT_EVERY_MS, upsert, onUnwritten);
  const restoring = new Round(COUNT_SCHEDULERS_EVERY_MS, restore, onUnwritten);
  const retain = async (): Promise<void> => {
    const removed = Object.entries(await applyRetention(pool, config.retention, stopping.signal)).filter(([, rows]) => rows > 0);
    if (removed.length > 0) log.info(Object.fromEntries(removed), 'removed from the ledger what is older than retention says');
    await expirePartitions(pool, () => describeKept(config.jobs, clock.now()), { log, stopping: stopping.signal });
  };
  const retaining = every(RETAIN_EVERY_MS, retain, 'what is older than retention and keep_weeks say could not be removed');
  // Reported first, so that other schedulers know of its jobs before it plans any.
  const rounds = [reporting, ...(isScheduling ? [planning, upserting, restoring] : []), adopting, reconciling, sweeping, summarizing];

  for (const worker of workers) {
    worker.run().catch((error: unknown) => log.error({ err: describeError(error) }, 'a queue worker ended'));
  }
  for (const round of rounds) await round.start();
  // Nothing waits for it.
  if (isScheduling) void retaining.start();
  log.info({ role, queue: backend.kind, jobs: config.jobs.length }, 'started');

  async function configure(next: JobsConfig): Promise<void> {
    await clients.configure(next.connections);
    config = next;
    answering?.resize();
    adopt = adoptOf(next);
    for (const round of [reporting, ...(isScheduling ? [planning, upserting] : []), adopting]) await round.again();
  }

  let stopped: Promise<void> | undefined;
  async function stop(): Promise<void> {
    log.info('stopping: finishing the page at hand');
    stopping.abort();
    await Promise.all([...rounds, retaining].map((round) => round.stop()));
    // BullMQ waits for work that is under way, and for a connection that is just being made again, that one for ever.
    const closed = Promise.allSettled(workers.map((worker) => worker.close()));
    await Promise.race([closed, activity.idle().then(() => delay(CLOSING_MS, undefined, { ref: false }))]);
    await clients.close();
    await Promise.race([
      Promise.allSettled([bells.step, bells.submits, ticks].map((queue) => queue?.close())),
      delay(CLOSING_MS, undefined, { ref: false }),
    ]);
    await backend.close();
    await sweepAfterEnd(pool);
    await removeInstance(pool, id).catch(() => undefined);
    log.info('stopped');
  }

  const instance: Instance = {
    id,
    pipeline,
    queueKind: backend.kind,
    health: () => ({
      role,
      reconciling: reconciling.standing,
      planning: planning.standing,
      reporting: reporting.standing,
      isStopping: stopping.signal.aborted,
    }),
    planNow: async () => {
      await planAllJobs(pipeline, config.jobs);
    },
    reload: (job, week, by) => reloadWeek(pipeline, config.jobs, { job, week, by }),
    configure,
    pingQueue: () => backend.ping(),
    stop: () => (stopped ??= stop()),
  };
  return closing(instance, () => instance.stop());
}

/** Tells of the same problem once a minute at most: a queue that is away says so many times a second. */
function quietly(tell: (error: unknown) => void): (error: unknown) => void {
  const told = new Map<string, number>();
  return (error) => {
    const key = describeError(error);
    const now = Date.now();
    if (now - (told.get(key) ?? 0) < MINUTE) return;
    told.set(key, now);
    tell(error);
  };
}

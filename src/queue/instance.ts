// One running Searchmill process: a scheduler, a worker or both. Assembles the parts, runs its rounds (rounds.ts) and shuts everything
// down in order.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { JobsConfig } from '../config/settings.ts';
import { SECOND, systemClock } from '../core/clock.ts';
import { closing } from '../core/closing.ts';
import { ConfigurationError, describeError } from '../core/errors.ts';
import type { Logger } from '../core/log.ts';
import { RecentlyTold } from '../core/recently-told.ts';
import type { Standing } from '../core/round.ts';
import { Rounds } from '../core/rounds.ts';
import type { Secret } from '../core/secret.ts';
import type { IsoDate } from '../core/weeks.ts';
import type { Actor } from '../ledger/actions.ts';
import { type FailingRound, type InstanceReport, readLedgerId, removeInstance } from '../ledger/instances.ts';
import { sweepAfterEnd } from '../ledger/leftover-staging.ts';
import { noteStoreError, type Pipeline, type PipelineObserver } from '../pipeline/pipeline.ts';
import { createShared } from '../pipeline/shared.ts';
import { Activity } from './activity.ts';
import { openQueueBackend, type QueueBackend, type RingingQueue, type RunningWorker } from './backend/backend.ts';
import { createDoorbell } from './doorbell.ts';
import { BELL_QUEUES, TICK_QUEUE } from './messages.ts';
import { RECONCILE_EVERY_MS } from './reconciler.ts';
import { declareRounds, type Role, type RoundName, SCHEDULING, WORKING } from './rounds.ts';
import { openTickWorker, planAllJobs, reloadWeek } from './scheduler.ts';
import { type ClientsOptions, ServiceClients } from './service-clients.ts';
import { DEFAULT_CONCURRENCY, openBellWorkers } from './workers.ts';

/** Longest time a stop waits for the queue once no work is in progress. */
const CLOSING_MS = 2 * SECOND;
/** Default of `takeOverMs`: another process takes over the work of a dead one within this time. */
const DEFAULT_TAKE_OVER_MS = 30 * SECOND;
/**
 * Time from the end of a dead process's lease to the first step of the process that takes over: one round of the reconciler and, should
 * it fail, its repetition; the bell; the claim.
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
    /** Longest time from the death of a process until its work continues elsewhere; above 10 s. */
    takeOverMs?: number;
    /** For tests that cannot wait: sets the lease time directly. */
    leaseMs?: number;
    /** Most connections of the Postgres queue, see connection-plan.ts. */
    queueConnections?: number;
    observer?: PipelineObserver;
    /** What fails in this process beside its rounds, told with its sign of life. */
    failingBeside?: () => readonly FailingRound[];
    /** Awaited once the instance can report its health, before it plans or works on anything. An error it throws aborts the start. */
    onOpen?: (instance: Instance) => Promise<void>;
  }>;

export function countWorkers(role: Role): number {
  return (WORKING.includes(role) ? Object.keys(BELL_QUEUES).length : 0) + (SCHEDULING.includes(role) ? 1 : 0);
}

/** What health checks read. */
export type InstanceHealth = Readonly<{
  /** State of the process's rounds; the sign of life also proves that the ledger can be written. */
  rounds: Partial<Readonly<Record<RoundName, Standing>>>;
  isStopping: boolean;
}>;

export interface Instance {
  readonly id: string;
  readonly pipeline: Pipeline;
  readonly queueKind: QueueBackend['kind'];
  readonly health: () => InstanceHealth;
  /** Plans every configured job now, according to its schedule. */
  planNow(): Promise<void>;
  /** Plans a week of a job again. Throws ConfigurationError when this process does not know the job or refuses the week; StoreError. */
  readonly reload: (job: string, week: IsoDate, by: Actor) => Promise<void>;
  /**
   * Switches to another configuration: loads in progress continue with the old one, everything later uses the new one. Throws StoreError
   * or ConfigurationError, and then nothing has changed.
   */
  readonly configure: (next: JobsConfig) => Promise<void>;
  /** Resolves when the queue answers; throws when it does not. */
  pingQueue(): Promise<void>;
  /** Stops taking work, finishes the current page, releases leases and closes everything but the pool. */
  stop(): Promise<void>;
}

/**
 * Starts a process on a migrated database. Resolves when it takes work.
 * Throws StoreError when the database cannot be used; an unreachable queue is waited for.
 */
export async function startInstance(options: InstanceOptions): Promise<Instance & AsyncDisposable> {
  const { role, pool, clock = systemClock, concurrency = DEFAULT_CONCURRENCY } = options;
  let { config } = options;
  const id = `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`;
  const log = options.log.child({ instance: id });
  const stopping = new AbortController();

  const shared = createShared();
  const clients = new ServiceClients(options, shared.buffers);
  await clients.configure(config.connections);
  const activity = new Activity();
  const told = new RecentlyTold();
  const tell = (level: 'warn' | 'error', what: string, error: unknown): void => {
    const err = describeError(error);
    if (told.isNews(`${what}: ${err}`)) log[level]({ err }, what);
  };
  const backend = await openBackend(options, activity, (error) => tell('warn', 'queue problem', error));
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
    shared,
  };

  const isScheduling = SCHEDULING.includes(role);
  const ticks = isScheduling ? backend.openQueue(TICK_QUEUE) : undefined;
  const answering = WORKING.includes(role) ? openBellWorkers(backend, pipeline, () => config, concurrency) : undefined;
  const workers = [...(answering?.workers ?? []), ...(isScheduling ? [openTickWorker(backend, pipeline, () => config.jobs)] : [])];

  const declared = declareRounds({
    pipeline,
    config: () => config,
    report: () => reportOf(options, id, config),
    failing: () => [
      ...rounds.failing.map(({ name, failed, failure, since }) => ({ name, what: failed, why: failure, since: since.toISOString() })),
      ...(options.failingBeside?.() ?? []),
    ],
    pingQueue: () => backend.ping(),
    ring,
    isWaiting: answering?.isWaiting,
    ticks,
  });
  const rounds = new Rounds(role, declared, ({ failed }, error) => {
    noteStoreError(pipeline, error);
    // A configuration or machine error persists until somebody fixes it.
    tell(error instanceof ConfigurationError ? 'error' : 'warn', `${failed}, will be repeated`, error);
  });

  async function configure(next: JobsConfig): Promise<void> {
    await clients.configure(next.connections);
    config = next;
    answering?.resize();
    await rounds.configure();
  }

  let stopped: Promise<void> | undefined;
  async function stop(): Promise<void> {
    log.info('stopping: finishing the page at hand');
    stopping.abort();
    await rounds.stop();
    await closeQueue(backend, { workers, queues: [bells.step, bells.submits, ticks], activity, whenIdle: () => clients.close() });
    await sweepAfterEnd(pool);
    await removeInstance(pool, id).catch(() => undefined);
    log.info('stopped');
  }

  const instance: Instance = {
    id,
    pipeline,
    queueKind: backend.kind,
    health: () => ({ rounds: rounds.standings, isStopping: stopping.signal.aborted }),
    planNow: async () => {
      await planAllJobs(pipeline, config.jobs);
    },
    reload: (job, week, by) => reloadWeek(pipeline, config.jobs, { job, week, by }),
    configure,
    pingQueue: () => backend.ping(),
    stop: () => (stopped ??= stop()),
  };
  await options.onOpen?.(instance).catch(async (error: unknown) => {
    await instance.stop();
    throw error;
  });
  for (const worker of workers) {
    worker.run().catch((error: unknown) => log.error({ err: describeError(error) }, 'a queue worker ended'));
  }
  await rounds.start();
  log.info({ role, queue: backend.kind, jobs: config.jobs.length }, 'started');
  return closing(instance, () => instance.stop());
}

/** Opens the queue's backend. Work on its messages counts as activity. Throws StoreError, ConfigurationError. */
async function openBackend(options: InstanceOptions, activity: Activity, tell: (error: Error) => void): Promise<QueueBackend> {
  const backend = await openQueueBackend({
    databaseUrl: options.databaseUrl,
    redisUrl: options.redisUrl,
    ledgerId: await readLedgerId(options.pool),
    onError: (error) => {
      options.observer?.onQueueError?.();
      tell(error);
    },
    maxConnections: options.queueConnections,
  });
  return {
    ...backend,
    openWorker: (name, answer, own) => backend.openWorker(name, (job) => activity.during(answer(job)), own),
  };
}

/** What the process writes about itself with its sign of life. */
function reportOf({ role, version }: InstanceOptions, id: string, config: JobsConfig): InstanceReport {
  return {
    id,
    // The ledger knows no other role; a foreground process does for its jobs what scheduler and worker do.
    role: role === 'foreground' ? 'all' : role,
    host: hostname(),
    pid: process.pid,
    version,
    // Also for `run` and `backfill`: a scheduler whose file lacks these jobs would otherwise mark them as removed.
    jobs: role === 'worker' ? null : config.jobs.map((job) => job.name),
  };
}

type OpenQueueParts = Readonly<{
  workers: readonly RunningWorker[];
  queues: readonly (RingingQueue | undefined)[];
  activity: Activity;
  whenIdle: () => Promise<void>;
}>;

/** Closes workers, queues and backend, and calls `whenIdle` when no work is in progress any more. */
async function closeQueue(backend: QueueBackend, { workers, queues, activity, whenIdle }: OpenQueueParts): Promise<void> {
  // BullMQ waits for work in progress, and also for a connection that is being reopened, possibly for ever.
  const closed = Promise.allSettled(workers.map((worker) => worker.close()));
  await Promise.race([closed, activity.idle().then(() => delay(CLOSING_MS, undefined, { ref: false }))]);
  await whenIdle();
  await Promise.race([Promise.allSettled(queues.map((queue) => queue?.close())), delay(CLOSING_MS, undefined, { ref: false })]);
  await backend.close();
}

// The list of periodic tasks (rounds) of a process, apart from answering bells.
import { setTimeout as delay } from 'node:timers/promises';
import type { Job, JobsConfig } from '../config/settings.ts';
import { MINUTE, SECOND } from '../core/clock.ts';
import { describeError } from '../core/errors.ts';
import type { RoundDeclaration } from '../core/rounds.ts';
import { mapInTurns } from '../core/turns.ts';
import { type FailingRound, type InstanceReport, reportInstance } from '../ledger/instances.ts';
import { SWEEP_EVERY_MS, sweepStaging } from '../ledger/leftover-staging.ts';
import { applyRetention, RETAIN_EVERY_MS } from '../ledger/retention.ts';
import { describeKeptOf } from '../pipeline/expected-weeks.ts';
import type { Pipeline } from '../pipeline/pipeline.ts';
import { ADOPT_SETTINGS_EVERY_MS, createAdoption } from '../reports/adoption.ts';
import { SWEEP_REPORTS_EVERY_MS, sweepReports } from '../reports/refresh.ts';
import { LOOK_EVERY_MS, lookForSignals } from '../signals/look.ts';
import { readRules } from '../signals/rules.ts';
import { expirePartitions } from '../tables/expiry.ts';
import { VERIFY_EVERY_MS, verifyDue } from '../tables/verification-rounds.ts';
import type { RingingQueue } from './backend/backend.ts';
import { RECONCILE_EVERY_MS, reconcile } from './reconciler.ts';
import { planAllJobs, upsertSchedulers } from './scheduler.ts';

/** `foreground`: a process that works on what it planned itself, such as `run`, and plans nothing when schedules fire. */
export type Role = 'all' | 'scheduler' | 'worker' | 'foreground';

export const SCHEDULING: readonly Role[] = ['all', 'scheduler'];
export const WORKING: readonly Role[] = ['all', 'worker', 'foreground'];
/** Not `worker`: its file may lack jobs that other processes plan. */
const KNOWING_JOBS: readonly Role[] = ['all', 'scheduler', 'foreground'];
const EVERY: readonly Role[] = ['all', 'scheduler', 'worker', 'foreground'];

/** Planning again takes a few queries for all jobs together, and catches up on anything that was missed. */
const PLAN_EVERY_MS = 5 * MINUTE;
const REPORT_EVERY_MS = 15 * SECOND;
const QUEUE_ANSWER_MS = 5 * SECOND;
/** How often schedulers are written again; also done as soon as the cheaper count finds that some are missing. */
const UPSERT_EVERY_MS = 10 * MINUTE;
const COUNT_SCHEDULERS_EVERY_MS = MINUTE;

export type RoundName =
  | 'reporting'
  | 'planning'
  | 'upserting'
  | 'restoring'
  | 'adopting'
  | 'reconciling'
  | 'sweeping'
  | 'summarizing'
  | 'signalling'
  | 'retaining'
  | 'verifying';

/** What the rounds of a process need. */
export type RoundParts = Readonly<{
  pipeline: Pipeline;
  /** Returns the current configuration. */
  config: () => JobsConfig;
  report: () => InstanceReport;
  failing: () => readonly FailingRound[];
  pingQueue: () => Promise<void>;
  ring: Parameters<typeof reconcile>[1];
  /** See reconciler.ts; undefined in a process that answers no bells. */
  isWaiting: Parameters<typeof reconcile>[2];
  /** The queue of schedules; undefined in a process that has none. */
  ticks: RingingQueue | undefined;
}>;

/** In the order in which they first run: the sign of life comes first, so that other schedulers know this process's jobs before it plans. */
export function declareRounds(parts: RoundParts): readonly RoundDeclaration<RoundName, Role>[] {
  const { pipeline, config, ticks } = parts;
  const { pool, stopping } = pipeline;
  const rules = readRules();
  const unwritten = 'schedules could not be written';
  return [
    {
      name: 'reporting',
      everyMs: REPORT_EVERY_MS,
      roles: EVERY,
      isConfigured: true,
      run: async () => reportInstance(pool, parts.report(), { queueError: await askQueue(parts), failingRounds: parts.failing() }),
      failed: 'no sign of life could be given',
    },
    {
      name: 'planning',
      everyMs: PLAN_EVERY_MS,
      roles: SCHEDULING,
      isConfigured: true,
      run: () => planAllJobs(pipeline, config().jobs),
      failed: 'planning failed',
    },
    {
      name: 'upserting',
      everyMs: UPSERT_EVERY_MS,
      roles: SCHEDULING,
      isConfigured: true,
      run: () => writeSchedulers(ticks, config()),
      failed: unwritten,
    },
    {
      name: 'restoring',
      everyMs: COUNT_SCHEDULERS_EVERY_MS,
      roles: SCHEDULING,
      run: () => restoreSchedulers(ticks, config()),
      failed: unwritten,
    },
    {
      name: 'adopting',
      everyMs: ADOPT_SETTINGS_EVERY_MS,
      roles: KNOWING_JOBS,
      isConfigured: true,
      run: createAdoption(pool, config, stopping),
      failed: 'own domains and aliases could not be written',
    },
    {
      name: 'reconciling',
      everyMs: RECONCILE_EVERY_MS,
      roles: EVERY,
      run: () => reconcile(pool, parts.ring, parts.isWaiting),
      failed: 'reconciling failed',
    },
    {
      name: 'sweeping',
      everyMs: SWEEP_EVERY_MS,
      roles: EVERY,
      run: () => sweepStaging(pool),
      failed: 'staging of ended loads could not be removed',
    },
    {
      name: 'summarizing',
      everyMs: SWEEP_REPORTS_EVERY_MS,
      roles: EVERY,
      run: () => sweepReports(pool, stopping),
      failed: 'summaries could not be refreshed',
    },
    {
      name: 'signalling',
      everyMs: LOOK_EVERY_MS,
      roles: SCHEDULING,
      isConfigured: true,
      isInBackground: true,
      run: () => lookForSignals(pool, rules, config().signals, { log: pipeline.log, signal: stopping }),
      failed: 'signals could not be looked for',
    },
    {
      name: 'retaining',
      everyMs: RETAIN_EVERY_MS,
      roles: SCHEDULING,
      isInBackground: true,
      run: () => retain(pipeline, config()),
      failed: 'data older than retention and keep_weeks could not be removed',
    },
    {
      name: 'verifying',
      everyMs: VERIFY_EVERY_MS,
      roles: SCHEDULING,
      isInBackground: true,
      run: () => verifyDue(pool, stopping),
      failed: 'the tables could not be compared with what was published',
    },
  ];
}

/** Why the queue cannot be used; null when it can. A queue that hangs must not delay the sign of life. */
function askQueue({ pingQueue }: RoundParts): Promise<string | null> {
  return Promise.race([
    pingQueue().then(() => null, describeError),
    delay(QUEUE_ANSWER_MS, `it has not answered within ${QUEUE_ANSWER_MS / SECOND} s`, { ref: false }),
  ]);
}

const scheduled = ({ jobs }: JobsConfig): Job[] => jobs.filter((job) => job.isEnabled);

async function writeSchedulers(ticks: RingingQueue | undefined, config: JobsConfig): Promise<void> {
  if (ticks) await upsertSchedulers(ticks, scheduled(config));
}

async function restoreSchedulers(ticks: RingingQueue | undefined, config: JobsConfig): Promise<void> {
  if ((await ticks?.getJobSchedulersCount()) !== scheduled(config).length) await writeSchedulers(ticks, config);
}

/** Removes what is older than the configured retention, from the ledger and from the tables. */
async function retain({ pool, log, clock, stopping }: Pipeline, config: JobsConfig): Promise<void> {
  const removed = Object.entries(await applyRetention(pool, config.retention, stopping)).filter(([, rows]) => rows > 0);
  if (removed.length > 0) log.info(Object.fromEntries(removed), 'removed data older than retention from the ledger');
  await expirePartitions(pool, () => mapInTurns(config.jobs, (job) => describeKeptOf(job, clock.now())), { log, stopping });
}

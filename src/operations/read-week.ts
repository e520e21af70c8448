// Reads what the pages of a job and of one of its weeks show.
import { systemClock } from '../core/clock.ts';
import { describeError } from '../core/errors.ts';
import { addDays, daysBetween, type IsoDate } from '../core/weeks.ts';
import { inSnapshot } from '../dashboards/run-panels.ts';
import { readSources } from '../dashboards/sources.ts';
import { datasetNamed } from '../datasets/index.ts';
import { type Action, readActions } from '../ledger/actions.ts';
import { type CoveredWeek, type KnownJob, type LiveExecution, readCoverage, readJobs, readLiveExecutions } from '../ledger/coverage.ts';
import { type ExecutionDrift, type ExecutionHistory, readDriftOf, readExecutionHistories } from '../ledger/execution-histories.ts';
import type { Client, Pool } from '../postgres/pool.ts';
import { inSavepoint } from '../postgres/transaction.ts';
import { type HeldChanges, readHeldChanges } from '../publishing/held-changes.ts';
import { type QuarantinedRow, readQuarantine } from '../publishing/quarantine.ts';

const MAX_EXECUTIONS = 30;
const MAX_QUARANTINED = 20;
const MAX_VALUES = 12;
const MAX_SAMPLES = 20;

export type JobView = Readonly<{
  job: KnownJob;
  /** The filters that a submit of the job would have now. */
  filters: Readonly<Record<string, unknown>>;
  /** Newest first. */
  weeks: readonly CoveredWeek[];
  executions: readonly ExecutionHistory[];
  live: readonly LiveExecution[];
  now: Date;
}>;

/** Returns undefined for a job that the ledger does not know. Throws StoreError. */
export function readJob(pool: Pool, name: string): Promise<JobView | undefined> {
  return inSnapshot(pool, async (client) => {
    const found = await findJob(client, name);
    if (!found) return undefined;
    const weeks = await readCoverage(client, name);
    const executions = await readExecutionHistories(client, name, { maxRows: MAX_EXECUTIONS });
    const live = await readLiveExecutions(client, name);
    return { ...found, weeks: weeks.toReversed(), executions, live, now: systemClock.now() };
  });
}

export type WeekView = Readonly<{
  job: KnownJob;
  filters: Readonly<Record<string, unknown>>;
  /** First day of the week. */
  week: IsoDate;
  /** Undefined for a week that is neither expected nor in the ledger. */
  cover: CoveredWeek | undefined;
  /** Newest first. */
  executions: readonly ExecutionHistory[];
  /** By execution id, like `quarantined`. */
  drift: ReadonlyMap<number, readonly ExecutionDrift[]>;
  quarantined: ReadonlyMap<number, readonly QuarantinedRow[]>;
  /** Newest first. */
  actions: readonly Action[];
  /** What publishing the held answer would change; undefined when none is held, or `heldFailure` is set. */
  held: HeldChanges | undefined;
  /** Why `held` could not be read. */
  heldFailure: string | undefined;
  now: Date;
}>;

/** The week that contains `day`. Returns undefined for a job that the ledger does not know. Throws StoreError. */
export function readWeek(pool: Pool, name: string, day: IsoDate): Promise<WeekView | undefined> {
  return inSnapshot(pool, async (client) => {
    const found = await findJob(client, name);
    if (!found) return undefined;
    const cover = (await readCoverage(client, name)).find(({ week }) => week <= day && day < addDays(week, 7));
    const executions = await readExecutionHistories(client, name, { day, maxRows: MAX_EXECUTIONS });
    const actions = await readActions(client, name, { day, maxRows: MAX_EXECUTIONS });
    const drift = new Map<number, ExecutionDrift[]>();
    const quarantined = new Map<number, QuarantinedRow[]>();
    for (const { executionId, rowsQuarantined } of executions) {
      drift.set(executionId, await readDriftOf(client, executionId));
      if (rowsQuarantined > 0) quarantined.set(executionId, await readQuarantine(client, executionId, MAX_QUARANTINED));
    }
    return {
      ...found,
      // Every week begins a multiple of seven days from the job's "since".
      week: cover?.week ?? addDays(day, -(((daysBetween(found.job.since, day) % 7) + 7) % 7)),
      cover,
      executions,
      actions,
      drift,
      quarantined,
      ...(await readHeld(client, found.job, executions[0])),
      now: systemClock.now(),
    };
  });
}

async function findJob(client: Client, name: string): Promise<Pick<JobView, 'job' | 'filters'> | undefined> {
  // Postgres text cannot contain NUL, and no job's name does.
  if (name.includes('\0')) return undefined;
  const [job] = await readJobs(client, name);
  if (!job) return undefined;
  const sources = await readSources(client, [job.dataset], null);
  return { job, filters: sources.find((source) => source.job === name)?.filters ?? {} };
}

async function readHeld(
  client: Client,
  job: KnownJob,
  newest: ExecutionHistory | undefined,
): Promise<Pick<WeekView, 'held' | 'heldFailure'>> {
  if (newest?.state !== 'held') return { held: undefined, heldFailure: undefined };
  const limits = { maxValues: MAX_VALUES, maxSamples: MAX_SAMPLES };
  let heldFailure: string | undefined;
  const held = await inSavepoint(
    client,
    () => readHeldChanges(client, datasetNamed(job.dataset), { ...newest, job: job.name, accountId: job.accountId }, limits),
    (error) => {
      heldFailure = describeError(error);
      return true;
    },
  );
  return { held, heldFailure };
}

// The past of a job: what each publication changed, what failed or was held, what people did, and what it took to load.
import type { IsoDate } from '../core/weeks.ts';
import { type Action, type ActionName, readActions } from './actions.ts';
import type { StageTimings } from './coverage.ts';
import { type ChangedRows, type ExecutionHistory, readExecutionHistories } from './execution-histories.ts';
import type { LoadReason, SliceWindow } from './executions.ts';
import type { Client, Pool } from './pool.ts';
import { readRows } from './statements.ts';
import type { EndState, LiveState } from './states.ts';

/** What happened to a week of a job: an execution that was held, ended or is under way, or what a person did. */
export type PastEvent = Readonly<{
  at: Date;
  event: EndState | LiveState | ActionName;
  sliceId: number | null;
  executionId: number | null;
  windowStart: IsoDate | null;
  windowEnd: IsoDate | null;
  /** Why the load was planned; null for what somebody did. */
  reason: LoadReason | null;
  /** Who did it; null for what Searchmill did. */
  actor: string | null;
  /** Why it failed, was held or was given up; or the reason that a person gave. */
  detail: string | null;
  /** Of a publication. */
  publishedAt: Date | null;
  quarantined: number | null;
  isApproved: boolean;
}> &
  ChangedRows;

/** The past of a job, newest first; with `day` only of windows that hold it, and what is under way of them, too. Throws StoreError. */
export async function readHistory(
  db: Pool | Client,
  job: string,
  { day, maxRows }: { day?: IsoDate | undefined; maxRows: number },
): Promise<PastEvent[]> {
  const executions = await readExecutionHistories(db, job, { day, maxRows, pastOnly: day === undefined });
  const actions = await readActions(db, job, { day, maxRows });
  // Oldest first, then reversed: a Date has milliseconds only, and of two events in one the later stays the later.
  const events = [...executions.toReversed().flatMap(eventsOf), ...actions.toReversed().map(asEvent)];
  return events
    .sort((a, b) => a.at.getTime() - b.at.getTime())
    .reverse()
    .slice(0, maxRows);
}

const NO_CHANGE = {
  publishedAt: null,
  inserted: null,
  updated: null,
  unchanged: null,
  deleted: null,
  quarantined: null,
  isApproved: false,
};

function eventsOf(execution: ExecutionHistory): PastEvent[] {
  const { sliceId, executionId, windowStart, windowEnd, reason, state, stateSince, heldAt, endedAt, endReason, lastError, publishedAt } =
    execution;
  const about = { sliceId, executionId, windowStart, windowEnd, reason, actor: null };
  const objections = execution.objections?.map(({ message }) => message).join('; ') ?? null;
  const held: PastEvent[] = heldAt === null ? [] : [{ ...about, ...NO_CHANGE, at: heldAt, event: 'held', detail: objections }];
  if (endedAt === null)
    return state === 'held' ? held : [...held, { ...about, ...NO_CHANGE, at: stateSince, event: state, detail: lastError }];
  if (publishedAt === null) return [...held, { ...about, ...NO_CHANGE, at: endedAt, event: state, detail: endReason }];
  const { inserted, updated, unchanged, deleted, rowsQuarantined: quarantined } = execution;
  const isApproved = execution.approvedAt !== null;
  const changed = { publishedAt, inserted, updated, unchanged, deleted, quarantined, isApproved };
  return [...held, { ...about, ...changed, at: publishedAt, event: 'published', detail: null }];
}

function asEvent({ actedAt: at, action: event, actor, reason: detail, ...about }: Action): PastEvent {
  const { sliceId, executionId, windowStart, windowEnd } = about;
  return { ...NO_CHANGE, at, event, actor, detail, sliceId, executionId, windowStart, windowEnd, reason: null };
}

/** What a published load took. */
export type PastLoad = SliceWindow &
  Readonly<{
    executionId: number;
    reason: LoadReason;
    submittedAt: Date | null;
    publishedAt: Date;
    rows: number;
    pages: number;
    /** Of the service's answers. */
    bytes: number;
    /** The submit, polls and pages. */
    calls: number;
    /** From the submit to the publication. */
    durationMs: number | null;
    timings: StageTimings;
  }>;

/** The loads of a job, or of all, that were published last; the latest first. */
export const readLastLoads = (pool: Pool, maxRows: number, job?: string): Promise<PastLoad[]> =>
  readRows(pool, 'publications/read-last-loads', { job, maxRows });

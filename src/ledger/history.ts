// The past of a job: what each publication changed, what failed or was held, what people did, and the cost of its loads.
import type { IsoDate } from '../core/weeks.ts';
import type { Client, Pool } from '../postgres/pool.ts';
import { readRows } from '../postgres/statements.ts';
import { type Action, type ActionName, readActions } from './actions.ts';
import type { StageTimings } from './coverage.ts';
import { type ChangedRows, type ExecutionHistory, readExecutionHistories } from './execution-histories.ts';
import type { LoadReason, SliceWindow } from './executions.ts';
import type { EndState, LiveState } from './states.ts';

/** An event in the history of a week of a job: an execution that was held, ended or is in progress, or a person's action. */
export type PastEvent = Readonly<{
  at: Date;
  event: EndState | LiveState | ActionName;
  sliceId: number | null;
  executionId: number | null;
  windowStart: IsoDate | null;
  windowEnd: IsoDate | null;
  /** Why the load was planned; null for a person's action. */
  reason: LoadReason | null;
  /** Who did it; null for Searchmill itself. */
  actor: string | null;
  /** Why it failed, was held or was given up; or the reason that a person gave. */
  detail: string | null;
  /** Set for a publication. */
  publishedAt: Date | null;
  quarantined: number | null;
  isApproved: boolean;
}> &
  ChangedRows;

/** The past of a job, newest first; with `day`, only windows that contain it, including loads in progress. Throws StoreError. */
export async function readHistory(
  db: Pool | Client,
  job: string,
  { day, maxRows }: { day?: IsoDate | undefined; maxRows: number },
): Promise<PastEvent[]> {
  const executions = await readExecutionHistories(db, job, { day, maxRows, pastOnly: day === undefined });
  const actions = await readActions(db, job, { day, maxRows });
  // Sorted with the oldest first, then reversed: a Date has milliseconds only, and of two events in the same one the later must stay later.
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

/** The cost of a published load. */
export type PastLoad = SliceWindow &
  Readonly<{
    executionId: number;
    reason: LoadReason;
    submittedAt: Date | null;
    publishedAt: Date;
    rows: number;
    pages: number;
    /** Size of the service's answers. */
    bytes: number;
    /** The submit, polls and pages. */
    calls: number;
    /** From submit to publication. */
    durationMs: number | null;
    timings: StageTimings;
  }>;

/** The most recently published loads of a job, or of all; newest first. */
export const readLastLoads = (pool: Pool, maxRows: number, job?: string): Promise<PastLoad[]> =>
  readRows(pool, 'publications/read-last-loads', { job, maxRows });

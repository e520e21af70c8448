// All executions of a week, for the page about it: why each was made, its times by stage, its calls and counts.
import type { IsoDate } from '../core/weeks.ts';
import type { Client, Pool } from '../postgres/pool.ts';
import { readRows } from '../postgres/statements.ts';
import type { StageTimings } from './coverage.ts';
import type { LoadReason, SubmitOutcome } from './executions.ts';
import type { EndState, LiveState } from './states.ts';

export type ExecutionHistory = Readonly<{
  executionId: number;
  sliceId: number;
  windowStart: IsoDate;
  windowEnd: IsoDate;
  reason: LoadReason;
  state: LiveState | EndState;
  stateSince: Date;
  connection: string;
  plannedAt: Date;
  submitStartedAt: Date | null;
  /** When its submit was answered in a way that a query may have begun. */
  submittedAt: Date | null;
  /** Outcome of its submit; null when none was sent or the outcome was not recorded. */
  submitOutcome: SubmitOutcome | null;
  /** When the first page was committed. */
  loadStartedAt: Date | null;
  stagedAt: Date | null;
  heldAt: Date | null;
  approvedAt: Date | null;
  endedAt: Date | null;
  endReason: string | null;
  dueAt: Date | null;
  expiresAt: Date | null;
  /** The service's own identifiers. */
  remoteExecutionId: string | null;
  remoteRequestId: string | null;
  /** The submit body. */
  request: Readonly<Record<string, unknown>>;
  filtersDigest: string;
  pages: number;
  rowsReceived: number;
  rowsStaged: number;
  rowsQuarantined: number;
  bytesReceived: number;
  /** As announced by the service; null when it announced none. */
  totalRowCount: number | null;
  submitCalls: number;
  pollCalls: number;
  pageCalls: number;
  waitingFor: string | null;
  lastError: string | null;
  lastErrorAt: Date | null;
  errorsInRow: number;
  leaseTakings: number;
  objections: readonly { rule: string; message: string }[] | null;
  timings: StageTimings;
  publishedAt: Date | null;
  /** Whether the table holds its rows. */
  isInTable: boolean | null;
}> &
  ChangedRows;

/** Effect of a publication on the table, in rows. */
export type Publication = Readonly<{ inserted: number; updated: number; unchanged: number; deleted: number }>;

/** Row counts of a publication; null when nothing was published. */
export type ChangedRows = Readonly<Record<keyof Publication, number | null>>;

/**
 * Executions of a job, newest first; with `day`, only those whose window contains it. `pastOnly` leaves out those in progress unless they
 * are held, and puts those that ended or were held last first. Throws StoreError.
 */
export const readExecutionHistories = (
  db: Pool | Client,
  job: string,
  { day, maxRows, pastOnly = false }: { day?: IsoDate | undefined; maxRows: number; pastOnly?: boolean },
): Promise<ExecutionHistory[]> => readRows(db, 'executions/read-histories', { job, day, maxRows, pastOnly });

export type ExecutionDrift = Readonly<{ kind: string; column: string; page: number; detail: string }>;

/** How the schemas of its pages differed from the expected one. Throws StoreError. */
export const readDriftOf = (db: Pool | Client, executionId: number): Promise<ExecutionDrift[]> =>
  readRows(db, 'drift/read-of-execution', { executionId });

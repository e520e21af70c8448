// What the client returns to the pipeline: the service's execution record, already validated.
import type { PageRows, SpooledRows } from '../codec/page-rows.ts';
import type { WireColumn } from './wire.ts';

/** Milliseconds from the request for a permit to the permit, and from there to the complete answer. */
export type CallTiming = Readonly<{ waitedMs: number; durationMs: number }>;

/** One page of a completed execution. */
export type Page = Readonly<{
  /** Rows as the service sent them; the decoder checks each. */
  rows: PageRows | SpooledRows;
  /** The columns of the rows, in order. Empty when the answer has no schema: then the schema of the previous page applies. */
  schema: readonly WireColumn[];
  /** Token of the next page, or null when this is the last. */
  nextPageId: string | null;
  /** Rows over all pages, exact to int64; null when the service did not say. */
  totalRowCount: bigint | null;
  /** What the service sent when it was neither absent nor a count, shortened; totalRowCount is null then. */
  unreadableRowCount?: string;
  requestId: string | null;
  /** Size of the decompressed body. */
  bytes: number;
  /** Milliseconds its call waited for a permit. */
  waitMs: number;
  /** Milliseconds from the permit to the complete answer. */
  networkMs: number;
}>;

/** The answer to a poll, by state; the HTTP status does not matter. */
export type PollAnswer =
  | Readonly<{ state: 'in_progress'; requestId: string | null }>
  | Readonly<{ state: 'completed'; page: Page }>
  | Readonly<{ state: 'failed'; message: string | null; requestId: string | null }>;

/** The answer to a submit that the service accepted. A query that failed at once has spent its submit all the same. */
export type SubmitAnswer =
  | Readonly<{ state: 'accepted'; executionId: string; requestId: string | null }>
  | Readonly<{ state: 'failed'; executionId: string | null; message: string | null; requestId: string | null }>;

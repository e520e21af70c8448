// What the client returns: the service's execution record, already checked for sense, as the pipeline reads it.
import type { PageRows, SpooledRows } from '../codec/page-rows.ts';
import type { WireColumn } from './wire.ts';

/** Milliseconds from wish to permit, and from there to the whole answer. */
export type CallTiming = Readonly<{ waitedMs: number; durationMs: number }>;

/** One page of a completed execution. */
export type Page = Readonly<{
  /** Rows as they came; the decoder checks each. */
  rows: PageRows | SpooledRows;
  /** The columns of its rows, in their order. Empty when the answer has none: then the schema of the page before holds. */
  schema: readonly WireColumn[];
  /** Token of the next page, or null when this is the last. */
  nextPageId: string | null;
  /** Rows over all pages, exact to int64; null when the service did not say. */
  totalRowCount: bigint | null;
  /** What the service said instead of a count, cut short, when it was neither absent nor a count; totalRowCount is null then. */
  unreadableRowCount?: string;
  requestId: string | null;
  /** Size of the decompressed body. */
  bytes: number;
  /** Milliseconds its call waited for a permit. */
  waitMs: number;
  /** Milliseconds from the permit to the whole answer. */
  networkMs: number;
}>;

/** The answer to a poll, by state, whatever the HTTP status was. */
export type PollAnswer =
  | Readonly<{ state: 'in_progress'; requestId: string | null }>
  | Readonly<{ state: 'completed'; page: Page }>
  | Readonly<{ state: 'failed'; message: string | null; requestId: string | null }>;

/** The answer to a submit that was taken. A query that failed at once was spent all the same. */
export type SubmitAnswer =
  | Readonly<{ state: 'accepted'; executionId: string; requestId: string | null }>
  | Readonly<{ state: 'failed'; executionId: string | null; message: string | null; requestId: string | null }>;

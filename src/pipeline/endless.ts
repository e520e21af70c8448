// Detects loads that would never end: cursors that form a cycle, more rows than announced, or a long run of empty pages. The
// checks use only state that is in the ledger, so they work across turns, processes and restarts. Retrying the page would not
// help, so the load ends.
import { type ErrorContext, ProtocolError } from '../core/errors.ts';
import type { Progress } from '../publishing/checkpoint.ts';
import { digestToken } from '../service/pages.ts';

/** Most empty pages in a row. Services have sent dozens of them when a filter matched nothing. */
export const MAX_EMPTY_PAGES = 1_000;

/**
 * Detects a cycle of cursors of any length with one stored digest (R. Brent, 1980). The anchor is the cursor of the last page
 * whose number is a power of two. A cycle is found after at most three times the number of pages before it and in it.
 */
export class CircleWatch {
  #anchor: string | null;

  /** `anchor` is the digest kept from earlier pages; null before the first page. */
  constructor(anchor: string | null) {
    this.#anchor = anchor;
  }

  get anchor(): string | null {
    return this.#anchor;
  }

  /** Adds the cursor that follows page `number`. Throws ProtocolError when the cursor closes a cycle. */
  add(number: number, cursor: string, context: ErrorContext): void {
    const digest = digestToken(cursor);
    if (digest === this.#anchor) throw endless(`page ${number} points back to a page that was already read`, context);
    if (Number.isInteger(Math.log2(number))) this.#anchor = digest;
  }
}

/** Call it when another page is offered. Throws ProtocolError when there are too many rows, or too many empty pages in a row. */
export function checkProgress({ rowsReceived, announced, emptyPages }: Progress, pages: number, context: ErrorContext): void {
  if (announced !== null && BigInt(rowsReceived) > BigInt(announced)) {
    throw endless(
      `the service said, or was asked for, ${announced} rows, sent ${rowsReceived} on ${pages} pages, and offers another page`,
      context,
    );
  }
  if (emptyPages > MAX_EMPTY_PAGES) throw endless(`the last ${emptyPages} of ${pages} pages have no rows`, context);
}

function endless(what: string, context: ErrorContext): ProtocolError {
  return new ProtocolError(`${what}; the load would never end. Report it to the service`, { context, isLasting: true });
}

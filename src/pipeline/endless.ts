// Loads that would never end: pages that lead in a circle, more rows than there are, or page after page without rows. Seen from
// what the ledger keeps, so that turns, processes and restarts make no difference. Asking for the next page would bring the
// same, so the load ends.
import { type ErrorContext, ProtocolError } from '../core/errors.ts';
import { digestToken } from '../service/pages.ts';
import type { Progress } from '../warehouse/staging.ts';

/** Pages in a row without a row. Services have sent dozens, where a filter leaves nothing. */
export const MAX_EMPTY_PAGES = 1_000;

/**
 * Finds pages that lead in a circle of any length with one digest (R. Brent, 1980): a cursor is kept from the last page whose
 * number is a power of two, until the next such page. After three times the pages before and in the circle it has come again.
 */
export class CircleWatch {
  #anchor: string | null;

  /** `anchor` is that of the pages before, null before the first. */
  constructor(anchor: string | null) {
    this.#anchor = anchor;
  }

  get anchor(): string | null {
    return this.#anchor;
  }

  /** Takes in the cursor behind page `number`. Throws ProtocolError when it leads in a circle. */
  add(number: number, cursor: string, context: ErrorContext): void {
    const digest = digestToken(cursor);
    if (digest === this.#anchor) throw endless(`page ${number} points back to a page that was already read`, context);
    if (Number.isInteger(Math.log2(number))) this.#anchor = digest;
  }
}

/** Throws ProtocolError when a load has more than it should have, or nothing for long, and a further page is offered. */
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

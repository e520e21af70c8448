// Opaque page tokens: the start of the page, signed together with its execution. Tokens need not be remembered, so any number of them stay
// usable as long as their execution. Source: service specification, "Query execution" (nextPageId).
import { createHmac, randomBytes } from 'node:crypto';
import type { PageStart } from '../queries/pages.ts';

const SIGNATURE_LENGTH = 22;

export class PageTokens {
  readonly #secret = randomBytes(32);

  /** Each `variant`, a number or digits, gives the same place another token. */
  issue(executionId: string, { unit, offset, rowsBefore }: PageStart, variant?: number | string): string {
    const parts = [unit, offset, rowsBefore, ...(variant === undefined ? [] : [variant])];
    const place = Buffer.from(parts.join('.')).toString('base64url');
    return `${this.#sign(executionId, place)}${place}`;
  }

  /** The place that a token stands for; undefined when it was not issued for this execution. */
  read(executionId: string, token: string): PageStart | undefined {
    const place = token.slice(SIGNATURE_LENGTH);
    if (this.#sign(executionId, place) !== token.slice(0, SIGNATURE_LENGTH)) return undefined;
    const [unit = 0, offset = 0, rowsBefore = 0] = Buffer.from(place, 'base64url').toString().split('.').map(Number);
    return { unit, offset, rowsBefore };
  }

  /** The variant of an issued token; 0 when it has none. */
  variantOf(token: string): number {
    return Number(Buffer.from(token.slice(SIGNATURE_LENGTH), 'base64url').toString().split('.')[3] ?? 0);
  }

  #sign(executionId: string, place: string): string {
    return createHmac('sha256', this.#secret).update(`${executionId} ${place}`).digest('base64url').slice(0, SIGNATURE_LENGTH);
  }
}

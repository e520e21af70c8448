// Reads the Retry-After header. Source: RFC 9110, 10.2.3; the specification does not say which form the service uses.
import { type Clock, HOUR, SECOND } from '../core/clock.ts';

/** Upper limit of a requested pause: the service's limits are per minute, so more is a mistake, and asking again is cheap. */
export const MAX_RETRY_AFTER_MS = HOUR;

const SECONDS = /^\d+(\.\d+)?$/;
const HAS_ZONE = /(GMT|UTC|Z|[+-]\d{2}:?\d{2})$/i;

type Headers = Readonly<{ 'retry-after'?: string | string[] | null | undefined; date?: string | string[] | null | undefined }>;

/**
 * Milliseconds to wait according to the Retry-After header: seconds, or an HTTP date. A date is relative to the answer's own Date header, so
 * that clock differences do not matter; without one, to `clock`. Undefined when the header is absent or invalid, and when it asks for no
 * wait: obeying that would make calls fail as fast as they can be made.
 */
export function parseRetryAfter(headers: Headers, clock: Clock): number | undefined {
  const text = firstOf(headers['retry-after']);
  if (!text) return undefined;
  const sentAt = parseHttpDate(firstOf(headers.date) ?? '') ?? clock.now().getTime();
  const waitMs = SECONDS.test(text) ? Math.ceil(Number(text) * SECOND) : (parseHttpDate(text) ?? sentAt) - sentAt;
  return waitMs > 0 ? Math.min(waitMs, MAX_RETRY_AFTER_MS) : undefined;
}

const firstOf = (header: Headers['date']): string | undefined => (Array.isArray(header) ? header[0] : header)?.trim();

/** Accepts all three HTTP date formats; a date without a zone is GMT. */
function parseHttpDate(text: string): number | undefined {
  // Every HTTP date begins with a day name; Date.parse alone would accept "-5" as a date.
  const at = /^[A-Za-z]/.test(text) ? Date.parse(HAS_ZONE.test(text) ? text : `${text} GMT`) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

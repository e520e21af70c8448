// Reads the Retry-After header. Source: RFC 9110, 10.2.3; the specification does not say which of its forms the service uses.
import { type Clock, HOUR, SECOND } from '../core/clock.ts';

/** Longest pause a header can ask for: its limits are per minute, so more is a mistake, and asking again is cheap. */
export const MAX_RETRY_AFTER_MS = HOUR;

const SECONDS = /^\d+(\.\d+)?$/;
const HAS_ZONE = /(GMT|UTC|Z|[+-]\d{2}:?\d{2})$/i;

/**
 * Milliseconds to wait by a Retry-After header: seconds, or an HTTP date in any of its three formats (one without a
 * zone is GMT). A date in the past is 0; undefined when the header is absent or makes no sense.
 */
export function parseRetryAfter(header: string | string[] | undefined, clock: Clock): number | undefined {
  const text = (Array.isArray(header) ? header[0] : header)?.trim();
  if (!text) return undefined;
  if (SECONDS.test(text)) return Math.min(Math.ceil(Number(text) * SECOND), MAX_RETRY_AFTER_MS);
  // Every HTTP date begins with the name of its day; Date.parse alone would take "-5" for a date.
  const at = /^[A-Za-z]/.test(text) ? Date.parse(HAS_ZONE.test(text) ? text : `${text} GMT`) : Number.NaN;
  if (Number.isNaN(at)) return undefined;
  return Math.min(Math.max(0, at - clock.now().getTime()), MAX_RETRY_AFTER_MS);
}

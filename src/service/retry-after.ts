// Reads the Retry-After header. Source: RFC 9110, 10.2.3; the specification does not say which of its forms the service uses.
import { type Clock, HOUR, SECOND } from '../core/clock.ts';

/** Longest pause a header can ask for: its limits are per minute, so more is a mistake, and asking again is cheap. */
export const MAX_RETRY_AFTER_MS = HOUR;

const SECONDS = /^\d+(\.\d+)?$/;
const HAS_ZONE = /(GMT|UTC|Z|[+-]\d{2}:?\d{2})$/i;

type Headers = Readonly<{ 'retry-after'?: string | string[] | null | undefined; date?: string | string[] | null | undefined }>;

/**
 * Milliseconds to wait by the Retry-After header of an answer: seconds, or an HTTP date, which counts from the answer's own Date, so that
 * it does not matter whose clock is wrong; without one from `clock`. Undefined when the header is absent or makes no sense, and when it
 * asks for no wait at all: taken at its word, calls would be refused as fast as they can be made.
 */
export function parseRetryAfter(headers: Headers, clock: Clock): number | undefined {
  const text = firstOf(headers['retry-after']);
  if (!text) return undefined;
  const sentAt = parseHttpDate(firstOf(headers.date) ?? '') ?? clock.now().getTime();
  const waitMs = SECONDS.test(text) ? Math.ceil(Number(text) * SECOND) : (parseHttpDate(text) ?? sentAt) - sentAt;
  return waitMs > 0 ? Math.min(waitMs, MAX_RETRY_AFTER_MS) : undefined;
}

const firstOf = (header: Headers['date']): string | undefined => (Array.isArray(header) ? header[0] : header)?.trim();

/** Any of its three formats; one without a zone is GMT. */
function parseHttpDate(text: string): number | undefined {
  // Every HTTP date begins with the name of its day; Date.parse alone would take "-5" for a date.
  const at = /^[A-Za-z]/.test(text) ? Date.parse(HAS_ZONE.test(text) ? text : `${text} GMT`) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

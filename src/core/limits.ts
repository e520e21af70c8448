// The service's published limits. Source: service specification, "Limits". They are in core because
// the configuration checks against them, and client and sandbox enforce them.
import { DAY } from './clock.ts';

/** The two kinds of calls that are limited separately: submits; polls and pages together. */
export type CallKind = 'submit' | 'read';
export const CALL_KINDS: readonly CallKind[] = ['submit', 'read'];

/** Calls per minute and credential that the service refuses to exceed. */
export const HARD_LIMITS: Readonly<Record<CallKind, number>> = { submit: 40, read: 5000 };
/** Calls per minute and credential that the service asks for. */
export const RECOMMENDED_LIMITS: Readonly<Record<CallKind, number>> = { submit: 5, read: 1000 };

/** Rows of one page. */
export const PAGE_SIZE = { min: 1, max: 1000, default: 1000 } as const;

/** Most days of one query's period. Source: the vendor's public documentation of one dataset. */
export const MAX_PERIOD_DAYS = 92;
/** Most whole weeks that fit into a query's period. */
export const MAX_WEEKS_PER_QUERY = Math.floor(MAX_PERIOD_DAYS / 7);

/** How long an executionId and its page tokens stay usable, in milliseconds. */
export const EXECUTION_VALIDITY_MS = 7 * DAY;

/**
 * The longest time from the request for a permit to the first byte on the wire, in milliseconds. The
 * client discards older permits.
 */
export const PERMIT_VALID_MS = 500;

/**
 * The longest time from the request for a permit to the call's arrival at the service, in milliseconds. The ledger keeps a slot closed for a
 * minute plus this time, and a call that is answered later counts from its answer on, since lost packets are sent again. Together
 * these rules keep every sliding minute, as the service sees it, within the limit.
 */
export const ARRIVAL_MS = 2 * PERMIT_VALID_MS;

// Turns what node-postgres throws into an error of ours, which says whether it passes by itself, what happened, and what helps.
import pg from 'pg';
import { withAdvice } from '../core/advice.ts';
import { type ErrorContext, isPassing, SearchmillError, StoreError } from '../core/errors.ts';
import { explainRefusal, isPoolerFailure } from './connection-errors.ts';
import type { FailedStatement } from './failed-objects.ts';
import { adviceAgainst, passingMeaning } from './sqlstates.ts';

/** What JavaScript throws for mistakes in code. A transaction makes a StoreError of whatever is thrown in it. */
const MISTAKES = [TypeError, SyntaxError, RangeError, ReferenceError];
/** Failures of the network below Postgres, and the texts node-postgres uses for a connection that went away. */
const TRANSIENT_SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
]);
const TRANSIENT_MESSAGES =
  /connection terminated|error establishing an SSL connection|timeout exceeded when trying to connect|connection timeout|query read timeout|client has encountered a connection error|client was closed/i;

/** Turns whatever node-postgres threw into a StoreError; errors of our own pass unchanged. */
export function asStoreError(error: unknown, context: ErrorContext = {}): SearchmillError {
  if (error instanceof SearchmillError) return error;
  const code = (error as { code?: unknown } | null)?.code;
  const message = error instanceof Error ? error.message : String(error);
  const refusal = explainRefusal(code, message);
  if (refusal !== undefined) return new StoreError(refusal, { retryable: false, context, cause: error });
  const meaning = meaningOf(code, error);
  const isTransient =
    meaning !== undefined || (typeof code === 'string' && TRANSIENT_SYSTEM_CODES.has(code)) || TRANSIENT_MESSAGES.test(message);
  const about = meaning ?? (isTransient ? 'the database cannot be reached' : 'the database refused');
  const shown = message || (typeof code === 'string' ? code : 'no message');
  const advice = typeof code === 'string' ? adviceAgainst(code, { ...(error as Partial<FailedStatement>), message }) : undefined;
  return new StoreError(withAdvice(`${about}: ${shown}`, advice), { retryable: isTransient, context, cause: error });
}

/** What passes by itself; undefined for what else there is. */
function meaningOf(code: unknown, error: unknown): string | undefined {
  if (isPoolerFailure(code, error)) return 'the pooler has no server';
  if (isRefusedByNode(error)) return 'a node of the Citus cluster refused rows';
  return passingMeaning(String(code));
}

/** Whether the database failed, or was not reached; not a mistake in our own code. */
export function isStoreFailure(error: unknown): boolean {
  if (error instanceof StoreError) return !MISTAKES.some((kind) => error.cause instanceof kind);
  return error instanceof pg.DatabaseError || isPassing(asStoreError(error));
}

/** Whether a statement failed because a row with the same unique key is there; with Citus, whether it may have. */
export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === '23505' || isRefusedByNode(error);
}

/** A node of a Citus cluster refused rows. The coordinator passes on its words, but not its code. */
function isRefusedByNode(error: unknown): boolean {
  const { code, routine } = causeOf(error);
  return code === 'XX000' && routine === 'ReportCopyError';
}

/** Whether a lock was not free in time, or Postgres ended one of two sessions that waited for each other. */
export function isLockTimeout(error: unknown): boolean {
  return ['55P03', '40P01'].includes(codeOf(error));
}

/** Whether a statement failed for want of memory, disk or another resource; memory that processes share counts as any of them. */
export function isOutOfRoom(error: unknown): boolean {
  return ['53000', '53100', '53200'].includes(codeOf(error));
}

/**
 * Whether a load's staging table is not there, as in a database restored without its schema; or lacks columns, as one does that was
 * made before a migration gave its dataset another. Statements that read it call it `s`.
 */
export function isStagingUnusable(error: unknown): boolean {
  const { message } = error instanceof Error ? error : new Error();
  if (codeOf(error) === '42P01') return message.includes('searchmill_staging.');
  return codeOf(error) === '42703' && /\bof relation "execution_\d+"|\bcolumn s\./.test(message);
}

/** The SQLSTATE of a failure, or its system code; `none` where there is neither. */
export function codeOf(error: unknown): string {
  const { code } = causeOf(error);
  return typeof code === 'string' ? code : 'none';
}

function causeOf(error: unknown): { code?: unknown; routine?: unknown } {
  return (error instanceof StoreError ? error.cause : error) ?? {};
}

// Turns errors of node-postgres into ours, which say whether they are transient, what happened, and what helps.
import pg from 'pg';
import { withAdvice } from '../core/advice.ts';
import { type ErrorContext, isPassing, SearchmillError, StoreError } from '../core/errors.ts';
import { explainRefusal, isPoolerFailure } from './connection-errors.ts';
import type { FailedStatement } from './failed-objects.ts';
import { adviceAgainst, passingMeaning } from './sqlstates.ts';

/** What JavaScript throws for bugs. A transaction wraps anything thrown in it in a StoreError. */
const MISTAKES = [TypeError, SyntaxError, RangeError, ReferenceError];
/** Failures of the network below Postgres, and the messages of node-postgres for a lost connection. */
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

/** Turns whatever node-postgres threw into a StoreError; our own errors pass unchanged. */
export function asStoreError(error: unknown, context: ErrorContext = {}): SearchmillError {
  if (error instanceof SearchmillError) return error;
  const code = (error as { code?: unknown } | null)?.code;
  const message = error instanceof Error ? error.message : String(error);
  const refusal = explainRefusal(code, message, (error as { routine?: unknown } | null)?.routine);
  if (refusal !== undefined) return new StoreError(refusal, { retryable: false, context, cause: error });
  const meaning = meaningOf(code, error);
  const isTransient =
    meaning !== undefined || (typeof code === 'string' && TRANSIENT_SYSTEM_CODES.has(code)) || TRANSIENT_MESSAGES.test(message);
  const about = meaning ?? (isTransient ? 'the database cannot be reached' : 'the database refused');
  const shown = message || (typeof code === 'string' ? code : 'no message');
  const advice = typeof code === 'string' ? adviceAgainst(code, { ...(error as Partial<FailedStatement>), message }) : undefined;
  return new StoreError(withAdvice(`${about}: ${shown}`, advice), { retryable: isTransient, context, cause: error });
}

/** Describes a transient failure; undefined for others. */
function meaningOf(code: unknown, error: unknown): string | undefined {
  if (isPoolerFailure(code, error)) return 'the pooler has no server';
  if (isRefusedByNode(error)) return 'a node of the Citus cluster refused rows';
  return passingMeaning(String(code));
}

/** Whether the database failed or was not reached, as opposed to a bug in our code. */
export function isStoreFailure(error: unknown): boolean {
  if (error instanceof StoreError) return !MISTAKES.some((kind) => error.cause instanceof kind);
  return error instanceof pg.DatabaseError || isPassing(asStoreError(error));
}

/** Whether a statement failed because a row with the same unique key exists; with Citus, whether that may be the reason. */
export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === '23505' || isRefusedByNode(error);
}

/** A node of a Citus cluster refused rows. The coordinator passes on its message, but not its code. */
function isRefusedByNode(error: unknown): boolean {
  const { code, routine } = causeOf(error);
  return code === 'XX000' && routine === 'ReportCopyError';
}

/** Whether a lock was not free in time, or Postgres ended one of two deadlocked sessions. */
export function isLockTimeout(error: unknown): boolean {
  return ['55P03', '40P01'].includes(codeOf(error));
}

/** Whether a statement failed for lack of memory, disk or another resource; shared memory may be reported as any of them. */
export function isOutOfRoom(error: unknown): boolean {
  return ['53000', '53100', '53200'].includes(codeOf(error));
}

/**
 * Whether a load's staging table is missing, as in a database restored without its schema, or lacks columns, because it was created before
 * a migration added one to its dataset. Statements that read it call it `s`.
 */
export function isStagingUnusable(error: unknown): boolean {
  const { message } = error instanceof Error ? error : new Error();
  // Names are the same in all languages of a server.
  if (codeOf(error) === '42P01') return message.includes('searchmill_staging.');
  return codeOf(error) === '42703' && /\bexecution_\d+\b|(?<![\w.])s\.\w/.test(message);
}

/** The SQLSTATE of a failure, or its system code; `none` when there is neither. */
export function codeOf(error: unknown): string {
  const { code } = causeOf(error);
  return typeof code === 'string' ? code : 'none';
}

function causeOf(error: unknown): { code?: unknown; routine?: unknown } {
  return (error instanceof StoreError ? error.cause : error) ?? {};
}

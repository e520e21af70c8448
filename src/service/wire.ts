// The service's protocol: headers, body shapes, states. Client and sandbox both use it. Paths are in the datasets, limits in
// core/limits.ts. Source: service specification, "Resources and their fields", "Endpoints", "Authentication" and "Errors".
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { MAX_COLUMNS } from '../core/json-size.ts';
import { isStorable } from '../core/storable.ts';

export const JSON_CONTENT_TYPE = 'application/json';
export const AUTHORIZATION_HEADER = 'authorization';
export const BEARER_PREFIX = 'Bearer ';
export const API_KEY_PARAMETER = 'apiKey';
export const SIGNATURE_PARAMETER = 'sig';

export const EXECUTION_STATES = ['IN_PROGRESS', 'COMPLETED', 'FAILED'] as const;
export type ExecutionState = (typeof EXECUTION_STATES)[number];

export const INVALID_PARAMETERS = 'INVALID_PARAMETERS';

/** Longest executionId or page token, in characters. */
const MAX_ID_LENGTH = 8 * 1024;

export type PollBody = Readonly<{ executionId: string }>;
export type PaginateBody = Readonly<{ executionId: string; nextPageId: string; pageSize?: number }>;
export type SubmitBody = Readonly<Record<string, unknown>>;

/** A JSON value of a row. The specification allows strings only; other scalars are tolerated. */
export type WireValue = string | number | boolean | null;
export type WireRow = readonly WireValue[];
export type WireColumn = Readonly<{ name: string; type?: string | null | undefined }>;

/** Text that goes into the ledger and back to the service. Text that Postgres cannot store unchanged, or longer text, is of no use. */
const keptText = z.string().max(MAX_ID_LENGTH).refine(isStorable, 'expected text without NUL and without half a surrogate pair');

/** Case is ignored: some services have sent their states in lower case. */
export const stateOf = <const States extends readonly [string, ...string[]]>(states: States) =>
  z.preprocess((value) => (typeof value === 'string' ? value.toUpperCase() : value), z.enum(states));

/**
 * The execution record of 200 and 202 answers, and of a FAILED one whatever its status. Unknown fields are ignored.
 * Fields that decide nothing (`requestId`, `totalRowCount`) never make a record unreadable.
 */
export const executionRecordSchema = z.object({
  executionId: keptText.min(1).nullish(),
  executionState: stateOf(EXECUTION_STATES),
  requestId: z.string().nullish().catch(null),
  // Checks only that it is an array: a page has 1000 rows, and a bad row must reach quarantine, not fail its page.
  results: z.custom<readonly unknown[]>((value) => Array.isArray(value), 'expected an array').nullish(),
  // Checks the length first: an issue for each of a million entries would take gigabytes.
  schema: z
    .custom<readonly unknown[]>(
      (value) => Array.isArray(value) && value.length <= MAX_COLUMNS,
      `expected an array of at most ${MAX_COLUMNS}`,
    )
    .pipe(z.array(z.object({ name: z.string(), type: z.string().nullish() })))
    .nullish(),
  nextPageId: keptText.nullish(),
  totalRowCount: z.unknown().optional(),
});
export type ExecutionRecord = z.infer<typeof executionRecordSchema>;

/** The body of a 400. */
export const errorBodySchema = z.object({ error: z.string(), message: z.string() });

/** MD5 over key, shared secret and Unix seconds, as 32 lower-case hexadecimal digits ("Method 2"). */
export function computeSignature(apiKey: string, sharedSecret: string, unixSeconds: number): string {
  return createHash('md5').update(`${apiKey}${sharedSecret}${unixSeconds}`, 'utf8').digest('hex');
}

// Reads the service's execution record out of a parsed body and turns a completed one into a page.
// Source: service specification, "Resources and their fields" and "States and transitions".
import { z } from 'zod';
import { type PageRows, parsedRows, type SpooledRows } from '../core/page-rows.ts';
import type { CallTiming, Page } from './answers.ts';
import { readRowCount } from './row-count.ts';
import { EXECUTION_STATES, type ExecutionRecord, executionRecordSchema } from './wire.ts';

/**
 * A body that was JSON: its value, its text and the size of the whole on the wire when not compressed. Where `rows` are
 * there, value and text are without them.
 */
export type JsonBody = Readonly<{ value: unknown; text: string; bytes: number; rows?: PageRows | SpooledRows }>;

export type RecordReading = Readonly<{ record: ExecutionRecord }> | Readonly<{ problem: string }>;

/** Without rows there is nothing else in a record that could be wrong and matter. */
const rowlessRecordSchema = executionRecordSchema.pick({ executionState: true, requestId: true, error: true, message: true }).extend({
  executionState: z.enum(EXECUTION_STATES).exclude(['COMPLETED']),
  executionId: executionRecordSchema.shape.executionId.catch(null),
});

/** The record, or why the value is none. Rows are not looked at. */
export function readRecord(value: unknown): RecordReading {
  const rowless = rowlessRecordSchema.safeParse(value);
  if (rowless.success) return { record: rowless.data };
  const full = executionRecordSchema.safeParse(value);
  if (full.success) return { record: full.data };
  const issue = full.error.issues[0];
  return { problem: issue ? `${issue.path.join('.') || 'the body'}: ${issue.message}` : 'not an execution record' };
}

/** The page of a COMPLETED record, or what it lacks to be one. An empty page is a page. */
export function readPage(
  record: ExecutionRecord,
  body: JsonBody,
  timing: CallTiming,
): Readonly<{ page: Page }> | Readonly<{ problem: string }> {
  const { results, schema } = record;
  if (!results || !schema) return { problem: `COMPLETED without ${results ? 'schema' : 'results'}` };
  const { count, unreadable } = readRowCount(record.totalRowCount, body.text);
  const page: Page = {
    rows: body.rows ?? parsedRows(results),
    schema,
    nextPageId: record.nextPageId ?? null,
    totalRowCount: count,
    ...(unreadable === undefined ? {} : { unreadableRowCount: unreadable }),
    requestId: record.requestId ?? null,
    bytes: body.bytes,
    waitMs: timing.waitedMs,
    networkMs: timing.durationMs,
  };
  return { page };
}

/** What a FAILED record says about the reason, as raw text; null when it says nothing. */
export function readFailureText(record: ExecutionRecord): string | null {
  const parts = [record.error, record.message].map(textOf).filter((part) => part !== '');
  return parts.length > 0 ? parts.join(': ') : null;
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value.trim() : JSON.stringify(value);
}

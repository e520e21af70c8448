// Reads the service's execution record from a parsed body and turns a completed one into a page.
// Source: service specification, "Resources and their fields" and "States and transitions".
import type { JsonBody } from '../codec/answer-body.ts';
import { parsedRows } from '../codec/page-rows.ts';
import { areTooMany } from '../codec/split-rows.ts';
import { parseExact } from '../core/exact-json.ts';
import type { CallTiming, Page } from './answers.ts';
import { readRowCount } from './row-count.ts';
import { type ExecutionRecord, executionRecordSchema, stateOf } from './wire.ts';

export type ReadRecord = Readonly<{ record: ExecutionRecord }> | Readonly<{ problem: string }>;

/** IN_PROGRESS and FAILED records have no rows, so a problem in their other fields does not matter. */
const rowlessRecordSchema = executionRecordSchema.pick({ executionState: true, requestId: true }).extend({
  executionState: stateOf(['IN_PROGRESS', 'FAILED']),
  executionId: executionRecordSchema.shape.executionId.catch(null),
});

/** Returns the record, or why the value is not one. Rows are not checked. */
export function readRecord(value: unknown): ReadRecord {
  const rowless = rowlessRecordSchema.safeParse(value);
  if (rowless.success) return { record: rowless.data };
  const full = executionRecordSchema.safeParse(value);
  if (full.success) return { record: full.data };
  const issue = full.error.issues[0];
  return { problem: issue ? `${issue.path.join('.') || 'the body'}: ${issue.message}` : 'not an execution record' };
}

/**
 * The page of a COMPLETED record, or what it lacks to be one. A page may be empty, and a blank page token counts as none. Without
 * `results` it is an empty page only if the service says that there are no rows.
 */
export function readPage(
  record: ExecutionRecord,
  body: JsonBody,
  timing: CallTiming,
): Readonly<{ page: Page }> | Readonly<{ problem: string }> {
  const { count, unreadable } = readRowCount(record.totalRowCount, body.text);
  const nextPageId = record.nextPageId?.trim() ? record.nextPageId : null;
  // `results` may be left out when there are no rows.
  const results = record.results ?? (count === 0n && nextPageId === null ? [] : undefined);
  if (!results) return { problem: 'COMPLETED without results' };
  if (areTooMany(results.length, 0, body.bytes)) return { problem: `${results.length} rows in ${body.bytes} bytes, which cannot be rows` };
  const page: Page = {
    rows: body.rows ?? parsedRows(results.length === 0 ? results : rereadResults(results, body)),
    schema: record.schema ?? [],
    nextPageId,
    totalRowCount: count,
    ...(unreadable === undefined ? {} : { unreadableRowCount: unreadable }),
    requestId: record.requestId ?? null,
    bytes: body.bytes,
    waitMs: timing.waitedMs,
    networkMs: timing.durationMs,
  };
  return { page };
}

/** The same rows, with their numbers exactly as they were sent. */
function rereadResults(results: readonly unknown[], { text, value }: JsonBody): readonly unknown[] {
  const record = parseExact(text, value) as { results?: unknown } | null;
  return Array.isArray(record?.results) ? record.results : results;
}

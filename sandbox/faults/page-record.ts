// A page that can be changed: the answer's JSON, parsed and written again. Only answers with a fault pay for that.
import type { WireColumn } from '../../src/service/wire.ts';
import type { Answer } from '../protocol/answers.ts';
import { writeRaw } from './raw-json.ts';

export type PageRecord = {
  readonly executionId: string;
  readonly executionState: string;
  readonly requestId: string;
  /** Rows with any content. */
  results: (readonly unknown[])[];
  schema: (Omit<WireColumn, 'type'> & { type?: string })[];
  /** Null or absent on the last page. */
  nextPageId?: string | null;
  totalRowCount?: number;
  /** Unexpected extra fields, before and after the rest. */
  before?: unknown;
  behind?: unknown;
};

/** `answer` must be an answer of the sandbox with a page. */
export function openPage(answer: Answer): PageRecord {
  return JSON.parse(answer.body) as PageRecord;
}

export function closePage(answer: Answer, record: PageRecord): Answer {
  return { ...answer, body: writeRaw(JSON.stringify('before' in record ? { before: record.before, ...record } : record)) };
}

// A page as it can be changed: the answer's JSON, taken apart and put together again. Costs only answers that a fault meets.
import type { WireColumn } from '../../src/service/wire.ts';
import type { Answer } from '../protocol/answers.ts';
import { writeRaw } from './raw-json.ts';

export type PageRecord = {
  readonly executionId: string;
  readonly executionState: string;
  readonly requestId: string;
  /** Rows, whatever is in them. */
  results: (readonly unknown[])[];
  schema: (Omit<WireColumn, 'type'> & { type?: string })[];
  /** Null or absent on the last page. */
  nextPageId?: string | null;
  totalRowCount?: number;
  /** What nobody asked for, before or behind the rest. */
  before?: unknown;
  behind?: unknown;
};

/** `answer` must be the sandbox's own answer with a page. */
export function openPage(answer: Answer): PageRecord {
  return JSON.parse(answer.body) as PageRecord;
}

export function closePage(answer: Answer, record: PageRecord): Answer {
  return { ...answer, body: writeRaw(JSON.stringify('before' in record ? { before: record.before, ...record } : record)) };
}

// All answers of the sandbox. Source: service specification, "Response body", "Errors", and public documentation. The bodies of 401, 429 and
// 500 are not specified; they have the shape of a 400's.
import type { Dataset } from '../../src/datasets/dataset.ts';
import { type ExecutionState, INVALID_PARAMETERS } from '../../src/service/wire.ts';

export type Answer = Readonly<{ status: number; headers: Readonly<Record<string, string>>; body: string }>;

/**
 * How records are written. `documented`: fields without a value are left out, as public documentation shows. `specified`: such fields are
 * empty arrays or null, as the specification says.
 */
export const RECORD_FORMS = ['documented', 'specified'] as const;
export type RecordForm = (typeof RECORD_FORMS)[number];

export const ERROR_CODES = {
  400: INVALID_PARAMETERS,
  401: 'UNAUTHORIZED',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  429: 'RATE_LIMITED',
  500: 'INTERNAL_ERROR',
} as const;

export function refusal(status: keyof typeof ERROR_CODES, message: string, headers: Answer['headers'] = {}): Answer {
  return { status, headers, body: JSON.stringify({ error: ERROR_CODES[status], message }) };
}

export function inProgress(executionId: string, requestId: string, form: RecordForm): Answer {
  const state: ExecutionState = 'IN_PROGRESS';
  const record = { executionId, executionState: state, requestId };
  const absent = { results: [], schema: [], nextPageId: null, totalRowCount: null };
  return { status: 202, headers: {}, body: JSON.stringify(form === 'documented' ? record : { ...record, ...absent }) };
}

export type CompletedPage = Readonly<{
  executionId: string;
  requestId: string;
  dataset: Dataset;
  rowsJson: string;
  nextPageId: string | null;
  totalRows: number;
  form: RecordForm;
}>;

export function completed({ executionId, requestId, dataset, rowsJson, nextPageId, totalRows, form }: CompletedPage): Answer {
  const state: ExecutionState = 'COMPLETED';
  const before = JSON.stringify({ executionId, executionState: state, requestId }).slice(0, -1);
  const schema = dataset.columns.map(({ name, wire }) => ({ name, type: wire }));
  const next = nextPageId === null && form === 'documented' ? {} : { nextPageId };
  const after = JSON.stringify({ schema, ...next, totalRowCount: totalRows }).slice(1);
  return { status: 200, headers: {}, body: `${before},"results":${rowsJson},${after}` };
}

// Every answer the sandbox gives. Source: service specification, "Response body", "Errors". The bodies of 401, 429 and
// 500 are not specified; they have the shape of a 400's.
import type { Dataset } from '../../datasets/dataset.ts';
import { type ExecutionState, INVALID_PARAMETERS } from '../../service/wire.ts';

export type Answer = Readonly<{ status: number; headers: Readonly<Record<string, string>>; body: string }>;

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

export function inProgress(executionId: string, requestId: string): Answer {
  const state: ExecutionState = 'IN_PROGRESS';
  const record = { executionId, executionState: state, requestId, results: [], schema: [], nextPageId: null, totalRowCount: null };
  return { status: 202, headers: {}, body: JSON.stringify(record) };
}

export type CompletedPage = Readonly<{
  executionId: string;
  requestId: string;
  dataset: Dataset;
  /** The rows, already JSON. */
  rowsJson: string;
  nextPageId: string | null;
  totalRows: number;
}>;

export function completed({ executionId, requestId, dataset, rowsJson, nextPageId, totalRows }: CompletedPage): Answer {
  const state: ExecutionState = 'COMPLETED';
  const before = JSON.stringify({ executionId, executionState: state, requestId }).slice(0, -1);
  const schema = dataset.columns.map(({ name, wire }) => ({ name, type: wire }));
  const after = JSON.stringify({ schema, nextPageId, totalRowCount: totalRows }).slice(1);
  return { status: 200, headers: {}, body: `${before},"results":${rowsJson},${after}` };
}

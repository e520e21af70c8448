// Identifies the call that an answer or a failure belongs to, and names it in messages.

import type { Connection } from '../config/settings.ts';
import type { ErrorContext } from '../core/errors.ts';
import type { CallKind } from '../core/limits.ts';
import { operationPath } from '../datasets/dataset.ts';

export type OperationName = 'submit' | 'poll' | 'paginate';

export type Operation = Readonly<{
  name: OperationName;
  kind: CallKind;
  dataset: string;
  connection: string;
  baseUrl: string;
  /** Path below the base URL. */
  path: string;
  context: ErrorContext;
}>;

/** One of the three calls on a dataset's path; its errors carry `context`. */
export function operationOn(
  name: OperationName,
  dataset: Readonly<{ name: string }>,
  connection: Connection,
  context: ErrorContext,
): Operation {
  return {
    name,
    kind: name === 'submit' ? 'submit' : 'read',
    dataset: dataset.name,
    connection: connection.name,
    baseUrl: connection.baseUrl,
    path: operationPath(dataset),
    context: { ...context, dataset: dataset.name, connection: connection.name },
  };
}

/** The beginning of messages, such as `main: submit of keyword_rankings`. */
export function nameOperation({ connection, name, dataset }: Operation): string {
  return `${connection}: ${name} of ${dataset}`;
}

/** The sentence that a failed submit needs when it is unknown whether the service began the query. */
export function noteUnknownOutcome({ name }: Operation): string {
  return name === 'submit' ? ' Whether the service began the query is not known.' : '';
}

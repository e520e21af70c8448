// The JSON body that asks the service for one window of a dataset, and the only place that builds submit fields.
// Source: service specification, "Submit body, by operation".
import { ConfigurationError } from '../core/errors.ts';
import { formatWindow, isIsoDate, type Window } from '../core/weeks.ts';
import type { Dataset } from './dataset.ts';

/** Sent when a job sets no `collection_frequency`. The specification shows no other value; public documentation also has DAILY. */
export const DEFAULT_COLLECTION_FREQUENCY = 'WEEKLY';

/** The row limit of a submit body; undefined without one. */
export function rowLimitOf({ limit }: Readonly<Record<string, unknown>>): number | undefined {
  return typeof limit === 'number' ? limit : undefined;
}

/** Days per period of a row, by the body's collection_frequency. Null for an unknown one: its rows may have any period. */
export function daysOfPeriod({ collection_frequency: frequency }: Readonly<Record<string, unknown>>): number | null {
  return { WEEKLY: 7, DAILY: 1 }[String(frequency ?? DEFAULT_COLLECTION_FREQUENCY).toUpperCase()] ?? null;
}

/** What a job asks for, apart from the window. */
export type Question = Readonly<{
  dataset: Dataset;
  accountId: number;
  /** Values by the service's field names, already checked against the dataset. */
  filters: Readonly<Record<string, unknown>>;
}>;

/**
 * The submit body of a question over a window: account, the period under the dataset's own names, collection frequency,
 * then the filters in the specification's order.
 * @throws ConfigurationError when the window's end does not come after its start, which the service would refuse.
 */
export function buildSubmitBody(question: Question, window: Window): Record<string, unknown> {
  const { dataset, accountId, filters } = question;
  if (!isIsoDate(window.start) || !isIsoDate(window.end) || window.end <= window.start) {
    throw new ConfigurationError(`${formatWindow(window)} is not a window: its end must be a date after its start`);
  }
  const body: Record<string, unknown> = {
    account_id: accountId,
    [dataset.period.start]: window.start,
    [dataset.period.end]: window.end,
    collection_frequency: filters.collection_frequency ?? DEFAULT_COLLECTION_FREQUENCY,
  };
  for (const { name } of dataset.filters) {
    if (filters[name] !== undefined) body[name] = filters[name];
  }
  return body;
}

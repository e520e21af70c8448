// Failures in the words of the command line: where no store answers at its address, with what to do.
import { describeError, StoreError } from '../core/errors.ts';

const NOBODY_ANSWERS = /ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ETIMEDOUT/;

/** The message of anything thrown. It follows the message of a store that nobody answers for with the next step. Never throws. */
export function explainFailure(error: unknown): string {
  const text = describeError(error);
  if (!(error instanceof StoreError) || !NOBODY_ANSWERS.test(text)) return text;
  const [store, variable] = /Redis|Sentinel/.test(text) ? ['Redis', 'REDIS_URL'] : ['Postgres', 'DATABASE_URL'];
  return `${text}; start ${store}, or correct ${variable}`;
}

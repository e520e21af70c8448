// Failures as the command line reports them: if a store does not answer at its address, with what to do.
import { describeError, StoreError } from '../core/errors.ts';

const NOBODY_ANSWERS = /ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ETIMEDOUT/;

/** The message of anything thrown. For a store that does not answer, the next step is added. Never throws. */
export function explainFailure(error: unknown): string {
  const text = describeError(error);
  if (!(error instanceof StoreError) || !NOBODY_ANSWERS.test(text)) return text;
  const [store, variable] = /Redis|Sentinel/.test(text) ? ['Redis', 'REDIS_URL'] : ['Postgres', 'DATABASE_URL'];
  return `${text}; start ${store}, or correct ${variable}`;
}

// Problems that an operator has acknowledged: they are told again when something of their kind happens anew.

import type { Pool } from '../postgres/pool.ts';
import { type DescribedRow, readRows } from '../postgres/statements.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { type Actor, noteAction } from './actions.ts';

/** `job` is empty for all jobs. */
export type Acknowledgement = DescribedRow<'acknowledgements/read'>;

export const readAcknowledgements = (pool: Pool): Promise<Acknowledgement[]> => readRows(pool, 'acknowledgements/read');

/** Acknowledges what has happened until now. Throws StoreError. */
export async function acknowledge(pool: Pool, kind: string, job: string | undefined, by: Actor): Promise<void> {
  await inTransaction(pool, async (client) => {
    await readRows(client, 'acknowledgements/put', { kind, job: job ?? '' });
    await noteAction(client, 'acknowledge', { ...by, reason: by.reason ?? kind }, job === undefined ? {} : { job });
  });
}

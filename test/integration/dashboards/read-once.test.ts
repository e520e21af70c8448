// What panels of a board read once: only where the state of the database cannot change meanwhile, and no longer than the transaction.
import { expect, it } from 'vitest';
import { inSnapshot } from '../../../src/dashboards/run-panels.ts';
import type { Client } from '../../../src/postgres/pool.ts';
import { inSavepoint, inTransaction } from '../../../src/postgres/transaction.ts';
import { useLedger } from '../../support/ledger.ts';

const ledger = useLedger();
/** Each reading has another time. */
const QUERY = 'SELECT clock_timestamp() AS at, NULL::jsonb AS nothing';
const read = async (client: Client): Promise<unknown> =>
  (await client.query<{ rows: unknown }>('SELECT search_reports.read_once($1) AS rows', [QUERY])).rows[0]?.rows;

it('is read once in a transaction that only reads and sees one state, also after panels that failed', async () => {
  const [first, second] = [0, 1].map(() =>
    inSnapshot(ledger.pool, async (client) => {
      const once = await read(client);
      await inSavepoint(
        client,
        () => client.query('SELECT 1 / 0'),
        () => true,
      );
      expect(await read(client)).toEqual(once);
      return once;
    }),
  );
  expect(await first).toEqual([{ at: expect.any(String), nothing: null }]);
  expect(await second).not.toEqual(await first);
});

it.each([
  ['that writes', { isSnapshot: true, isReadOnly: false }],
  ['whose statements see what was published meanwhile', { isSnapshot: false, isReadOnly: true }],
])('is read again in a transaction %s', async (_, options) => {
  await inTransaction(
    ledger.pool,
    async (client) => {
      const once = await read(client);
      expect(await read(client)).not.toEqual(once);
    },
    options,
  );
});

// Entry point of this folder. Only this folder knows about Citus, apart from what docs/decisions/0017-citus.md lists.
// With Citus, a publication's rows become visible on their node a moment after the coordinator committed, or up to a minute later when the
// node failed in between. Code that replaces or counts rows waits until all have arrived.
import type pg from 'pg';
import { systemClock } from '../../core/clock.ts';
import { StoreError } from '../../core/errors.ts';
import type { Client, Pool } from '../../postgres/pool.ts';
import { execute, readRows } from '../../postgres/statements.ts';

export { type DistributionOptions, distributeTables, type Moved, undistributeTables } from './distribution.ts';

const MAX_WAIT_MS = 5_000;
const POLL_MS = 50;

/** Whether every node has committed what the coordinator has; also false when a node does not answer. */
export const areNodesSettled = async (client: Client): Promise<boolean> => (await readUnsettled(client)).length === 0;

/** Whether this database may have tables on other nodes. */
export async function hasNodes(db: Pool | Client): Promise<boolean> {
  return (await readRows(db, 'citus/has-nodes'))[0]?.found === true;
}

/** Lets the transaction of `client` put the trigger of promoted columns on a distributed table, and take it off. Without Citus nothing is needed. */
export async function allowPromotion(client: pg.ClientBase): Promise<void> {
  if ((await readRows(client, 'citus/has-nodes'))[0]?.found !== true) return;
  await execute(client, 'citus/allow-triggers');
}

/** Translates the name of a partition of `table` as reported by tableoid: rows on a node report the name of their shard. */
export async function nameOnCoordinator(db: Pool | Client, table: string, told: string): Promise<string> {
  if (!(await hasNodes(db))) return told;
  const [found] = await readRows(db, 'citus/find-shard-table', { table, shard: told });
  return found?.partition ?? told;
}

/**
 * Waits until the nodes have committed what the coordinator had committed before the call, not later publications.
 * Throws a retryable StoreError when that takes more than a few seconds.
 */
export async function waitForNodes(client: Client): Promise<void> {
  const deadline = performance.now() + MAX_WAIT_MS;
  const awaited = new Set(await readUnsettled(client));
  for (let left = awaited.size; left > 0; left = (await readUnsettled(client)).filter((gid) => awaited.has(gid)).length) {
    if (performance.now() > deadline)
      throw new StoreError(
        'a node of the Citus cluster does not answer, or has yet to commit rows that were published before: Citus sees to it within citus.recover_2pc_interval (a minute)',
        { retryable: true },
      );
    await systemClock.sleep(POLL_MS);
  }
}

/** Names of prepared transactions; null for a node that does not answer. Empty without Citus. */
async function readUnsettled(client: Client): Promise<(string | null)[]> {
  if (!(await hasNodes(client))) return [];
  return (await readRows(client, 'citus/find-unsettled')).map(({ gid }) => gid);
}

// On a Citus cluster a week has no figures until it is stored; on one server readers compute it meanwhile.

import type { Pool } from '../../src/postgres/pool.ts';
import { finishReports } from '../../src/reports/refresh.ts';
import { hasNodes } from '../../src/tables/citus/citus.ts';

/** Stores all that is marked, and what is marked by that: names and domains that are found to be ours concern all weeks. A sweep would end after a few seconds. */
export async function storeReports(pool: Pool): Promise<void> {
  for (let round = 0; round < 3; round += 1) await finishReports(pool, new AbortController().signal, () => undefined);
}

/** Stores what is marked, where nobody reads it before. */
export async function storeOnCluster(pool: Pool): Promise<void> {
  if (await hasNodes(pool)) await storeReports(pool);
}

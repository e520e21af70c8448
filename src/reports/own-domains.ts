// Own domains: those the jobs of an account are configured with, else those of its citations attributed to You. A change of what counts
// marks the ranking weeks of the account, and readers leave them out until they are stored anew.
import { isDeepStrictEqual } from 'node:util';
import type { Job } from '../config/settings.ts';
import { groupBy } from '../core/group-by.ts';
import type { Client, Pool } from '../warehouse/pool.ts';
import { execute } from '../warehouse/statements.ts';
import { inTransaction } from '../warehouse/transaction.ts';
import type { ReportWeek } from './summaries.ts';

type OwnDomains = { domains: string[]; patterns: string[] };

/** Writes down the own domains of the accounts of `jobs`, those of all its jobs together. Throws StoreError. */
export async function adoptConfiguredDomains(pool: Pool, jobs: readonly Job[]): Promise<void> {
  for (const [accountId, ofAccount] of groupBy(jobs, (job) => String(job.accountId))) {
    const domains = [...new Set(ofAccount.flatMap((job) => job.ownDomains))].sort();
    await replaceDomains(pool, { accountId, source: 'configured', domains });
  }
}

/** Writes down the domains that the citations of an account attribute to You, of which those of `week` have changed. Throws StoreError. */
export async function adoptCitedDomains(pool: Pool, { accountId, week }: ReportWeek, signal: AbortSignal): Promise<void> {
  const { rows } = await execute<{ domains: string[] }>(pool, 'reports/find-cited-domains', { accountId, week });
  await replaceDomains(pool, { accountId, source: 'cited', domains: rows[0]?.domains ?? [] }, signal);
}

async function replaceDomains(
  pool: Pool,
  { accountId, source, domains }: Readonly<{ accountId: string; source: 'configured' | 'cited'; domains: readonly string[] }>,
  signal?: AbortSignal,
): Promise<void> {
  const read = async (db: Pool | Client): Promise<OwnDomains> => {
    const { rows } = await execute<OwnDomains>(db, 'reports/read-own-domains', { accountId, source });
    return rows[0] ?? { domains: [], patterns: [] };
  };
  if (isDeepStrictEqual((await read(pool)).domains, domains)) return;
  const replace = async (client: Client): Promise<void> => {
    await execute(client, 'reports/note-own-domains', { accountId });
    const before = await read(client);
    await execute(client, 'reports/delete-own-domains', { accountId, source, domains });
    await execute(client, 'reports/insert-own-domains', { accountId, source, domains });
    const after = await read(client);
    if (!isDeepStrictEqual(before.patterns, after.patterns)) await execute(client, 'reports/mark-rankings', { accountId });
  };
  await inTransaction(pool, replace, { signal });
}

// Own domains: those the jobs of an account are configured with, else those of its citations attributed to You. A change of what counts
// marks the ranking weeks of the account, and readers leave them out until they are stored anew.

import { isDeepStrictEqual } from 'node:util';
import type { Job } from '../config/settings.ts';
import { groupBy } from '../core/group-by.ts';
import type { Client, Pool } from '../warehouse/pool.ts';
import { execute } from '../warehouse/statements.ts';
import { inTransaction } from '../warehouse/transaction.ts';

type OwnDomains = Readonly<{ domains: readonly string[]; patterns: readonly string[] }>;

/** What an account's own domains of a source should be, as of now. */
type Wanted = Readonly<{
  accountId: string;
  source: 'configured' | 'cited';
  find: (client: Client) => Promise<readonly string[]>;
}>;

/** Writes down the own domains of the accounts of `jobs`, those of all its jobs together. Throws StoreError, the signal's reason. */
export async function adoptConfiguredDomains(pool: Pool, jobs: readonly Job[], signal?: AbortSignal): Promise<void> {
  for (const [accountId, ofAccount] of groupBy(jobs, (job) => String(job.accountId))) {
    const domains = [...new Set(ofAccount.flatMap((job) => job.ownDomains))].sort();
    await replaceDomains(pool, { accountId, source: 'configured', find: async () => domains }, signal);
  }
}

/** Takes the configured domains from an account that no job is configured for any more. Throws StoreError, the signal's reason. */
export async function dropConfiguredDomains(pool: Pool, accountId: string, signal?: AbortSignal): Promise<void> {
  await replaceDomains(pool, { accountId, source: 'configured', find: async () => [] }, signal);
}

const citedDomains = (accountId: string): Wanted => ({
  accountId,
  source: 'cited',
  find: async (client) => (await execute(client, 'reports/find-cited-domains', { accountId })).rows[0]?.domains ?? [],
});

/** Writes down the domains that the citations of an account attribute to You. Throws StoreError, the signal's reason. */
export async function adoptCitedDomains(pool: Pool, accountId: string, signal: AbortSignal): Promise<void> {
  await replaceDomains(pool, citedDomains(accountId), signal);
}

/** Whether the domains that the citations attribute to You are written down, as this transaction sees both. Throws StoreError. */
export async function knowsCitedDomains(client: Client, accountId: string): Promise<boolean> {
  return isAdopted(client, citedDomains(accountId));
}

async function replaceDomains(pool: Pool, wanted: Wanted, signal?: AbortSignal): Promise<void> {
  const { accountId, source } = wanted;
  const replace = async (client: Client): Promise<void> => {
    if (await isAdopted(client, wanted)) return;
    await execute(client, 'reports/note-settings', { accountId });
    // The process that held the account until now may have changed what is wanted.
    const domains = await wanted.find(client);
    const before = await readOwnDomains(client, wanted);
    await execute(client, 'reports/delete-own-domains', { accountId, source, domains });
    await execute(client, 'reports/insert-own-domains', { accountId, source, domains });
    const after = await readOwnDomains(client, wanted);
    if (!isDeepStrictEqual(before.patterns, after.patterns))
      await execute(client, 'reports/mark-account', { accountId, subjects: ['rankings'] });
  };
  await inTransaction(pool, replace, { signal });
}

async function isAdopted(client: Client, wanted: Wanted): Promise<boolean> {
  return isDeepStrictEqual((await readOwnDomains(client, wanted)).domains, await wanted.find(client));
}

async function readOwnDomains(client: Client, { accountId, source }: Wanted): Promise<OwnDomains> {
  const { rows } = await execute(client, 'reports/read-own-domains', { accountId, source });
  return rows[0] ?? { domains: [], patterns: [] };
}

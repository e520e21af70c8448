// Own domains: those configured in the account's jobs, or else those of its citations that are attributed to You. When the effective domains
// change, the account's weeks of rankings and answers are marked, and readers leave them out until they are refreshed.

import { isDeepStrictEqual } from 'node:util';
import type { Job } from '../config/settings.ts';
import { groupBy } from '../core/group-by.ts';
import type { Client, Pool } from '../postgres/pool.ts';
import { execute } from '../postgres/statements.ts';
import { inTransaction } from '../postgres/transaction.ts';

type OwnDomains = Readonly<{ domains: readonly string[]; patterns: readonly string[] }>;

/** The domains that an account should have from one source; `find` reads their current list. */
type Wanted = Readonly<{
  accountId: string;
  source: 'configured' | 'cited';
  find: (client: Client) => Promise<readonly string[]>;
}>;

/** Stores the own domains of the accounts of `jobs`: for each account the union over its jobs. Throws StoreError, or the signal's reason. */
export async function adoptConfiguredDomains(pool: Pool, jobs: readonly Job[], signal?: AbortSignal): Promise<void> {
  for (const [accountId, ofAccount] of groupBy(jobs, (job) => String(job.accountId))) {
    const domains = [...new Set(ofAccount.flatMap((job) => job.ownDomains))].sort();
    await replaceDomains(pool, { accountId, source: 'configured', find: async () => domains }, signal);
  }
}

/** Removes the configured domains of an account that has no configured job any more. Throws StoreError, or the signal's reason. */
export async function dropConfiguredDomains(pool: Pool, accountId: string, signal?: AbortSignal): Promise<void> {
  await replaceDomains(pool, { accountId, source: 'configured', find: async () => [] }, signal);
}

const citedDomains = (accountId: string): Wanted => ({
  accountId,
  source: 'cited',
  find: async (client) => (await execute(client, 'reports/find-cited-domains', { accountId })).rows[0]?.domains ?? [],
});

/** Stores the domains that the citations of an account attribute to You. Throws StoreError, or the signal's reason. */
export async function adoptCitedDomains(pool: Pool, accountId: string, signal: AbortSignal): Promise<void> {
  await replaceDomains(pool, citedDomains(accountId), signal);
}

/** Whether the domains that the citations attribute to You are stored, as seen by this transaction. Throws StoreError. */
export async function knowsCitedDomains(client: Client, accountId: string): Promise<boolean> {
  return isAdopted(client, citedDomains(accountId));
}

async function replaceDomains(pool: Pool, wanted: Wanted, signal?: AbortSignal): Promise<void> {
  const { accountId, source } = wanted;
  const replace = async (client: Client): Promise<void> => {
    if (await isAdopted(client, wanted)) return;
    await execute(client, 'reports/note-settings', { accountId });
    // Another process that held the account's lock may have changed the list meanwhile.
    const domains = await wanted.find(client);
    const before = await readOwnDomains(client, wanted);
    await execute(client, 'reports/delete-own-domains', { accountId, source, domains });
    await execute(client, 'reports/insert-own-domains', { accountId, source, domains });
    const after = await readOwnDomains(client, wanted);
    if (!isDeepStrictEqual(before.patterns, after.patterns))
      await execute(client, 'reports/mark-account', { accountId, subjects: ['rankings', 'answers'] });
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

// Account settings that summaries and panels use: own domains, competitors, aliases and names of brands. Each process stores those of its configured jobs.
import type { JobsConfig } from '../config/settings.ts';
import { MINUTE, SECOND } from '../core/clock.ts';
import { openDeadline } from '../core/deadline.ts';
import { groupBy } from '../core/group-by.ts';
import type { Pool } from '../postgres/pool.ts';
import { execute } from '../postgres/statements.ts';
import { adoptSetting, aliasesOf, competitorsOf } from './account-settings.ts';
import { brandsOf } from './brands.ts';
import { configuredDomains } from './own-domains.ts';

export const ADOPT_SETTINGS_EVERY_MS = MINUTE;
/** A refresh or another lock on the tables may take longer than this. Then storing the settings is retried. */
const MAX_ADOPTING_MS = 10 * SECOND;

type Configured = Pick<JobsConfig, 'jobs' | 'aliases'>;

/**
 * Returns the periodic work of a process. It stores the settings of its jobs once per configuration, so that of two processes with
 * different files, as in a rolling deploy, the one started last wins. It also removes the settings of accounts without a configured job.
 * The returned function throws StoreError, or the signal's reason.
 */
export function createAdoption(pool: Pool, config: () => Configured, stopping: AbortSignal): () => Promise<void> {
  let adopted: Configured['jobs'] | undefined;
  return async () => {
    using deadline = openDeadline(MAX_ADOPTING_MS, stopping);
    const { signal } = deadline;
    const configured = config();
    if (adopted !== configured.jobs) await adoptSettings(pool, configured, signal);
    adopted = configured.jobs;
    for (const { accountId } of (await execute(pool, 'reports/find-unconfigured-accounts')).rows)
      await adoptAccount(pool, accountId, { jobs: [], aliases: [] }, signal);
  };
}

async function adoptSettings(pool: Pool, { jobs, aliases }: Configured, signal: AbortSignal): Promise<void> {
  for (const [accountId, own] of groupBy(jobs, (job) => String(job.accountId)))
    await adoptAccount(pool, accountId, { jobs: own, aliases }, signal);
}

/** Stores the settings of an account: of each the union over its jobs. */
async function adoptAccount(pool: Pool, accountId: string, { jobs, aliases }: Configured, signal: AbortSignal): Promise<void> {
  const settings = [
    configuredDomains(jobs.flatMap((job) => job.ownDomains)),
    competitorsOf(jobs.flatMap((job) => job.competitors)),
    aliasesOf(aliases),
    brandsOf(jobs),
  ];
  for (const setting of settings) await adoptSetting(pool, accountId, setting, signal);
}

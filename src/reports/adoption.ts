// Settings of accounts that summaries are made with: own domains, competitors and aliases. A process writes down what its jobs are configured with.
import type { JobsConfig } from '../config/settings.ts';
import { MINUTE, SECOND } from '../core/clock.ts';
import { openDeadline } from '../core/deadline.ts';
import { groupBy } from '../core/group-by.ts';
import type { Pool } from '../warehouse/pool.ts';
import { execute } from '../warehouse/statements.ts';
import { adoptAliases } from './aliases.ts';
import { adoptCompetitors } from './competitors.ts';
import { adoptConfiguredDomains, dropConfiguredDomains } from './own-domains.ts';

export const ADOPT_SETTINGS_EVERY_MS = MINUTE;
/** A refresh, or another lock on the tables, may keep settings from being written for longer: they are tried again. */
const MAX_ADOPTING_MS = 10 * SECOND;

type Configured = Pick<JobsConfig, 'jobs' | 'aliases'>;

/**
 * What a process does again and again: it writes down what its jobs are configured with, once for each configuration, so that of two
 * processes with different files, as in a rolling deploy, the last one started counts; and it drops what no job is configured with. The
 * result throws StoreError, the signal's reason.
 */
export function createAdoption(pool: Pool, config: () => Configured, stopping: AbortSignal): () => Promise<void> {
  let adopted: Configured['jobs'] | undefined;
  return async () => {
    using deadline = openDeadline(MAX_ADOPTING_MS, stopping);
    const { signal } = deadline;
    const configured = config();
    if (adopted !== configured.jobs) await adoptSettings(pool, configured, signal);
    adopted = configured.jobs;
    for (const { accountId } of (await execute(pool, 'reports/find-unconfigured-accounts')).rows) {
      await dropConfiguredDomains(pool, accountId, signal);
      await adoptCompetitors(pool, accountId, [], signal);
      await adoptAliases(pool, accountId, [], signal);
    }
  };
}

async function adoptSettings(pool: Pool, { jobs, aliases }: Configured, signal: AbortSignal): Promise<void> {
  await adoptConfiguredDomains(pool, jobs, signal);
  for (const [accountId, own] of groupBy(jobs, (job) => String(job.accountId))) {
    await adoptCompetitors(
      pool,
      accountId,
      own.flatMap((job) => job.competitors),
      signal,
    );
    await adoptAliases(pool, accountId, aliases, signal);
  }
}

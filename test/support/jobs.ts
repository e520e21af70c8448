// A job as the configuration would have it.
import type { Job } from '../../src/config/settings.ts';
import { keywordRankings } from '../../src/datasets/keyword-rankings.ts';

export function jobOf(changes: Partial<Job> = {}): Job {
  return {
    name: 'job',
    isEnabled: true,
    dataset: keywordRankings,
    connection: 'main',
    accountId: 1,
    filters: {},
    filtersDigest: 'digest',
    schedule: { cron: '0 6 * * 1', timezone: 'UTC' },
    since: '2026-01-04',
    lookbackWeeks: 1,
    keepWeeks: undefined,
    weeksPerQuery: 1,
    weekStartsOn: 'sunday',
    pageSize: 1000,
    maxRejectedShare: 0,
    maxRejectedRows: 0,
    minKeepShare: 0.5,
    allowEmpty: false,
    maxWaitMs: 3_600_000,
    maxSubmits: 10,
    ownDomains: [],
    competitors: [],
    ownBrands: [],
    rivalBrands: [],
    ...changes,
  };
}

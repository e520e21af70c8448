// Where the figures of a dashboard come from: jobs, their filters, how new their data is.
import type { IsoDate } from '../core/weeks.ts';
import type { Client } from './pool.ts';
import { readRows } from './statements.ts';

export type Source = Readonly<{
  job: string;
  dataset: string;
  account: string;
  filters: Readonly<Record<string, unknown>>;
  isConfigured: boolean;
  isEnabled: boolean;
  /** Null while it has published nothing. */
  publishedAt: Date | null;
  /** First day of its newest published week. */
  newestWeek: IsoDate | null;
  /** Weeks that were published with other filters than it has now; null for none. */
  weeksOfOtherFilters: readonly IsoDate[] | null;
}>;

export type OwnDomain = Readonly<{ domain: string; source: 'configured' | 'cited' }>;

/** The sites that count as an account's own. Throws StoreError. */
export const readOwnDomains = (client: Client, accountId: string): Promise<OwnDomain[]> =>
  readRows(client, 'dashboards/read-own-domains', { accountId });

/** The jobs of some datasets, of one account or of all. Throws StoreError. */
export const readSources = (client: Client, datasets: readonly string[], accountId: string | null): Promise<Source[]> =>
  readRows(client, 'dashboards/read-sources', { datasets, accountId });

// Sources of a dashboard's figures: jobs, their filters, how recent their data is.
import type { Client, Pool } from '../postgres/pool.ts';
import { type DescribedRow, readRows } from '../postgres/statements.ts';

/** `weeksOfOtherFilters`: published weeks with filters other than its current ones; null for none. */
export type Source = DescribedRow<'dashboards/read-sources', { filters: Readonly<Record<string, unknown>> }>;

export type OwnDomain = DescribedRow<'dashboards/read-own-domains', { source: 'configured' | 'cited' }>;

/** The sites that count as the account's own. Throws StoreError. */
export const readOwnDomains = (client: Client, accountId: string): Promise<OwnDomain[]> =>
  readRows(client, 'dashboards/read-own-domains', { accountId });

/** The jobs of some datasets, of one account or of all. Throws StoreError. */
export const readSources = (client: Client, datasets: readonly string[], accountId: string | null): Promise<Source[]> =>
  readRows(client, 'dashboards/read-sources', { datasets, accountId });

/** A digest of everything that an account's figures depend on. Throws StoreError. */
export async function readState(db: Client | Pool, accountId: string): Promise<string> {
  const [row] = await readRows(db, 'dashboards/read-state', { accountId });
  return row?.state ?? '';
}

/** Tables that this transaction has read and that no state covers. Throws StoreError. */
export async function findUncovered(client: Client): Promise<string[]> {
  return (await readRows(client, 'dashboards/find-uncovered')).map(({ name }) => name);
}

/** Whether the value of a board's variable occurs in any week of the account. Throws StoreError. */
export async function knowsChoice(
  client: Client,
  choice: Readonly<{ variable: string; accountId: string; value: string }>,
): Promise<boolean> {
  return (await readRows(client, 'dashboards/knows-choice', choice))[0]?.found ?? false;
}

/** Of one dataset: whether a week is there. `state` and `reason` are those of search_reports.weeks. */
export type DatasetWeek = DescribedRow<'dashboards/read-newest-week'>;

/** The newest week of an account that begins by `until`, with the state of each dataset. Empty if there is none. Throws StoreError. */
export const readNewestWeek = (
  client: Client,
  choice: Readonly<{ accountId: string; datasets: readonly string[]; until: string | null }>,
): Promise<DatasetWeek[]> => readRows(client, 'dashboards/read-newest-week', choice);
export type FoundThing = DescribedRow<'dashboards/find-things', { variable: 'keyword' | 'prompt' | 'page' | 'site' | 'topic' }>;

/** Things of an account whose text has the wanted one, in its newest weeks: equal ones first, then those that begin with it. Throws StoreError. */
export const findThings = (client: Client, about: Readonly<{ accountId: string; wanted: string; most: number }>): Promise<FoundThing[]> =>
  readRows(client, 'dashboards/find-things', about);

// The worlds of the demo's stories in the tables of a ledger, without a demo: the rows that the sandbox would serve are loaded as a job would.
import { resolveOptions } from '../../sandbox/options.ts';
import { wireRows } from '../../sandbox/queries/pages.ts';
import { planQuery } from '../../sandbox/queries/plan-query.ts';
import { DEFAULT_ACCOUNTS } from '../../sandbox/world/accounts.ts';
import type { StoryName } from '../../sandbox/world/stories.ts';
import { createWorld } from '../../sandbox/world/world.ts';
import { type IsoDate, windowOfWeeks } from '../../src/core/weeks.ts';
import { datasetNamed } from '../../src/datasets/index.ts';
import { recordJob } from '../../src/ledger/jobs.ts';
import type { Pool } from '../../src/postgres/pool.ts';
import { ownDomain } from './asked-weeks.ts';
import { jobOf } from './ledger.ts';
import { storeReports } from './stored-weeks.ts';
import { loadWindow } from './window-steps.ts';

type Filters = Readonly<Record<string, string[] | boolean>>;

/** The datasets that news are made of, with what the demo's jobs ask for. */
const ASKED: Readonly<Record<string, Filters>> = {
  keyword_rankings: { countries: ['US', 'DE'], devices: ['DESKTOP', 'SMARTPHONE'], includeMsv: true },
  ai_search_response: {},
  ai_search_brands: { brand_or_product_attributions: ['You', 'Partner'] },
  ai_search_citations: {},
  ai_search_sentiments: { languages: ['en_US'] },
};

export type StoryRow = Readonly<Record<string, string | null>>;
export type LoadedStory = Readonly<{
  account: string;
  /** What was served of a dataset for a week. */
  rowsOf: (dataset: string, week: IsoDate) => readonly StoryRow[];
}>;

/** Loads weeks of a story, which happens in the last one (the incident in a week of its own), for an account of its own. */
export async function loadStory(pool: Pool, story: StoryName, weeks: readonly IsoDate[]): Promise<LoadedStory> {
  const [first] = DEFAULT_ACCOUNTS;
  const { accountId } = jobOf();
  const settings = resolveOptions({ size: 'demo', story, accounts: first ? [{ ...first, id: accountId }] : [] });
  const newestWeek = weeks.at(-1) ?? '';
  const world = createWorld({ ...settings, storyWeek: newestWeek });
  await ownDomain(pool, jobOf({ accountId }), 'brightpeak.example');
  await ownDomain(pool, jobOf({ accountId }), 'peakhire.example');
  const served = new Map<string, readonly StoryRow[]>();
  for (const [name, filters] of Object.entries(ASKED)) {
    const dataset = datasetNamed(name);
    const job = { ...jobOf({ dataset, accountId, since: weeks[0] ?? '' }), filters, filtersDigest: JSON.stringify(filters) };
    for (const week of weeks) {
      await recordJob(pool, job, week);
      const window = windowOfWeeks(week, 1);
      const plan = planQuery(world, settings, { dataset, accountId, window, filters, newestWeek, revisions: [] });
      const rows = [...wireRows(plan, Number.POSITIVE_INFINITY)];
      served.set(
        `${name} ${week}`,
        rows.map((row) => Object.fromEntries(dataset.columns.map((column, at) => [column.name, (row[at] ?? null) as string | null]))),
      );
      await loadWindow(pool, job, rows, window);
    }
  }
  await storeReports(pool);
  return { account: String(accountId), rowsOf: (dataset, week) => served.get(`${dataset} ${week}`) ?? [] };
}

// Weeks of a job, each asked for with filters of its own.
import type { Job } from '../../src/config/settings.ts';
import { type IsoDate, windowOfWeeks } from '../../src/core/weeks.ts';
import type { Values } from '../../src/dashboards/variables.ts';
import { datasetNamed } from '../../src/datasets/index.ts';
import { recordJob } from '../../src/ledger/jobs.ts';
import type { Pool } from '../../src/postgres/pool.ts';
import { insertOwnDomains } from './account-settings.ts';
import { jobOf } from './ledger.ts';
import { storeReports } from './stored-weeks.ts';
import { loadWindow } from './window-steps.ts';
import { type WireValues, wireRow } from './wire-rows.ts';

export type RowsByWeek = readonly (readonly WireValues[])[];
export type AskedWeek = Readonly<{ week: IsoDate; filters?: Job['filters']; rows: readonly WireValues[] }>;

/** A row of any dataset of AI search: what one assistant was asked. */
export const prompt = (ai_search_engine: string, more: WireValues = {}): WireValues => ({
  ai_search_engine,
  locode: 'US',
  language: 'en_US',
  topic: 'shoes',
  prompt: 'best shoes',
  ...more,
});

/** Rows of prompts of their own, each with its values. */
export const promptRows = (rows: readonly WireValues[]): WireValues[] =>
  rows.map((row, at) => ({ ...prompt('chatgpt'), topic: 'gear', persona: 'none', prompt: `p${at}`, prompt_type: 'unbranded', ...row }));

/** Loads weeks of a job, has them summarised, and returns what panels are asked with. */
export async function loadAskedWeeks(pool: Pool, job: Job, weeks: readonly AskedWeek[]): Promise<Values> {
  for (const { week, filters = {}, rows } of weeks) {
    const asked = { ...job, filters, filtersDigest: JSON.stringify(filters), since: weeks[0]?.week ?? week };
    await recordJob(pool, asked, week);
    await loadWindow(
      pool,
      asked,
      rows.map((row) => wireRow(job, row, week)),
      windowOfWeeks(week, 1),
    );
  }
  await storeReports(pool);
  return { account: String(job.accountId), weeks: '13', top_n: '10', weighted: 'false', rank: 'standard' };
}

/** Loads some weeks of several datasets of an account, each with its rows by week. */
export async function loadDatasets(pool: Pool, weeks: readonly IsoDate[], datasets: Readonly<Record<string, RowsByWeek>>): Promise<Values> {
  const { accountId } = jobOf();
  let values: Values = {};
  for (const [name, rows] of Object.entries(datasets)) {
    const asked = weeks.map((week, at) => ({ week, rows: rows[at] ?? [] }));
    values = await loadAskedWeeks(pool, jobOf({ dataset: datasetNamed(name), accountId }), asked);
  }
  return values;
}

export async function ownDomain(pool: Pool, { accountId }: Job, domain = 'acme.example'): Promise<void> {
  await insertOwnDomains(pool, accountId, domain);
}

// The questions of docs/tables.md, asked as an analyst, and the keys by which they join: datasets that spell places differently meet.
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { type IsoDate, windowOfWeeks } from '../../../src/core/weeks.ts';
import { type DatasetName, datasetNamed } from '../../../src/datasets/index.ts';
import { insertOwnDomains } from '../../support/account-settings.ts';
import { useLogin } from '../../support/database-access.ts';
import { jobOf, useLedger, WEEK } from '../../support/ledger.ts';
import { storeReports } from '../../support/stored-weeks.ts';
import { loadWindow } from '../../support/window-steps.ts';
import { type WireValues, wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const ACCOUNT = 12_345;
const BEFORE: IsoDate = '2026-11-01';
const EARLIER: IsoDate = '2026-10-25';
const analyst = useLogin(ledger, 'searchmill_analyst');

const PROMPT = {
  collection_frequency: 'WEEKLY',
  language: 'en_US',
  ai_search_engine: 'chatgpt',
  topic: 'shoes',
  prompt_type: 'Unbranded',
  persona: 'all',
};
const page = readFileSync(new URL('../../../docs/tables.md', import.meta.url), 'utf8');
const questions = [...page.matchAll(/^(?<question>.+\?)\n\n```sql\n(?<sql>[^`]+)```/gm)].map(({ groups }) => ({
  question: groups?.question ?? '',
  sql: groups?.sql ?? '',
}));

async function load(name: DatasetName, rowsOfWeeks: Readonly<Partial<Record<IsoDate, readonly WireValues[]>>>): Promise<void> {
  const job = jobOf({ accountId: ACCOUNT, dataset: datasetNamed(name) });
  for (const [start, rows = []] of Object.entries(rowsOfWeeks) as [IsoDate, readonly WireValues[]][])
    await loadWindow(
      ledger.pool,
      job,
      rows.map((values) => wireRow(job, values, start)),
      windowOfWeeks(start, 1),
    );
}

beforeAll(async () => {
  const search = { search_engine: 'GOOGLE', device: 'DESKTOP', root_domain: 'acme.example', subdomain: 'www.acme.example' };
  await insertOwnDomains(ledger.pool, ACCOUNT, 'acme.example');
  await load('keyword_rankings', {
    [BEFORE]: [
      { ...search, query: 'boots', rank_standard: '2' },
      { ...search, query: 'socks', rank_standard: '3' },
    ],
    [WEEK.start]: [
      { ...search, query: 'boots', rank_standard: '7' },
      { ...search, query: 'shoes', rank_standard: '1' },
      { ...search, query: 'socks', rank_standard: '1', root_domain: 'other.example', subdomain: 'other.example' },
    ],
  });
  const answers = ['best shoes', 'which boots'].map((prompt) => ({ ...PROMPT, prompt, locode: 'US-NYC', ai_response: `of ${prompt}` }));
  await load('ai_search_response', { [EARLIER]: answers, [BEFORE]: answers, [WEEK.start]: answers });
  // Spelled differently from the answers.
  const brand = { ...PROMPT, prompt: 'best shoes', locode: 'us nyc', ai_response_collected: 'true' };
  await load('ai_search_brands', {
    [BEFORE]: [{ ...brand, prompt: 'which boots', brand_or_product_name: 'Acme', brand_or_product_attribution: 'You' }],
    [WEEK.start]: [
      { ...brand, brand_or_product_name: 'Acme', brand_or_product_attribution: 'YOU' },
      { ...brand, brand_or_product_name: 'Other', brand_or_product_attribution: 'SEO Competitor' },
    ],
  });
  await load('ai_search_citations', {
    [WEEK.start]: ['best shoes', 'which boots'].map((prompt) => ({
      ...PROMPT,
      prompt,
      locode: 'US NYC',
      citation_domain: 'www.Reviews.example',
      citation_url: `https://www.Reviews.example/${prompt.replace(' ', '-')}`,
      citation_attribution: 'SEO Competitor',
    })),
  });
  // Which names are ours is known from weeks that are stored.
  await storeReports(ledger.pool);
});

describe('a question of docs/tables.md', () => {
  it('is one of ten', () => {
    expect(questions).toHaveLength(10);
  });

  it.each(questions)('$question is answered to an analyst', async ({ sql }) => {
    expect((await analyst.pool.query(sql)).rows).not.toHaveLength(0);
  });

  it('about lost places lists first the searches that no longer find us', async () => {
    const { sql = '' } = questions.find(({ question }) => question.includes('lost the most places')) ?? {};
    expect((await analyst.pool.query<{ query: string }>(sql)).rows).toMatchObject([
      { query: 'socks', before: 3, now: null },
      { query: 'boots', before: 2, now: 7 },
    ]);
  });
});

describe('keys of answers', () => {
  const ask = async (sql: string, values: unknown[] = [ACCOUNT]): Promise<Record<string, unknown>[]> =>
    (await analyst.pool.query<Record<string, unknown>>(sql, values)).rows;

  it('are the same in every dataset, and tell which answers name us', async () => {
    const rows = await ask(
      "SELECT prompt, prompt_type, is_naming FROM search_reports.answers WHERE account_id = $1 AND week = '2026-11-08' ORDER BY prompt",
    );
    expect(rows).toEqual([
      { prompt: 'best shoes', prompt_type: 'unbranded', is_naming: true },
      { prompt: 'which boots', prompt_type: 'unbranded', is_naming: false },
    ]);
    const summary =
      'SELECT sum(answers)::integer AS answers, sum(naming_answers)::integer AS naming FROM search_reports.ai_answers WHERE account_id = $1';
    const singly =
      'SELECT count(*)::integer AS answers, (count(*) FILTER (WHERE is_naming))::integer AS naming FROM search_reports.answers WHERE account_id = $1';
    expect(await ask(singly)).toEqual(await ask(summary));
  });

  it('are the same in every week, and one answer has one', async () => {
    expect(
      await ask(
        'SELECT count(*)::integer AS answers, count(DISTINCT answer_key)::integer AS keys FROM search_reports.answers WHERE account_id = $1',
      ),
    ).toEqual([{ answers: 6, keys: 2 }]);
  });

  it('leave unknown whether an answer names us in a period without brands', async () => {
    const rows = await ask('SELECT DISTINCT is_naming FROM search_reports.answers WHERE account_id = $1 AND period_start = $2', [
      ACCOUNT,
      EARLIER,
    ]);
    expect(rows).toEqual([{ is_naming: null }]);
  });

  it('are computed once per row, however few rows Postgres expects', async () => {
    // A join by keys is a loop over all pairs where it expects one.
    const plan = JSON.stringify(
      await ask(`EXPLAIN (FORMAT JSON) SELECT is_naming FROM search_reports.answers WHERE account_id = ${ACCOUNT}`, []),
    );
    expect(plan).toContain('WindowAgg');
    expect(plan).not.toMatch(/"(?:Hash Cond|Join Filter|Merge Cond)":"[^"]*answer_key/);
  });

  it('lead to citations with sites without www. and attributions in one spelling', async () => {
    const rows = await ask(
      `SELECT c.site, c.page, c.attribution FROM search_reports.answers a JOIN search_reports.answer_citations c USING (account_id, period_start, answer_key)
        WHERE a.account_id = $1 AND a.is_naming`,
    );
    expect(rows).toEqual([{ site: 'reviews.example', page: 'reviews.example/best-shoes', attribution: 'seo competitor' }]);
  });

  it('read no other periods than the chosen one', async () => {
    for (const view of ['answers', 'answer_brands', 'answer_citations']) {
      const plan = JSON.stringify(
        await ask(
          `EXPLAIN (FORMAT JSON) SELECT * FROM search_reports.${view} WHERE account_id = ${ACCOUNT} AND period_start = '2026-11-08'`,
          [],
        ),
      );
      const partitions = [...new Set([...plan.matchAll(/"Relation Name":"(ai_search_\w+?_\d{4}_\d\d)"/g)].map(([, name = '']) => name))];
      expect(partitions).not.toEqual([]);
      for (const name of partitions) expect(name).toMatch(/_2026_11$/);
      expect(plan).not.toMatch(/"Seq Scan".{0,200}ai_search/);
    }
  });
});

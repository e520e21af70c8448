// What may be chosen on a board: of the newest weeks that are stored, read without computing any.
import { expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { addDays, windowOfWeeks } from '../../../src/core/weeks.ts';
import { chooseValues } from '../../../src/dashboards/board-view.ts';
import { readBoards } from '../../../src/dashboards/boards.ts';
import { inSnapshot } from '../../../src/dashboards/run-panels.ts';
import { datasetNamed } from '../../../src/datasets/index.ts';
import { compileStatement } from '../../../src/postgres/named-parameters.ts';
import { serveDashboards } from '../../support/dashboards.ts';
import { useLogin } from '../../support/database-access.ts';
import { jobOf, useLedger, WEEK } from '../../support/ledger.ts';
import { storeReports } from '../../support/stored-weeks.ts';
import { markSummarising } from '../../support/unpublished-weeks.ts';
import { loadWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const reader = useLogin(ledger, 'searchmill_reader');
const FIRST_OF_13 = addDays(WEEK.start, -7 * 12);
const TOO_OLD = addDays(WEEK.start, -7 * 13);

async function optionsOf(boardName: string, accountId: number): Promise<Record<string, readonly string[]>> {
  const board = readBoards().find(({ name }) => name === boardName);
  if (!board) throw new Error(`there is no board ${boardName}`);
  const { choices } = await inSnapshot(ledger.pool, (client) => chooseValues(client, board, { account: String(accountId) }));
  const asked = choices.filter(({ variable }) => variable.choice.kind === 'query' && !['account', 'compare'].includes(variable.name));
  return Object.fromEntries(asked.map(({ variable, options }) => [variable.name, options.map(({ label }) => label)]));
}

it('offers what the newest 13 weeks have, of rankings and of answers', async () => {
  const { pool } = ledger;
  const rankings = jobOf();
  const answers = jobOf({ accountId: rankings.accountId, dataset: datasetNamed('ai_search_response') });
  const load = (job: Job, week: string, values: Readonly<Record<string, string>>) =>
    loadWindow(pool, job, [wireRow(job, values, week)], windowOfWeeks(week, 1));
  const ranking = (country: string, id: string) => ({
    query: 'a',
    search_engine: 'GOOGLE',
    device: 'DESKTOP',
    search_engine_country_code: country,
    web_property_id: id,
    web_property_name: `Site ${id}`,
  });
  const answer = (assistant: string, locode: string, id: string) => ({
    prompt: 'a',
    ai_search_engine: assistant,
    locode,
    web_property_id: id,
    web_property_name: `Site ${id}`,
  });
  await load(rankings, TOO_OLD, ranking('DE', '1'));
  await load(rankings, FIRST_OF_13, ranking('FR', '2'));
  await load(rankings, WEEK.start, ranking('US', '3'));
  await load(answers, TOO_OLD, answer('old', 'DE', '1'));
  await load(answers, FIRST_OF_13, answer('gemini', 'FR', '2'));
  await load(answers, WEEK.start, answer('chatgpt', 'GB', '4'));
  await storeReports(pool);
  const shared = { web_property: ['Site 2', 'Site 3', 'Site 4'], country: ['FR', 'GB', 'US'] };
  expect(await optionsOf('rankings', rankings.accountId)).toEqual({
    ...shared,
    engine: ['Google'],
    device: ['Desktop'],
    keyword_group: [],
    competitor: [],
  });
  expect(await optionsOf('ai-visibility', rankings.accountId)).toEqual({
    ...shared,
    competitor: [],
    assistant: ['ChatGPT', 'Gemini'],
    topics: ['(none)'],
  });
});

it('names web properties of every dataset that boards filter by, and takes the name from an earlier week where the newest rows are gone', async () => {
  const { pool } = ledger;
  const rankings = jobOf();
  const { accountId } = rankings;
  const property = (id: string, name: string) => ({ web_property_id: id, web_property_name: name });
  const load = (job: Job, week: string, records: readonly Readonly<Record<string, string>>[]) =>
    loadWindow(
      pool,
      job,
      records.map((record) => wireRow(job, record, week)),
      windowOfWeeks(week, 1),
    );
  const search = { search_engine: 'GOOGLE', device: 'DESKTOP', search_engine_country_code: 'US' };
  const weekBefore = addDays(WEEK.start, -7);
  await load(rankings, weekBefore, [{ ...search, query: 'a', ...property('1', 'Shop, as it was called') }]);
  await load(rankings, WEEK.start, [
    { ...search, query: 'a', ...property('1', 'Shop') },
    { ...search, query: 'b', ...property('2', 'Rentals') },
  ]);
  for (const [index, dataset] of (['ai_search_citations', 'ai_search_sentiments', 'ai_search_fan_out'] as const).entries()) {
    await load(jobOf({ accountId, dataset: datasetNamed(dataset) }), WEEK.start, [
      { prompt: 'a', ai_search_engine: 'gemini', ...property(String(3 + index), 'Same name') },
    ]);
  }
  await storeReports(pool);
  // By hand, so they are none that the table must have.
  await pool.query('DELETE FROM search.keyword_rankings WHERE account_id = $1 AND time_period_start = $2', [accountId, WEEK.start]);
  await pool.query(
    `DELETE FROM searchmill.published_periods p USING searchmill.slices s
      WHERE s.id = p.slice_id AND s.dataset = 'keyword_rankings' AND p.account_id = $1 AND p.period_start = $2`,
    [accountId, WEEK.start],
  );
  const { web_property } = await optionsOf('rankings', accountId);
  expect(web_property).toEqual(['2', 'Same name (3)', 'Same name (4)', 'Same name (5)', 'Shop, as it was called']);
});

it('offers choices without computing a week, and with no more rights than readers of boards have', async () => {
  const { pool } = ledger;
  const job = jobOf();
  const load = (week: string, device: string) =>
    loadWindow(pool, job, [wireRow(job, { query: 'a', search_engine: 'GOOGLE', device }, week)], windowOfWeeks(week, 1));
  await load(addDays(WEEK.start, -7), 'DESKTOP');
  await storeReports(pool);
  await load(WEEK.start, 'SMARTPHONE');
  const variables = readBoards().flatMap(({ variables: all }) => all.filter(({ optionsSql }) => optionsSql !== undefined));
  expect(variables.length).toBeGreaterThan(5);
  const client = await pool.connect();
  try {
    await client.query(`BEGIN; SET LOCAL track_functions = 'all'; SET LOCAL ROLE ${reader.name}`);
    for (const { name, optionsSql } of variables) {
      const { text, parameters } = compileStatement(optionsSql ?? '');
      const { rows } = await client.query<{ value: string }>(
        text,
        parameters.map((parameter) => (parameter === 'account' ? job.accountId : null)),
      );
      if (name === 'device') expect(rows.map(({ value }) => value)).toEqual(['DESKTOP']);
    }
    const { rows } = await client.query<{ name: string }>('SELECT funcname AS name FROM pg_stat_xact_user_functions');
    const called = rows.map(({ name }) => name);
    expect(called).toContain('choices');
    expect(called.filter((name) => name.startsWith('compute_'))).toEqual([]);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
});

it('reports a value that no week has, on the page and in the CSV, and accepts one that only older weeks have', async () => {
  const { pool } = ledger;
  const job = jobOf();
  const search = { query: 'a', search_engine: 'GOOGLE', device: 'DESKTOP' };
  for (const [week, country] of [
    [TOO_OLD, 'DE'],
    [WEEK.start, 'US'],
  ] as const)
    await loadWindow(pool, job, [wireRow(job, { ...search, search_engine_country_code: country }, week)], windowOfWeeks(week, 1));
  await storeReports(pool);
  const account = String(job.accountId);
  const dashboards = await serveDashboards(ledger.url);
  const get = async (path: string, query: Record<string, string>): Promise<[number, string]> => {
    const response = await fetch(`${dashboards.url}/boards/rankings${path}?${new URLSearchParams({ account, ...query })}`);
    return [response.status, await response.text()];
  };
  try {
    for (const [query, sentence] of [
      [{ country: 'XX' }, 'country: XX is unknown; expected one of US'],
      [{ device: 'TOASTER' }, 'device: TOASTER is unknown; expected one of DESKTOP'],
      [{ web_property: '77' }, 'web_property: 77 is unknown; expected one of (none)'],
      [{ account: '999999999' }, 'account: 999999999 is unknown; expected one of '],
    ] as [Record<string, string>, string][]) {
      expect(await get('/market-share.csv', query)).toEqual([400, expect.stringContaining(sentence)]);
      expect(await get('', query)).toEqual([400, expect.stringContaining(sentence)]);
    }
    expect(await get('/rank-distribution.csv', { country: 'DE', weeks: '52' })).toEqual([200, expect.stringContaining(TOO_OLD)]);
    await markSummarising(pool, account, WEEK.start);
    expect((await get('/market-share.csv', { country: 'XX' }))[0]).toBe(200);
    await storeReports(pool);
  } finally {
    await dashboards.close();
  }
});

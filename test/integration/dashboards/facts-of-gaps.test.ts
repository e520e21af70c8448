// What is not known is a gap with its reason, and never zero; weeks that a figure leaves out are told.
import { describe, expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { windowOfWeeks } from '../../../src/core/weeks.ts';
import { readBoards } from '../../../src/dashboards/boards.ts';
import type { Values } from '../../../src/dashboards/variables.ts';
import { DATASETS, datasetNamed } from '../../../src/datasets/index.ts';
import { recordJob } from '../../../src/ledger/jobs.ts';
import { insertOwnDomains } from '../../support/account-settings.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { asksOf } from '../../support/panels.ts';
import { storeOnCluster, storeReports } from '../../support/stored-weeks.ts';
import { loadWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const [FIRST, SECOND] = ['2026-11-01', '2026-11-08'] as const;
const ask = asksOf(() => ledger.pool, 'ai-visibility');

it('sentiment: a week without values is a gap', async () => {
  const job = jobOf({ dataset: datasetNamed('ai_search_sentiments') });
  for (const [week, value] of [
    [FIRST, 'Neutral'],
    [SECOND, ''],
  ] as const) {
    const row = wireRow(job, { sentiment_brand: 'Acme', sentiment_value: value, ai_search_engine: 'chatgpt' }, week);
    await loadWindow(ledger.pool, job, [row], windowOfWeeks(week, 1));
  }
  await recordJob(ledger.pool, { ...job, since: FIRST }, SECOND);
  await storeReports(ledger.pool);
  expect(
    (await ask('sentiment-score', { account: String(job.accountId), weeks: '13' })).filter(({ brand }) => brand === 'Acme'),
  ).toMatchObject([
    { week: FIRST, sentiment_score: '50.0', reason: null },
    { week: SECOND, sentiment_score: null, mentions: '0', reason: 'some mentions have another sentiment, or none' },
  ]);
});

it('sentiment: mentions without a value do not count as criticism', async () => {
  const { accountId } = jobOf();
  const [brands, sentiments] = ['ai_search_brands', 'ai_search_sentiments'].map((dataset) =>
    jobOf({ dataset: datasetNamed(dataset), accountId, since: FIRST }),
  ) as [Job, Job];
  const ours = { brand_or_product_name: 'Acme', brand_or_product_attribution: 'You' };
  for (const week of [FIRST, SECOND]) await loadWindow(ledger.pool, brands, [wireRow(brands, ours, week)], windowOfWeeks(week, 1));
  for (const [week, second] of [
    [FIRST, 'Positive'],
    [SECOND, null],
  ] as const) {
    const rows = ['Positive', second].map((value) => wireRow(sentiments, { sentiment_brand: 'Acme', sentiment_value: value }, week));
    await loadWindow(ledger.pool, sentiments, rows, windowOfWeeks(week, 1));
  }
  for (const job of [brands, sentiments]) await recordJob(ledger.pool, job, SECOND);
  await storeReports(ledger.pool);
  const values = { account: String(accountId), weeks: '13', compare: 'week' };
  const shown = await ask('sentiment-score', values);
  expect(shown.map(({ sentiment_score, mentions }) => [sentiment_score, mentions])).toEqual([
    // Both are equal in all columns: the service has sent one twice.
    ['100.0', '1'],
    ['100.0', '1'],
  ]);
  expect((await asksOf(() => ledger.pool, 'home')('sentiment', values)).at(-1)).toMatchObject({ figure: '100.0', change: '0.0' });
});

it.each([
  [{}, 0],
  [{ limit: 1 }, null],
])('a prompt without an answer, of answers loaded with %o, has %s', async (filters, answers) => {
  const { accountId } = jobOf();
  const brands = jobOf({ dataset: datasetNamed('ai_search_brands'), accountId, since: FIRST });
  const response = jobOf({ dataset: datasetNamed('ai_search_response'), accountId, since: FIRST, filters });
  const named = ['one', 'two'].map((prompt) => wireRow(brands, { prompt, brand_or_product_attribution: 'You' }, FIRST));
  await loadWindow(ledger.pool, brands, named, windowOfWeeks(FIRST, 1));
  await loadWindow(ledger.pool, response, [wireRow(response, { prompt: 'one' }, FIRST)], windowOfWeeks(FIRST, 1));
  await storeReports(ledger.pool);
  const { rows } = await ledger.pool.query(
    'SELECT prompt, answers FROM search_reports.prompt_facts WHERE account_id = $1 ORDER BY prompt',
    [accountId],
  );
  expect(rows).toEqual([
    { prompt: 'one', answers: 1 },
    { prompt: 'two', answers },
  ]);
});

it('citations without a domain have their share', async () => {
  const job = jobOf({ dataset: datasetNamed('ai_search_citations') });
  const rows = ['', 'other.example'].map((domain) => wireRow(job, { citation_domain: domain || null, citation_url: domain }, FIRST));
  await loadWindow(ledger.pool, job, rows, windowOfWeeks(FIRST, 1));
  await ledger.pool.query('UPDATE search.ai_search_citations SET citation_domain = nullif(citation_domain, $2) WHERE account_id = $1', [
    job.accountId,
    '',
  ]);
  await recordJob(ledger.pool, { ...job, since: FIRST }, FIRST);
  await storeReports(ledger.pool);
  expect(await ask('citation-share', { account: String(job.accountId), weeks: '13' })).toMatchObject([
    { site: '(no page)', percent: '50.00', citations: '1' },
    { site: 'other.example', percent: '50.00' },
  ]);
});

it('searches of assistants: the weeks left out are reported', async () => {
  const job = jobOf({ dataset: datasetNamed('ai_search_fan_out') });
  await loadWindow(ledger.pool, job, [wireRow(job, { fan_out_query: 'running shoes' }, FIRST)], windowOfWeeks(FIRST, 1));
  await recordJob(ledger.pool, { ...job, since: FIRST }, SECOND);
  await storeReports(ledger.pool);
  expect(await ask('fan-out', { account: String(job.accountId), weeks: '13' })).toMatchObject([
    { query: 'running shoes', notice: `Week of ${FIRST}. The week of ${SECOND} is left out: missing (${job.name}).` },
  ]);
});

describe('where no week has figures, every panel of figures says why', () => {
  const THING: Values = { keyword: 'boots', page: 'acme.example/a', site: 'acme.example', topic: 'Boots', prompt: 'Which boots?' };
  const ROW = {
    query: 'boots',
    prompt: 'Which boots?',
    topic: 'Boots',
    ai_search_engine: 'chatgpt',
    device: 'DESKTOP',
    root_domain: 'acme.example',
  };
  const CITED = { normalized_url: 'https://acme.example/a', citation_url: 'https://acme.example/a', citation_domain: 'acme.example' };
  const VALUES: Values = { ...THING, weeks: '13', compare: 'week', top_n: '10', weighted: 'false', rank: 'standard' };
  // Panels about all datasets read the ledger.
  const panelsOfFigures = readBoards().flatMap(({ panels }) => panels.filter(({ datasets }) => datasets.length < DATASETS.length));

  /** The texts of each panel that do not say so. */
  async function silentPanels(account: string, why: RegExp, { weeks = '13', panels = panelsOfFigures } = {}): Promise<readonly unknown[]> {
    const silent: unknown[] = [];
    for (const { board: name, ...panel } of panels) {
      const rows = await asksOf(() => ledger.pool, name, { isWhole: true })(panel.name, { ...VALUES, account, weeks });
      if (!rows.some(({ reason, notice }) => why.test(`${reason} ${notice}`))) silent.push([name, panel.name, rows]);
    }
    return silent;
  }

  async function load(isLoaded: boolean): Promise<string> {
    const { accountId } = jobOf();
    for (const dataset of DATASETS) {
      const job = jobOf({ dataset, accountId, since: FIRST });
      if (isLoaded)
        await loadWindow(ledger.pool, job, [wireRow(job, { ...ROW, ...CITED, rank_standard: '1' }, FIRST)], windowOfWeeks(FIRST, 1));
      await recordJob(ledger.pool, job, FIRST);
    }
    await storeReports(ledger.pool);
    return String(accountId);
  }

  it('that they are being summarised', async () => {
    const account = await load(true);
    await ledger.pool.query(
      `INSERT INTO searchmill.stale_weeks (subject, account_id, week, is_live)
       SELECT DISTINCT (search_reports.subjects_of(name))[1], $1::bigint, $2::date, false FROM unnest($3::text[]) AS name WHERE search_reports.subjects_of(name) <> '{}'`,
      [account, FIRST, DATASETS.map(({ name }) => name)],
    );
    expect(await silentPanels(account, /being summarised/)).toEqual([]);
    await storeReports(ledger.pool);
  });

  it('that they are missing', async () => {
    expect(await silentPanels(await load(false), /missing/)).toEqual([]);
  });

  it('that none of the chosen weeks is there, and which weeks are', async () => {
    const panels = panelsOfFigures.filter(({ variables }) => variables.some(({ name }) => name === 'weeks'));
    const why = new RegExp(`no week of [a-z _]+ is among those chosen: they are from ${FIRST} to ${FIRST}`, 'i');
    expect(await silentPanels(await load(true), why, { weeks: '2025-01-05..2025-03-02', panels })).toEqual([]);
  });

  it('that no site is ours, or that nothing is tracked or cited, instead of a zero for an unknown page', async () => {
    const account = await load(true);
    expect(await asksOf(() => ledger.pool, 'search')('places', { ...VALUES, account, keyword: 'never tracked' })).toMatchObject([
      { tracked: null, place: null, reason: expect.stringMatching(/no site is known|no results of it/) },
    ]);
    expect(await asksOf(() => ledger.pool, 'search', { isWhole: true })('pages', { ...VALUES, account })).toMatchObject([
      { url: null, reason: expect.stringContaining('no site is known to be ours') },
    ]);
    expect(await asksOf(() => ledger.pool, 'page')('citations', { ...VALUES, account, page: 'acme.example/b' })).toMatchObject([
      { assistant: null, citations: null, reason: 'no assistant cites it' },
    ]);
  });
});

describe('home', () => {
  const askHome = asksOf(() => ledger.pool, 'home', { isWhole: true });
  const VALUES: Values = { weeks: '13', compare: 'week', top_n: '10', weighted: 'false', rank: 'standard' };
  type Weeks = Readonly<Record<string, readonly Readonly<Record<string, string>>[]>>;

  async function load(accountId: number, dataset: Parameters<typeof datasetNamed>[0], weeks: Weeks): Promise<void> {
    const job = jobOf({ dataset: datasetNamed(dataset), accountId, since: FIRST });
    const usual = { ai_search_engine: 'chatgpt', device: 'DESKTOP', search_engine: 'GOOGLE', locode: 'US', language: 'en_US' };
    for (const [week, rows] of Object.entries(weeks))
      await loadWindow(
        ledger.pool,
        job,
        rows.map((row) => wireRow(job, { ...usual, ...row }, week)),
        windowOfWeeks(week, 1),
      );
    await recordJob(ledger.pool, job, Object.keys(weeks).at(-1) ?? FIRST);
    await storeReports(ledger.pool);
  }
  const newAccount = (): number => jobOf().accountId;

  it('tells which figures end before the newest week', async () => {
    const accountId = newAccount();
    await load(accountId, 'keyword_rankings', { [FIRST]: [{ query: 'a' }], [SECOND]: [{ query: 'a' }] });
    await load(accountId, 'ai_search_citations', { [FIRST]: [{ citation_domain: 'a.example' }] });
    const values = { ...VALUES, account: String(accountId) };
    expect(await askHome('missing', values)).toMatchObject([{ dataset: 'ai_search_citations', week: SECOND, state: 'not expected' }]);
  });

  it('signals: says where all rules are silent', async () => {
    const accountId = newAccount();
    const look = (rule: string, silence: string | null) =>
      ledger.pool.query(
        `INSERT INTO searchmill.signal_looks (account_id, week, rule, place, title, datasets, weeks, basis, cursor, silence) VALUES ($1, $2, $3, 1, $3, '{}', 2, '', 0, $4)
         ON CONFLICT (account_id, week, rule) DO UPDATE SET silence = excluded.silence`,
        [accountId, SECOND, rule, silence],
      );
    const values = { ...VALUES, account: String(accountId) };
    const found = () => asksOf(() => ledger.pool, 'signals', { isWhole: true })('found', values);
    for (const rule of ['a', 'b']) await look(rule, 'held (rankings)');
    expect(await found()).toMatchObject([{ what: null, reason: 'No rule can say anything about these weeks: see Silent rules.' }]);
    await look('a', null);
    expect(await found()).toMatchObject([{ what: null, reason: null }]);
  });
});

it('an answer is not called absent in the week before when it was not asked for then', async () => {
  const job = jobOf({ dataset: datasetNamed('ai_search_response'), since: FIRST });
  const rowOf = (engine: string, week: string) => wireRow(job, { prompt: 'p', ai_search_engine: engine, ai_response: 'x' }, week);
  await loadWindow(ledger.pool, { ...job, filters: { ai_search_engines: ['gemini'] } }, [rowOf('gemini', FIRST)], windowOfWeeks(FIRST, 1));
  await loadWindow(ledger.pool, job, ['gemini', 'chatgpt'].map((engine) => rowOf(engine, SECOND)), windowOfWeeks(SECOND, 1)); // biome-ignore format: one line
  await storeOnCluster(ledger.pool);
  await recordJob(ledger.pool, job, SECOND);
  const values = { account: String(job.accountId), prompt: 'p', assistant: ['chatgpt'], week: SECOND, before: FIRST };
  expect(await asksOf(() => ledger.pool, 'prompt')('answers', values)).toMatchObject([
    { answer_before: null, reason: 'Not asked for in the week compared with.' },
  ]);
});

it('visibility: a week without search volumes is a gap beside those that have them, on every board', async () => {
  const job = jobOf({ since: FIRST });
  await insertOwnDomains(ledger.pool, job.accountId, 'acme.example');
  for (const [week, average_search_volume] of [
    [FIRST, null],
    [SECOND, '10'],
  ] as const) {
    const row = wireRow(
      job,
      { query: 'a', search_engine: 'GOOGLE', root_domain: 'acme.example', rank_standard: '1', average_search_volume },
      week,
    );
    await loadWindow(ledger.pool, job, [row], windowOfWeeks(week, 1));
  }
  await recordJob(ledger.pool, job, SECOND);
  await storeReports(ledger.pool);
  const values: Values = { account: String(job.accountId), weeks: '13', compare: 'week', top_n: '1', weighted: 'true', rank: 'standard' };
  expect(await asksOf(() => ledger.pool, 'home')('visibility', values)).toMatchObject([
    { week: FIRST, figure: null, reason: expect.any(String) },
    { week: SECOND, figure: '100.00' },
  ]);
  expect(await asksOf(() => ledger.pool, 'rankings')('visibility', values)).toMatchObject([
    { week: FIRST, reason: 'no searches with a known volume', share: null },
    { week: SECOND, share: '100.00' },
  ]);
});

it('page: in a week without any citation an assistant has not cited it 0 times', async () => {
  const job = jobOf({ dataset: datasetNamed('ai_search_citations'), since: FIRST });
  const cited = wireRow(job, { ai_search_engine: 'gemini', citation_url: 'https://acme.example/a', prompt: 'p' }, SECOND);
  await loadWindow(ledger.pool, job, [], windowOfWeeks(FIRST, 1));
  await loadWindow(ledger.pool, job, [cited], windowOfWeeks(SECOND, 1));
  await recordJob(ledger.pool, job, SECOND);
  await storeReports(ledger.pool);
  for (const weeks of ['13', `${FIRST}..${FIRST}`])
    expect(
      (await asksOf(() => ledger.pool, 'page')('citations', { account: String(job.accountId), weeks, page: 'acme.example/a' }))[0],
    ).toMatchObject({ week: FIRST, assistant: 'gemini', citations: null, reason: 'nothing that is chosen is there in this week' });
});

it('tables of one week name the newer weeks that they leave out', async () => {
  const job = jobOf({ dataset: datasetNamed('ai_search_fan_out'), since: FIRST });
  await loadWindow(
    ledger.pool,
    job,
    [wireRow(job, { fan_out_query: 'boots', prompt: 'p', ai_search_engine: 'gemini' }, FIRST)],
    windowOfWeeks(FIRST, 1),
  );
  await storeOnCluster(ledger.pool);
  await recordJob(ledger.pool, job, SECOND);
  const values: Values = { account: String(job.accountId), weeks: '13', keyword: 'boots', prompt: 'p' };
  const notice = `Week of ${FIRST}. The week of ${SECOND} is left out: missing (${job.name}).`;
  for (const [board, panel] of [
    ['search', 'asked-by-assistants'],
    ['prompt', 'fan-out'],
  ] as const)
    expect([panel, await asksOf(() => ledger.pool, board)(panel, values)]).toMatchObject([panel, [{ assistant: 'gemini', notice }]]);
});

it('citations: of an assistant of which one job asks for ours only, no share is known, though another job asks for all of another assistant', async () => {
  const dataset = datasetNamed('ai_search_citations');
  const { accountId } = jobOf();
  const cited = (assistant: string, attributions: readonly string[]) =>
    attributions.map((citation_attribution, at) => ({
      ...{ ai_search_engine: assistant, prompt: 'p', prompt_type: 'unbranded', citation_attribution },
      citation_url: `https://site-${at}.example/`,
      citation_domain: `site-${at}.example`,
    }));
  for (const [assistant, attributions, filters] of [
    ['chatgpt', ['You'], { ai_search_engines: ['chatgpt'], citation_attributions: ['You'] }],
    ['gemini', ['You', 'Other'], { ai_search_engines: ['gemini'] }],
  ] as const) {
    const job = jobOf({ dataset, accountId, since: FIRST, filters, filtersDigest: assistant });
    const rows = cited(assistant, attributions).map((row) => wireRow(job, row, FIRST));
    await recordJob(ledger.pool, job, FIRST);
    await loadWindow(ledger.pool, job, rows, windowOfWeeks(FIRST, 1));
  }
  await storeReports(ledger.pool);
  const { rows } = await ledger.pool.query<{ line: string; level: string | null; reason: string | null }>(
    `SELECT line, round(level, 1)::text AS level, reason
       FROM search_reports.levels('citation_share', 'assistant', search_reports.all_of($1), NULL) ORDER BY line`,
    [accountId],
  );
  expect(rows).toEqual([
    { line: 'chatgpt', level: null, reason: 'only a part of the citations was asked for' },
    { line: 'gemini', level: '50.0', reason: null },
  ]);
});

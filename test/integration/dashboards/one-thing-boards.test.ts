// Boards of one thing as they are read: the answers themselves and what has changed in them, what is not known, how one comes there and back, and texts
// of strangers, which stay text.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { windowOfWeeks } from '../../../src/core/weeks.ts';
import { datasetNamed } from '../../../src/datasets/index.ts';
import { recordJob } from '../../../src/ledger/jobs.ts';
import { overflowOf, violationsOf } from '../../support/board-browser.ts';
import { isChromiumThere, launchBrowser, serveDashboards, type TestDashboards } from '../../support/dashboards.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { asksOf } from '../../support/panels.ts';
import { storeReports } from '../../support/stored-weeks.ts';
import { loadWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const ask = asksOf(() => ledger.pool, 'prompt');
const [FIRST, SECOND] = ['2026-11-01', '2026-11-08'] as const;
const PROMPT = 'Which tent & stove is "best"?';
/** A text as HTML has it. */
const written = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
const HOSTILE = '<script>window.isHacked=1</script>';
const accountId = 4711;
const UNCOMPARED = `Week of ${FIRST}. It is not compared: the week of 2026-10-25 is not loaded.`;
/** A keyword of the first week only. */
const PAST = 'last year';
const values = { account: String(accountId), prompt: PROMPT, week: SECOND, before: null, weeks: '13' };
let served: TestDashboards;

beforeAll(async () => {
  const load = async (dataset: Parameters<typeof datasetNamed>[0], weeks: Readonly<Record<string, readonly Record<string, string>[]>>) => {
    const job = jobOf({ dataset: datasetNamed(dataset), accountId });
    for (const [week, rows] of Object.entries(weeks)) {
      const wire = rows.map((row) =>
        wireRow(job, { prompt: PROMPT, prompt_type: 'unbranded', locode: 'US', language: 'en_US', ...row }, week),
      );
      await loadWindow(ledger.pool, job, wire, windowOfWeeks(week, 1));
    }
    await recordJob(ledger.pool, { ...job, since: FIRST }, SECOND);
  };
  const answer = (engine: string, text: string) => ({ ai_search_engine: engine, ai_response: text });
  const stranger = { ai_search_engine: 'chatgpt', prompt: HOSTILE, topic: HOSTILE };
  await load('ai_search_response', {
    [FIRST]: [
      answer('chatgpt', 'Acme is good. Rival Tents is cheap. Buy early.'),
      answer('gemini', 'The same.'),
      answer('perplexity', 'Acme leads.'),
    ],
    [SECOND]: [
      answer('chatgpt', `Acme is good. Rival Tents is dear. Buy early. ${HOSTILE} Acmeology is none.`),
      answer('gemini', 'The same.'),
      { ...stranger, ai_response: `**${HOSTILE}**\n## ${HOSTILE}` },
    ],
  });
  const you = { brand_or_product_name: 'Acme', brand_or_product_attribution: 'you' };
  await load('ai_search_brands', {
    [FIRST]: [
      { ai_search_engine: 'chatgpt', ...you },
      { ai_search_engine: 'perplexity', ...you },
    ],
    [SECOND]: [
      { ai_search_engine: 'chatgpt', ...you },
      { ai_search_engine: 'gemini', ...you, prompt: 'another' },
      { ...stranger, ...you },
    ],
  });
  await load('ai_search_sentiments', {
    [SECOND]: [
      {
        ai_search_engine: 'chatgpt',
        sentiment_brand: 'Rival Tents',
        sentiment_value: 'Negative',
        sentiment_snippet: 'is dear',
        sentiment_score: '1',
      },
      {
        ai_search_engine: 'chatgpt',
        sentiment_brand: 'Acme',
        sentiment_value: 'Negative',
        sentiment_snippet: 'is heavy',
        sentiment_score: '1',
      },
      { ...stranger, sentiment_brand: HOSTILE, sentiment_value: 'Positive', sentiment_snippet: HOSTILE, sentiment_source_domain: HOSTILE },
    ],
  });
  const cited = (url: string) => ({ ai_search_engine: 'chatgpt', citation_url: url, citation_domain: 'x.example' });
  await load('ai_search_citations', {
    [FIRST]: [cited('x.example/a'), cited('x.example/b')],
    [SECOND]: [
      cited('x.example/b'),
      cited('x.example/c'),
      { ...stranger, citation_url: `https://${HOSTILE}/`, citation_domain: HOSTILE, citation_title: HOSTILE },
    ],
  });
  const result = (query: string, values: Readonly<Record<string, string>>) => ({
    query,
    device: 'DESKTOP',
    search_engine: 'GOOGLE',
    search_engine_country_code: 'US',
    ...values,
  });
  const strange = { root_domain: HOSTILE, subdomain: HOSTILE, normalized_url: `https://${HOSTILE}/`, title: HOSTILE, result_type: HOSTILE };
  await load('keyword_rankings', {
    [FIRST]: [result(PAST, { rank_standard: '1', root_domain: 'x.example', normalized_url: 'https://x.example/' })],
    [SECOND]: [
      result(HOSTILE, { rank_standard: '1', ...strange, keyword_group_ids: '1', keyword_group_names: HOSTILE }),
      result(HOSTILE, { rank_standard: '2', root_domain: 'x.example', normalized_url: 'https://x.example/' }),
    ],
  });
  await load('ai_search_fan_out', {
    [SECOND]: [
      { ai_search_engine: 'chatgpt', fan_out_query: 'best tent', fan_out_query_position: '1', amount_of_searches: '2' },
      { ...stranger, fan_out_query: HOSTILE, fan_out_query_position: '1', amount_of_searches: '1' },
    ],
  });
  await storeReports(ledger.pool);
  served = await serveDashboards(ledger.url, { hasScript: isChromiumThere });
});
afterAll(() => served.close());

const pageOf = async (query: Readonly<Record<string, string>>): Promise<string> =>
  (await fetch(`${served.url}/boards/prompt?${new URLSearchParams({ account: String(accountId), prompt: PROMPT, ...query })}`)).text();

it('has every answer beside that of the week before, and says why one is missing', async () => {
  expect(await ask('answers', values)).toMatchObject([
    {
      assistant: 'chatgpt',
      notice: `Week of ${SECOND}, compared with the week of ${FIRST}.`,
      our_brands: 'Acme',
      rival_brands: 'Rival Tents',
      reason: null,
    },
    { assistant: 'gemini', answer: 'The same.', answer_before: 'The same.', reason: null },
    { assistant: 'perplexity', answer: null, answer_before: 'Acme leads.', reason: 'Not asked for in this week.' },
  ]);
  expect(await ask('answers', { ...values, week: FIRST })).toMatchObject([
    { assistant: 'chatgpt', answer_before: null, reason: null, notice: UNCOMPARED },
    { assistant: 'gemini' },
    { assistant: 'perplexity' },
  ]);
});

it('shows by sentences what has changed, marks the brands named, and takes no text for markup', async () => {
  const html = await pageOf({ week: SECOND });
  expect(html).toMatch(/<del>[^<]*<mark>Rival Tents<\/mark> is cheap\./);
  expect(html).toMatch(/<ins>[^<]*<mark>Rival Tents<\/mark> is dear\./);
  expect(html).toContain('<mark class="ours">Acme</mark> is good.');
  expect(html).not.toContain('<mark class="ours">Acme</mark>ology');
  expect(html).toContain('Identical to the week compared with.');
  expect(html).toContain('&lt;script>window.isHacked=1');
  expect(html).not.toContain(HOSTILE);
  expect(html).toContain('★ <bdi>Acme</bdi>');
});

it('counts how often assistants name us: zero only where the prompt was asked in the week', async () => {
  const rows = await ask('named', values);
  expect(rows.map(({ week, assistant, percent, reason }) => ({ week, assistant, percent, reason }))).toEqual([
    { week: FIRST, assistant: 'chatgpt', percent: '100.0', reason: null },
    { week: SECOND, assistant: 'chatgpt', percent: '100.0', reason: null },
    { week: FIRST, assistant: 'gemini', percent: '0.0', reason: null },
    { week: SECOND, assistant: 'gemini', percent: '0.0', reason: null },
    { week: FIRST, assistant: 'perplexity', percent: '100.0', reason: null },
    { week: SECOND, assistant: 'perplexity', percent: null, reason: 'nothing that is chosen is there in this week' },
  ]);
});

it('calls citations new or gone only where both weeks are there', async () => {
  const changes = async (week: string) =>
    (await ask('citations', { ...values, week })).map(({ url, change, notice }) => [url, change, notice === UNCOMPARED]);
  expect(await changes(SECOND)).toEqual([
    ['x.example/b', null, false],
    ['x.example/c', 'new', false],
    ['x.example/a', 'gone', false],
  ]);
  expect(await changes(FIRST)).toEqual([
    ['x.example/a', null, true],
    ['x.example/b', null, true],
  ]);
  expect(await ask('fan-out', values)).toMatchObject([{ query: 'best tent', searches: '2' }]);
  expect(await ask('sentiments', values)).toMatchObject([{ brand: 'Acme', snippet: 'is heavy' }, { brand: 'Rival Tents' }]);
});

it('compares no week with itself or with a later one', async () => {
  for (const before of [FIRST, SECOND]) {
    const rows = await ask('citations', { ...values, week: FIRST, before });
    expect(
      rows.map(({ url, change, notice }) => [
        url,
        change,
        notice?.startsWith(`Week of ${FIRST}. It is not compared: the week of ${before} is not before it.`),
      ]),
    ).toEqual([
      ['x.example/a', null, true],
      ['x.example/b', null, true],
    ]);
    for (const { answer_before } of await ask('answers', { ...values, week: FIRST, before })) expect(answer_before).toBeNull();
  }
});

it('is linked from "what is said against us", with the way back in the address', async () => {
  const board = await (
    await fetch(`${served.url}/boards/ai-visibility?account=${accountId}&weeks=4&device=DESKTOP&assistant=chatgpt`)
  ).text();
  const href = /<a href="(\/boards\/prompt\?[^"]*back=[^"]+)"/.exec(board)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const query = new URLSearchParams(href.split('?')[1]);
  // What is chosen goes along, also what only other boards go by, and what is as by default does not.
  expect(
    Object.fromEntries(['prompt', 'account', 'weeks', 'device', 'assistant', 'branded'].map((name) => [name, query.get(name)])),
  ).toEqual({
    prompt: PROMPT,
    account: String(accountId),
    weeks: '4',
    device: 'DESKTOP',
    assistant: 'chatgpt',
    branded: null,
  });
  expect(query.get('back')).toMatch(/^\/boards\/ai-visibility\?.*#against-us$/);
  const page = await (await fetch(served.url + href)).text();
  expect(page).toContain('>Back to AI visibility</a>');
  expect(page).toContain(`href="/boards/rankings?device=DESKTOP&amp;account=${accountId}&amp;assistant=chatgpt&amp;weeks=4"`);
  expect(page).toContain('<input type="hidden" name="device" value="DESKTOP"');
  expect(page).toMatch(/<input type="hidden" name="back" value="\/boards\/ai-visibility\?[^"]*#against-us"/);
  expect(page).toContain(`<p class="subject"><bdi>${written(PROMPT)}`);
  expect(await pageOf({ back: 'https://evil.example/' })).not.toContain('Back to');
  expect(await pageOf({ back: '//evil.example' })).not.toContain('Back to');
});

const ABOUT_STRANGERS = [
  ['search', 'keyword'],
  ['page', 'page'],
  ['site', 'site'],
  ['topic', 'topic'],
  ['prompt', 'prompt'],
] as const;

/** Sites are in lower case. */
const strangerOf = (variable: string): string => (variable === 'site' ? HOSTILE.toLowerCase() : HOSTILE);

const addressOf = (board: string, query: Readonly<Record<string, string>>): string =>
  `${served.url}/boards/${board}?${new URLSearchParams({ account: String(accountId), ...query })}`;

it.each(ABOUT_STRANGERS)('%s: text of third parties is shown as text, and unknown values are named as such', async (board, variable) => {
  const name = strangerOf(variable);
  const answer = await fetch(addressOf(board, { [variable]: name }));
  const html = await answer.text();
  expect([answer.status, html.includes('This panel could not be read'), html.toLowerCase().includes(HOSTILE.toLowerCase())]).toEqual([
    200,
    false,
    false,
  ]);
  expect(html).toContain(`<p class="subject"><bdi>${name.replace('<', '&lt;').replace('</script>', '')}`);
  expect(html.split('&lt;script>').length).toBeGreaterThan(8);
  const unknown = await fetch(addressOf(board, { [variable]: 'never heard of' }));
  expect([unknown.status, await unknown.text()]).toEqual([
    400,
    expect.stringContaining(`${variable}: never heard of is unknown; expected one of`),
  ]);
});

it('knows a keyword that only a past week has', async () => {
  const answer = await fetch(addressOf('search', { keyword: PAST }));
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining(`<p class="subject"><bdi>${PAST}</bdi>`)]);
});

it.each([
  ['search', 'keyword', PAST.toUpperCase()],
  ['prompt', 'prompt', PROMPT.toUpperCase()],
])('%s: accepts only the spelling that panels compare: %s=%s is unknown', async (board, variable, spelling) => {
  const answer = await fetch(addressOf(board, { [variable]: spelling }));
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(`${written(spelling)} is unknown`)]);
});

it.each(['www.x.example', 'X.Example', 'WWW.x.EXAMPLE'])('takes a site as %s, too', async (spelling) => {
  const answer = await fetch(addressOf('site', { site: spelling }));
  const html = await answer.text();
  expect([answer.status, html.match(/<p class="subject">.*?<\/p>/)?.[0]]).toEqual([200, '<p class="subject"><bdi>x.example</bdi></p>']);
});

it.each(ABOUT_STRANGERS)('%s: shows no other subject in place of an unknown one', async (board, variable) => {
  for (const query of [{ [variable]: 'never heard of' }, { account: '999' }]) {
    const answer = await fetch(addressOf(board, query));
    const html = await answer.text();
    expect([answer.status, html.includes('<section id='), html.includes('class="subject"')]).toEqual([400, false, false]);
  }
});

it('says nothing of a site that has no results of its own name, instead of 0', async () => {
  const rows = await asksOf(() => ledger.pool, 'site')('share', {
    account: String(accountId),
    site: 'www.x.example',
    weeks: '13',
    top_n: '10',
    weighted: 'false',
    rank: 'standard',
  });
  expect(rows.filter(({ who }) => who === 'www.x.example').map(({ share, reason }) => [share, reason?.includes('root domain')])).toEqual([
    [null, true],
    [null, true],
  ]);
});

it('reports a week that is no date', async () => {
  expect(await pageOf({ week: 'yesterday' })).toContain('week: expected a date such as 2026-11-08');
});

describe.skipIf(!isChromiumThere)('in a browser', () => {
  it('a name at the end of a line, or in a legend, leads to the board of its site, and that board leads back', async () => {
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      await page.goto(addressOf('rankings', {}));
      for (const [width, link] of [
        [1400, page.locator('#market-share .canvas svg text', { hasText: /^x\.example$/ })],
        [500, page.locator('#market-share .legend a[aria-label="Board of x.example"]')],
      ] as const) {
        await page.setViewportSize({ width, height: 900 });
        await link.click();
        await page.waitForURL(/\/boards\/site\?/);
        expect(await page.locator('.subject').textContent()).toBe('x.example');
        await page.locator('a:text("Back to Rankings")').click();
        await page.waitForURL(/\/boards\/rankings\?.*#market-share$/);
      }
    } finally {
      await browser.close();
    }
  });

  it.each(ABOUT_STRANGERS)('%s runs no script that outside text contains', async (board, variable) => {
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage({ viewport: { width: 360, height: 900 } });
      await page.goto(addressOf(board, { [variable]: strangerOf(variable) }));
      expect(await page.evaluate('window.isHacked ?? window.ishacked')).toBeUndefined();
      expect(await overflowOf(page)).toBe(0);
      expect(await violationsOf(page)).toEqual([]);
    } finally {
      await browser.close();
    }
  });

  it.each([360, 800, 1440])('nothing is cut or hard to reach at %i px', async (width) => {
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme: width === 800 ? 'dark' : 'light' });
      await page.goto(`${served.url}/boards/prompt?${new URLSearchParams({ account: String(accountId), prompt: PROMPT, week: SECOND })}`);
      expect(await page.locator('text=This panel could not be read').count()).toBe(0);
      expect(await page.evaluate('window.isHacked')).toBeUndefined();
      expect(await overflowOf(page)).toBe(0);
      expect(await violationsOf(page)).toEqual([]);
      if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/prompt-${width}.png`, fullPage: true });
    } finally {
      await browser.close();
    }
  });
});

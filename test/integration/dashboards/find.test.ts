// Finding things of an account: what is equal first, then what begins with the text, then what has it anywhere; as a page, as hits under the
// box, and by keyboard; of accounts that the login may see.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findThings } from '../../../src/dashboards/sources.ts';
import { datasetNamed } from '../../../src/datasets/index.ts';
import { inTransaction } from '../../../src/postgres/transaction.ts';
import { insertOwnDomains } from '../../support/account-settings.ts';
import { loadAskedWeeks, prompt } from '../../support/asked-weeks.ts';
import { violationsOf } from '../../support/board-browser.ts';
import { isChromiumThere, launchBrowser, serveDashboards, type TestDashboards } from '../../support/dashboards.ts';
import { useLogin } from '../../support/database-access.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';

const ledger = useLedger();
const reader = useLogin(ledger, 'searchmill_account');
const [BEFORE, NOW] = ['2026-11-01', '2026-11-08'] as const;
const MARKUP = '<b>boots</b> & "more"';
const accountId = 4711;
const other = 4712;
let served: TestDashboards;

const result = (query: string, volume: number, page: string) => ({
  query,
  device: 'DESKTOP',
  search_engine: 'GOOGLE',
  root_domain: page.split('/')[0],
  normalized_url: `https://www.${page}`,
  rank_standard: '1',
  rank_true: '1',
  average_search_volume: String(volume),
});

beforeAll(async () => {
  const { pool } = ledger;
  await insertOwnDomains(pool, accountId, 'acme.example');
  await loadAskedWeeks(pool, jobOf({ accountId }), [
    { week: BEFORE, rows: [result('boots of last week', 1, 'acme.example/gone')] },
    {
      week: NOW,
      rows: [
        result('red boots', 900, 'acme.example/Red'),
        result('boots', 1, 'acme.example/boots'),
        result('boots sale', 5, 'bootshop.example/x'),
        result('Boots cheap', 50, 'acme.example/y'),
        result('tents', 50, 'acme.example/z'),
        result(MARKUP, 2, 'acme.example/m'),
      ],
    },
  ]);
  await loadAskedWeeks(pool, jobOf({ accountId: other }), [{ week: NOW, rows: [result('boots of others', 1, 'others.example/boots')] }]);
  const answered = { topic: 'Bücher', ai_response: 'An answer.' };
  await loadAskedWeeks(pool, jobOf({ accountId, dataset: datasetNamed('ai_search_response') }), [
    {
      week: NOW,
      rows: [prompt('chatgpt', { prompt: 'Which boots?', ...answered }), prompt('gemini', { prompt: 'Which boots?', ...answered })],
    },
  ]);
  await loadAskedWeeks(pool, jobOf({ accountId, dataset: datasetNamed('ai_search_citations') }), [
    {
      week: NOW,
      rows: [
        prompt('chatgpt', {
          prompt: 'Which boots?',
          citation_url: 'https://magazine.example/best-boots',
          citation_domain: 'magazine.example',
        }),
      ],
    },
  ]);
  await pool.query('INSERT INTO searchmill.account_logins (login, account_id) VALUES ($1, $2)', [reader.name, other]);
  served = await serveDashboards(ledger.url, { hasScript: isChromiumThere });
});
afterAll(() => served.close());

const find = (wanted: string, most = 10) =>
  inTransaction(ledger.pool, async (client) =>
    (await findThings(client, { accountId: String(accountId), wanted, most })).map(({ variable, value }) => `${variable}: ${value}`),
  );

it('finds what is equal first, then what begins with the text, then what has it anywhere, the first of each kind first', async () => {
  expect(await find('BOOTS')).toEqual([
    'keyword: boots',
    'keyword: Boots cheap',
    'site: bootshop.example',
    'keyword: boots sale',
    'keyword: red boots',
    'prompt: Which boots?',
    'page: acme.example/boots',
    `keyword: ${MARKUP}`,
    'page: magazine.example/best-boots',
  ]);
});

it.each([
  ['a page by its address, as a browser has it', 'https://www.acme.example/Red?utm_source=x', ['page: acme.example/Red']],
  ['a page whatever its case', 'ACME.example/red', ['page: acme.example/Red']],
  ['a site by its name with www.', 'www.bootshop.example', ['site: bootshop.example']],
  ['other letters than ASCII, whatever their case', 'BÜCHER', ['topic: Bücher']],
  ['signs of patterns as they are', '%', []],
  ['nothing in a week before the newest', 'last week', []],
  ['nothing of other accounts', 'others', []],
])('finds %s', async (_, wanted, expected) => {
  expect(await find(wanted)).toEqual(expected);
});

it('says how many there are of each kind where not all are shown', async () => {
  const things = await inTransaction(ledger.pool, (client) =>
    findThings(client, { accountId: String(accountId), wanted: 'boots', most: 2 }),
  );
  expect(things.filter(({ variable }) => variable === 'keyword').map(({ value, found }) => [value, found])).toEqual([
    ['boots', 5],
    ['Boots cheap', 5],
  ]);
});

const get = async (path: string, url = served.url) => {
  const answer = await fetch(`${url}${path}`);
  return { status: answer.status, text: await answer.text() };
};

it('the page lists what was found by kind, with links to the boards of each, and keeps the choices', async () => {
  const { status, text } = await get(`/find?account=${accountId}&q=boots&country=DE`);
  expect(status).toBe(200);
  expect(text).toContain(`href="/boards/search?account=${accountId}&amp;country=DE&amp;keyword=boots"`);
  expect(text).toContain(`href="/boards/prompt?account=${accountId}&amp;country=DE&amp;prompt=Which+boots%3F"`);
  expect(text).toContain('&lt;b>boots&lt;/b>');
  expect(text).not.toContain('<b>boots</b>');
  // The box of the bar is a form that leads here, with the same choices.
  expect(text).toMatch(/<search class="finder"><form method="get" action="\/find">.*name="country" value="DE".*<\/search>/s);
});

it.each([
  ['without a text', '/find', 200, 'Keyword, prompt, page, site or topic'],
  [
    'with a text that nothing has',
    `/find?account=${accountId}&q=nowhere`,
    200,
    'No keyword, prompt, page, site or topic of the newest week has this text.',
  ],
  ['with an unknown account', '/find?account=99&q=boots', 400, '99 is unknown'],
  ['with an account that is no number', '/find?account=x&q=boots', 400, 'expected a whole number'],
  ['with a long text', `/find?account=${accountId}&q=${'x'.repeat(501)}`, 400, 'expected a text of at most 500 characters'],
  ['with NUL', `/find?account=${accountId}&q=%00`, 400, 'expected a text of at most 500 characters'],
])('the page %s', async (_, path, code, words) => {
  const { status, text } = await get(path);
  expect(status).toBe(code);
  expect(text).toContain(words);
});

it('a login of one account finds nothing of another', async () => {
  const own = await serveDashboards(reader.url);
  try {
    expect((await get(`/find?account=${accountId}&q=boots`, own.url)).status).toBe(400);
    const { text } = await get(`/find/hits?account=${other}&q=boots`, own.url);
    expect(text).toContain('boots of others');
    expect(text).not.toContain('red boots');
  } finally {
    await own.close();
  }
});

it('with a password, nothing is found without a session', async () => {
  const closed = await serveDashboards(ledger.url, { password: 'a secret of some length' });
  try {
    for (const path of ['/find', '/find/hits']) {
      const answer = await fetch(`${closed.url}${path}?account=${accountId}&q=boots`, { redirect: 'manual' });
      expect([answer.status, answer.headers.get('location')?.startsWith('/login')]).toEqual([303, true]);
    }
  } finally {
    await closed.close();
  }
});

describe.skipIf(!isChromiumThere)('the box', () => {
  it('opens by "/", is chosen from by arrow keys, closes by Escape, and leads to the board of what is chosen', async () => {
    const browser = await launchBrowser();
    try {
      for (const [width, colorScheme] of [
        [390, 'light'],
        [1440, 'dark'],
      ] as const) {
        const page = await (await browser.newContext({ viewport: { width, height: 900 }, colorScheme })).newPage();
        await page.goto(`${served.url}/find?account=${accountId}`);
        const box = page.getByRole('combobox', { name: 'Find a keyword, prompt, page, site or topic' });
        await page.locator('h1').click();
        await page.keyboard.press('/');
        await page.keyboard.type('boots');
        const options = page.locator('.hits a[role=option]');
        await expect.poll(() => options.count()).toBe(9);
        expect(await options.first().textContent()).toContain('boots');
        expect(await page.locator('.finder [aria-live]').textContent()).toBe('9 found');
        expect(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(0);
        expect(await violationsOf(page)).toEqual([]);
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('ArrowDown');
        expect(await box.getAttribute('aria-activedescendant')).toBe(await options.nth(1).getAttribute('id'));
        await page.keyboard.press('Escape');
        expect(await box.getAttribute('aria-expanded')).toBe('false');
        expect(await box.inputValue()).toBe('boots');
        await page.keyboard.press('ArrowDown');
        expect(await options.first().getAttribute('aria-selected')).toBe('true');
        await page.keyboard.press('Enter');
        await page.waitForURL('**/boards/search?*');
        expect(new URL(page.url()).searchParams.get('keyword')).toBe('boots');
        await page.context().close();
      }
    } finally {
      await browser.close();
    }
  });
});

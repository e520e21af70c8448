// The pages for operators, over HTTP and in a real browser: what they tell, what can be decided there and by whom.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setOwnCommand } from '../../../src/core/own-command.ts';
import { addDays } from '../../../src/core/weeks.ts';
import { cancelLoads } from '../../../src/ledger/cancel.ts';
import { violationsOf } from '../../support/board-browser.ts';
import { isChromiumThere, launchBrowser, PAGE_PATIENCE_MS } from '../../support/dashboards.ts';
import { PAGES_PASSWORD, useOperatorPages } from '../../support/operator-pages.ts';
import { until } from '../../support/wait.ts';
import { jobsSince, newestWeek } from '../../support/weekly-jobs.ts';

const NEWEST = newestWeek();
const BEFORE = addDays(NEWEST, -7);
const HOSTILE = '<script>window.isHacked=1</script><img src=x onerror="window.isHacked=1">';

const pages = useOperatorPages(jobsSince(BEFORE, { rankings: 'keyword_rankings', brands: 'ai_search_brands' }));
const { stack, logIn, textOf, post } = pages;

const tokenIn = (html: string): string => /name="formToken" value="([^"]+)"/.exec(html)?.[1] ?? '';

/** Loads the newest week of rankings again with four fifths of its rows gone. */
async function holdRankings(): Promise<number> {
  stack.sandbox.setFaults({ rules: [{ fault: { kind: 'shrink', keep: 0.2 }, on: { operation: 'keyword_rankings' } }] });
  await pages.instance.reload('rankings', NEWEST, { name: 'test' });
  await until('a held load', async () => (await stack.read("SELECT FROM searchmill.executions WHERE state = 'held'")).length === 1);
  stack.sandbox.setFaults({ rules: [] });
  const [held] = await stack.read("SELECT slice_id AS slice FROM searchmill.executions WHERE state = 'held'");
  return Number(held?.slice);
}

const heldExecution = async (): Promise<string> =>
  String((await stack.read("SELECT id FROM searchmill.executions WHERE state = 'held'"))[0]?.id);

const stateOfNewest = async (job: string): Promise<unknown> =>
  (
    await stack.read(`SELECT e.state FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
                       WHERE s.job = '${job}' AND s.window_start = '${NEWEST}' ORDER BY e.id DESC LIMIT 1`)
  )[0]?.state;

describe('a held week', () => {
  let slice: number;
  beforeAll(async () => {
    slice = await holdRankings();
  });

  it('is a problem with its commands on the overview, and its place in the calendar', async () => {
    const html = await textOf('/operations');
    expect(html).toContain('1 problem needs you: see below.');
    expect(html).toContain(`searchmill approve ${slice}</code>`);
    expect(html).toContain(`<td class="state held"`);
    expect(html).toContain(`href="/operations/jobs/rankings/${NEWEST}"`);
  });

  it('has its commands on every page, as they are typed where the program runs', async () => {
    setOwnCommand('npx tsx src/main.ts');
    try {
      for (const path of ['/operations', '/operations/jobs/rankings', `/operations/jobs/rankings/${NEWEST}`]) {
        const html = await textOf(path);
        expect(html).toContain('<code class="command">npx tsx src/main.ts ');
        expect(html).not.toMatch(/searchmill (approve|discard|run|pause|history|status)/);
      }
    } finally {
      setOwnCommand('searchmill');
    }
  });

  it('says what publishing it would change, in figures of the tables, and which rows would vanish', async () => {
    const html = await textOf(`/operations/jobs/rankings/${NEWEST}`);
    const [execution] = await stack.read("SELECT id FROM searchmill.executions WHERE state = 'held'");
    const changes = await stack.read(`
      SELECT value, sum(before)::int AS before, sum(after)::int AS after
        FROM (SELECT device AS value, 1 AS before, 0 AS after FROM search.keyword_rankings WHERE time_period_start BETWEEN '${NEWEST}' AND '${addDays(NEWEST, 6)}'
              UNION ALL SELECT device, 0, 1 FROM searchmill_staging.execution_${execution?.id}) both_sides GROUP BY 1`);
    expect(changes.length).toBeGreaterThan(0);
    const number = new Intl.NumberFormat('en-US');
    for (const { value, before, after } of changes) {
      const cells = Object.entries({ Before: Number(before), After: Number(after), Change: Number(after) - Number(before) });
      const shown = cells.map(([heading, figure]) => `<td class="number" data-heading="${heading}">${number.format(figure)}</td>`);
      expect(html).toContain(`<bdi>${value}</bdi></td>${shown.join('')}`);
    }
    const shown = /Rows that would vanish, table.*?<tbody>(.*?)<\/tbody>/s.exec(html)?.[1] ?? '';
    const urls = [...shown.matchAll(/<bdi>(https?:[^<]+)<\/bdi>/g)].map(([, url]) => url?.replaceAll('&amp;', '&'));
    expect(urls.length).toBeGreaterThan(0);
    const staged = await stack.read(`SELECT DISTINCT normalized_url AS url, query FROM searchmill_staging.execution_${execution?.id}`);
    const inTable = await stack.read(
      `SELECT DISTINCT normalized_url AS url FROM search.keyword_rankings WHERE time_period_start >= '${NEWEST}'`,
    );
    expect(inTable.map(({ url }) => url)).toEqual(expect.arrayContaining(urls));
    expect(staged.length).toBeGreaterThan(0);
  });

  it('shows no button without a password, and takes no decision', async () => {
    expect(await textOf(`/operations/jobs/rankings/${NEWEST}`)).not.toContain('<form method="post"');
    const refused = await post(pages.open, { action: 'approve', execution: await heldExecution() });
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('set OPS_PASSWORD')]);
    expect(await stateOfNewest('rankings')).toBe('held');
  });

  it('takes decisions with a session, from its own forms only', async () => {
    const cookie = await logIn();
    const formToken = tokenIn(await textOf(`/operations/jobs/rankings/${NEWEST}`, cookie));
    expect(formToken).not.toBe('');
    const fields = { action: 'approve', execution: await heldExecution(), formToken };
    expect((await post(pages.guarded, fields)).status).toBe(303);
    expect((await post(pages.guarded, { ...fields, formToken: '' }, { cookie })).status).toBe(403);
    expect(
      (
        await post(
          pages.guarded,
          { ...fields, formToken: tokenIn(await textOf(`/operations/jobs/brands`, await logIn('Bob'))) },
          { cookie },
        )
      ).status,
    ).toBe(403);
    expect((await post(pages.guarded, fields, { cookie, origin: 'https://evil.example' })).status).toBe(403);
    expect((await post(pages.guarded, { ...fields, action: 'toString' }, { cookie })).status).toBe(400);
    expect((await post(pages.guarded, { ...fields, execution: '999999' }, { cookie })).status).toBe(409);
    expect((await post(pages.guarded, { ...fields, action: 'pause', job: 'nobody' }, { cookie })).status).toBe(409);
    expect(await stateOfNewest('rankings')).toBe('held');
    const done = await post(pages.guarded, { ...fields, action: 'discard', reason: 'too few\nrows', to: '/operations' }, { cookie });
    expect([done.status, done.headers.get('location')]).toEqual([303, '/operations']);
    expect(await stateOfNewest('rankings')).toBe('discarded');
    await holdRankings();
    const stale = await post(pages.guarded, fields, { cookie });
    expect([stale.status, await stale.text()]).toEqual([409, expect.stringContaining('it is no longer held')]);
    expect(await stateOfNewest('rankings')).toBe('held');
    expect(
      (await post(pages.guarded, { ...fields, action: 'discard', execution: await heldExecution(), reason: 'too few\nrows' }, { cookie }))
        .status,
    ).toBe(303);
    expect(await stack.read('SELECT actor, action, job, reason FROM searchmill.actions ORDER BY id DESC LIMIT 1')).toEqual([
      { actor: 'Ann on the pages', action: 'discard', job: 'rankings', reason: 'too few rows' },
    ]);
  });
});

it('are served to a limited number of readers at once, whatever the address', async () => {
  const holder = await stack.pool.connect();
  const gone = new AbortController();
  try {
    await holder.query('BEGIN; LOCK TABLE searchmill.slices IN ACCESS EXCLUSIVE MODE');
    const paths = ['/operations?weeks=260', '/%6fperations', '/operations/jobs/brands', `/operations/jobs/brands/${NEWEST}`];
    const readers = Array.from({ length: 40 }, async (_, reader) => {
      const answer = await fetch(pages.open.url + paths[reader % paths.length], { signal: gone.signal });
      if (answer.status !== 503) throw new Error(`told ${answer.status}`);
      return answer.text();
    });
    expect(await Promise.any(readers)).toContain('Too many people are reading boards right now.');
  } finally {
    gone.abort();
    await holder.query('ROLLBACK');
    holder.release();
  }
  await until('room', async () => (await fetch(`${pages.open.url}/operations`)).status === 200);
});

it('a job can be paused, resumed, loaded again and its load cancelled', async () => {
  const cookie = await logIn('');
  const formToken = tokenIn(await textOf('/operations/jobs/brands', cookie));
  const act = async (fields: Readonly<Record<string, string>>): Promise<number> =>
    (await post(pages.guarded, { job: 'brands', formToken, ...fields }, { cookie })).status;
  expect(await act({ action: 'pause', reason: 'moving' })).toBe(303);
  expect(await textOf('/operations/jobs/brands', cookie)).toContain('It is paused by hand since');
  expect(await act({ action: 'reload', from: NEWEST })).toBe(409);
  expect(await act({ action: 'resume' })).toBe(303);
  await stack.replaceSandbox({ queryMs: 5_000 });
  expect(await act({ action: 'reload', from: NEWEST })).toBe(303);
  expect(await act({ action: 'reload', from: NEWEST })).toBe(409);
  expect(await act({ action: 'reload', from: addDays(NEWEST, 70) })).toBe(409);
  const older = addDays(BEFORE, -7);
  const refused = await post(pages.guarded, { job: 'brands', formToken, action: 'reload', from: older }, { cookie });
  expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining(`backfill brands --from ${older} --to ${older}`)]);
  expect(await textOf(`/operations/jobs/brands/${older}`, cookie)).not.toContain('>Load again<');
  expect(await textOf(`/operations/jobs/brands/${BEFORE}`, cookie)).toContain('>Load again<');
  expect(await act({ action: 'cancel', from: NEWEST, until: addDays(NEWEST, 6) })).toBe(303);
  expect(await stateOfNewest('brands')).toBe('cancelled');
  expect(await act({ action: 'cancel', from: NEWEST, until: addDays(NEWEST, 6) })).toBe(409);
  await stack.replaceSandbox({ queryMs: 0 });
  expect(await act({ action: 'reload', from: NEWEST })).toBe(303);
  await until('the load', async () => (await stateOfNewest('brands')) === 'published');
  const actions = await stack.read("SELECT action, actor FROM searchmill.actions WHERE job = 'brands' ORDER BY id");
  expect(actions.map(({ action }) => action)).toEqual(['pause', 'resume', 'reload', 'cancel', 'reload']);
  expect(new Set(actions.map(({ actor }) => actor))).toEqual(new Set(['somebody on the pages']));
});

it('tells an error that was overcome from how the load ended, and counts pages called for from the first one', async () => {
  stack.sandbox.setFaults({
    rules: [{ fault: { kind: 'unavailable' }, on: { operation: 'ai_search_brands', call: 'poll' }, when: { times: 1 } }],
  });
  await pages.instance.reload('brands', NEWEST, { name: 'test' });
  await until('a load that got on', async () => {
    const [newest] = await stack.read('SELECT state, last_error FROM searchmill.executions ORDER BY id DESC LIMIT 1');
    return newest?.state === 'published' && newest.last_error !== null;
  });
  stack.sandbox.setFaults({ rules: [] });
  const [newest] = /<tbody>.*?<\/tr>/s.exec((await textOf('/operations/jobs/brands')).split('Latest executions, table')[1] ?? '') ?? [];
  expect(newest).toMatch(/<td [^>]*><bdi>published; overcome: .*503/);
  const week = await textOf(`/operations/jobs/brands/${NEWEST}`);
  expect(week).toMatch(/<dt>Error overcome<\/dt><dd><bdi>.*?503/);
  expect(week).toContain('0 pages after the first');
});

it('tells a submit whose answer cannot be read from one that was accepted', async () => {
  stack.sandbox.setFaults({
    rules: [{ fault: 'not_json', on: { operation: 'ai_search_brands', call: 'submit' }, when: { times: 1 } }],
  });
  await pages.instance.reload('brands', NEWEST, { name: 'test' });
  await until(
    'an answer',
    async () => (await stack.read("SELECT FROM searchmill.executions WHERE submit_outcome = 'unreadable'")).length > 0,
  );
  stack.sandbox.setFaults({ rules: [] });
  await cancelLoads(stack.pool, 'brands', { from: undefined, to: undefined });
  const week = await textOf(`/operations/jobs/brands/${NEWEST}`);
  expect(week.match(/<strong>answered \(unreadable\)<\/strong>/g)).toHaveLength(1);
  expect(week.match(/<strong>accepted<\/strong>/g)?.length).toBeGreaterThan(0);
});

it('leads from any day of a week to the page of the week, which it names by its first day', async () => {
  const wednesdays = { [addDays(NEWEST, 3)]: NEWEST, '2020-01-01': '2019-12-29' };
  for (const [day, week] of Object.entries(wednesdays)) {
    const answer = await fetch(`${pages.open.url}/operations/jobs/rankings/${day}`, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, `/operations/jobs/rankings/${week}`]);
  }
  expect(await textOf(`/operations/jobs/rankings/${addDays(NEWEST, 6)}`)).not.toContain('<dt>Published</dt><dd>never');
  expect((await fetch(`${pages.open.url}/operations/jobs/rankings/0001-01-01`)).status).toBe(404);
});

it('a name is recorded on one line, whatever characters it has', async () => {
  const cookie = await logIn('\u0000Bob\u202e\u001b[31m\r\n</bdi>'.padEnd(70, '\u{1f600}'));
  const formToken = tokenIn(await textOf('/operations/jobs/brands', cookie));
  expect((await post(pages.guarded, { job: 'brands', formToken, action: 'pause' }, { cookie })).status).toBe(303);
  expect((await post(pages.guarded, { job: 'brands', formToken, action: 'resume' }, { cookie })).status).toBe(303);
  const [latest] = await stack.read('SELECT actor FROM searchmill.actions ORDER BY id DESC LIMIT 1');
  expect(latest?.actor).toMatch(/^Bob \[31m <\/bdi>(\u{1f600})+\ufffd? on the pages$/u);
});

it('what does not exist is not found', async () => {
  const weeks = ['/operations/jobs/rankings/2026-13-01', `/operations/jobs/nobody/${NEWEST}`, `/operations/jobs/a%00b/${NEWEST}`];
  for (const path of ['/operations/jobs/nobody', '/operations/jobs/a%00b', ...weeks])
    expect((await fetch(pages.open.url + path)).status).toBe(404);
  expect(await textOf('/operations?weeks=abc&page=-1&name=zzz')).toContain('No job has such a name.');
});

describe.skipIf(!isChromiumThere)('in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    stack.sandbox.setFaults({ rules: [{ fault: { kind: 'failed', message: HOSTILE }, on: { operation: 'ai_search_brands' } }] });
    await pages.instance.reload('brands', BEFORE, { name: HOSTILE, reason: HOSTILE });
    await until(
      'a failure',
      async () => (await stack.read("SELECT FROM searchmill.executions WHERE state IN ('failed', 'abandoned')")).length > 0,
    );
    await holdRankings();
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  async function onPage(path: string, width: number, work: (page: Page) => Promise<void>, server = pages.open): Promise<void> {
    const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme: width === 800 ? 'dark' : 'light' });
    page.setDefaultTimeout(PAGE_PATIENCE_MS);
    const complaints: string[] = [];
    page.on('console', (message) => ['error', 'warning'].includes(message.type()) && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => !request.url().startsWith(server.url) && complaints.push(`asked ${request.url()}`));
    try {
      await page.goto(server.url + path);
      await work(page);
      expect(complaints).toEqual([]);
      expect(await page.evaluate('window.isHacked')).toBeUndefined();
    } finally {
      await page.close();
    }
  }

  const paths = ['/operations', '/operations/jobs/brands', `/operations/jobs/brands/${BEFORE}`, `/operations/jobs/rankings/${NEWEST}`];
  it.each(paths.flatMap((path) => [360, 800, 1400].map((width) => ({ path, width }))))(
    '$path at $width px has no error, no violation, and nothing wider than the page',
    async ({ path, width }) => {
      await onPage(path, width, async (page) => {
        expect(await violationsOf(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(0);
      });
    },
  );

  it('approves with a reason, and shows by itself that it is published and who did it', async () => {
    await onPage(
      `/operations/jobs/rankings/${NEWEST}`,
      1400,
      async (page) => {
        await page.fill('#password', PAGES_PASSWORD);
        await page.fill('#name', 'Ann');
        await page.click('form.login button');
        await page.waitForSelector('.badge.held');
        await page.fill('#reason-approve', 'the service was asked');
        await page.click('button:has-text("Approve")');
        await page.waitForSelector('h1 .badge.published');
        await page.waitForSelector('#decisions:has-text("approve by Ann on the pages")');
        await page.waitForSelector('#decisions:has-text("the service was asked")');
      },
      pages.guarded,
    );
  });

  it('does not disturb a reader: opened details stay open while figures change', async () => {
    await onPage(`/operations/jobs/rankings/${BEFORE}`, 800, async (page) => {
      await page.click('summary:has-text("What was asked for")');
      await pages.instance.reload('rankings', BEFORE, { name: 'bob@desk' });
      await page.waitForSelector('#decisions:has-text("reload by bob@desk")');
      expect(await page.locator('details[open]').count()).toBe(1);
    });
  });
});

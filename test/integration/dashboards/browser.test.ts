// The dashboards in a real browser: every board at three widths, charts with the numbers of the database, strange names, no JavaScript,
// and a database that goes away while somebody looks.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { addDays, lastCompleteWeek } from '../../../src/core/weeks.ts';
import { readBoards } from '../../../src/dashboards/boards.ts';
import { DATASETS } from '../../../src/datasets/index.ts';
import { createPool } from '../../../src/warehouse/pool.ts';
import {
  isChromiumThere,
  launchBrowser,
  PAGE_PATIENCE_MS,
  panelFile,
  serveDashboards,
  type TestDashboards,
} from '../../support/dashboards.ts';
import { createTestStack, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const WIDTHS = [360, 800, 1400];
const NEWEST = lastCompleteWeek(new Date(), 'UTC', 'sunday');
const JOBS = `
connections:
  main: { base_url: "\${SANDBOX_URL}", auth: { token: stack-token }, limits: hard }
defaults: { account_id: 12345, since: ${addDays(NEWEST, -84)}, schedule: { cron: "0 0 * * 0", timezone: UTC }, lookback_weeks: 0 }
jobs:
${DATASETS.map(({ name }) => `  - { name: ${name.replaceAll('_', '-')}, dataset: ${name}${name === 'keyword_rankings' ? ', filters: { includeMsv: true }' : ''} }`).join('\n')}
`;
/** Markup, a formula, quotes, a style of echarts, a mark that turns the writing round, and a control character. */
const HOSTILE = `=1"><script>window.isHacked=1</script><img src=x onerror="window.isHacked=1">'; {c1|x} \u202eabc\u0007`;

describe.skipIf(!isChromiumThere)('the dashboards in a browser', () => {
  let stack: TestStack;
  let served: TestDashboards;
  let browser: Browser;

  beforeAll(async () => {
    stack = await createTestStack({ queue: { kind: 'postgres', redisUrl: undefined }, jobs: JOBS, sandbox: { size: 'tiny' } });
    const instance = await stack.start();
    await stack.settle();
    await until('all summaries', async () => (await stack.read('SELECT FROM search_reports.stale_weeks LIMIT 1')).length === 0);
    await instance.stop();
    served = await serveDashboards(stack.databaseUrl, { hasScript: true });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await served.close();
    await stack.close();
  });

  /** Opens a page, does something with it, and expects that it complained of nothing and asked nobody else. */
  async function onPage(
    url: string,
    work: (page: Page) => Promise<void>,
    { isProblemExpected = false, ...options }: BrowserContextOptions & { isProblemExpected?: boolean } = {},
  ): Promise<void> {
    const context = await browser.newContext(options);
    context.setDefaultTimeout(PAGE_PATIENCE_MS);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(new URL(url).origin)) complaints.push(`asked ${request.url()}`);
    });
    try {
      await page.goto(url);
      await work(page);
      if (!isProblemExpected) expect(complaints).toEqual([]);
      expect(await page.evaluate('window.isHacked')).toBeUndefined();
    } finally {
      await context.close();
    }
  }

  async function violationsOf(page: Page): Promise<unknown> {
    await page.evaluate(AXE);
    const found = (await page.evaluate('axe.run()')) as { violations: { id: string; nodes: { html: string }[] }[] };
    return found.violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html.slice(0, 200)) }));
  }

  const widthOf = (page: Page): Promise<unknown> =>
    page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

  const paths = ['/', ...readBoards().map(({ name }) => `/boards/${name}`)];
  it.each(paths.flatMap((path) => WIDTHS.map((width) => ({ path, width }))))(
    '$path at $width px has no error, no violation, and nothing wider than the page',
    async ({ path, width }) => {
      await onPage(
        served.url + path,
        async (page) => {
          expect(await page.locator('text=This panel could not be read').count()).toBe(0);
          expect(await widthOf(page)).toBe(0);
          for (const chart of await page.locator('.chart').all()) expect(await chart.locator('.canvas svg').count()).toBe(1);
          for (const summary of await page.locator('summary').all()) await summary.click();
          expect(await widthOf(page)).toBe(0);
          expect(await violationsOf(page)).toEqual([]);
        },
        { viewport: { width, height: 900 }, colorScheme: width === 800 ? 'dark' : 'light' },
      );
    },
  );

  it('draws the numbers of the database, and reads them aloud by the arrow keys', async () => {
    const weeks = await stack.read<{ week: string; rows: number }>(
      `SELECT time_period_start AS week, count(*) AS rows FROM search.keyword_rankings GROUP BY 1 ORDER BY 1`,
    );
    expect(weeks).toHaveLength(13);
    await onPage(`${served.url}/boards/data-health`, async (page) => {
      const panel = page.locator('#rows');
      const canvas = panel.locator('.canvas');
      await canvas.focus();
      for (const { week, rows } of weeks) {
        await page.keyboard.press('ArrowRight');
        const said = (await panel.locator('[aria-live]').textContent()) ?? '';
        expect(said.startsWith(week)).toBe(true);
        expect(said).toContain(`keyword-rankings: ${rows.toLocaleString('en-US')} rows`);
        // The tooltip in the drawing says the same.
        await expect.poll(() => canvas.locator('svg').textContent()).toContain(`keyword-rankings: ${rows.toLocaleString('en-US')} rows`);
      }
      // A line for each job, with a point for each week.
      const lines = await canvas.locator('svg path[stroke-width="2"][fill="none"]').count();
      expect(lines).toBeGreaterThanOrEqual(DATASETS.length);
      const button = panel.locator('.legend button', { hasText: 'keyword-rankings' });
      await button.click();
      expect(await button.getAttribute('aria-pressed')).toBe('false');
      await canvas.focus();
      await page.keyboard.press('ArrowLeft');
      expect(await panel.locator('[aria-live]').textContent()).not.toContain('keyword-rankings');
    });
  });

  it('names a line that is alone, and shows each with its mark in the legend', async () => {
    await onPage(`${served.url}/boards/rankings?engine=GOOGLE`, async (page) => {
      const alone = page.locator('#visibility .legend');
      expect(await alone.textContent()).toBe('GOOGLE');
      expect(await alone.locator('button').count()).toBe(0);
      const keys = await page.locator('#market-share .legend .key').all();
      expect(keys.length).toBeGreaterThan(1);
      for (const key of keys) expect((await key.boundingBox())?.width).toBeGreaterThan(10);
    });
  });

  it('shows a table on a narrow screen as blocks of named values, with nothing to scroll to at the side', async () => {
    await onPage(
      `${served.url}/boards/data-health`,
      async (page) => {
        const scroll = page.locator('#freshness .scroll').first();
        expect(await scroll.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
        const cell = scroll.locator('tbody tr').first().locator('td').nth(2);
        expect(await cell.evaluate((element) => getComputedStyle(element, '::before').content)).toBe('"Weeks behind"');
        expect(await cell.innerText()).toBe('0');
      },
      { viewport: { width: 400, height: 900 } },
    );
  });

  it('keeps what is chosen in the address', async () => {
    await onPage(`${served.url}/boards/rankings`, async (page) => {
      await page.getByLabel('Weeks').fill('2');
      await page.getByLabel('First places').selectOption('3');
      await page.getByRole('button', { name: 'Show' }).click();
      await page.waitForURL(/weeks=2/);
      expect(new URL(page.url()).searchParams.get('top_n')).toBe('3');
      expect(await page.getByLabel('Weeks').inputValue()).toBe('2');
      expect(await page.getByLabel('First places').inputValue()).toBe('3');
      const csv = (await page.locator('#market-share .csv').getAttribute('href')) ?? '';
      const text = await (await fetch(served.url + csv)).text();
      expect(new Set([...text.matchAll(/^(\d{4}-\d\d-\d\d),/gm)].map(([, week]) => week)).size).toBe(2);
    });
  });

  it('shows everything as tables without JavaScript', async () => {
    await onPage(
      `${served.url}/boards/rankings`,
      async (page) => {
        const table = page.locator('#market-share table.rows');
        expect(await table.isVisible()).toBe(true);
        expect(await page.locator('#market-share .chart').isVisible()).toBe(false);
        expect(await table.locator('tbody tr').count()).toBeGreaterThan(3);
      },
      { javaScriptEnabled: false },
    ).catch((error: Error) => {
      // Nothing can be evaluated there, which is the last thing that is tried.
      if (!/JavaScript/i.test(error.message)) throw error;
    });
  });

  it('is good on paper, too', async () => {
    await onPage(
      `${served.url}/boards/rankings`,
      async (page) => {
        await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
        expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
        expect(await page.getByRole('button', { name: 'Show' }).isVisible()).toBe(false);
        expect((await page.pdf({ format: 'A4' })).length).toBeGreaterThan(10_000);
      },
      { colorScheme: 'dark' },
    );
  });

  it('goes on by itself when the database is there again', async () => {
    const name = new URL(stack.databaseUrl).pathname.slice(1);
    const elsewhere = new URL(stack.databaseUrl);
    elsewhere.pathname = '/postgres';
    const administrator = createPool(new Secret(elsewhere.href), { applicationName: 'test administrator', max: 1 });
    try {
      await onPage(
        `${served.url}/boards/data-health?weeks=2`,
        async (page) => {
          await administrator.query(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false`);
          await administrator.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
          await page.reload();
          expect(await page.locator('main').textContent()).toContain('The database does not answer right now.');
          expect(await violationsOf(page)).toEqual([]);
          await administrator.query(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS true`);
          await page.locator('#rows svg').first().waitFor();
          expect(page.url()).toContain('weeks=2');
        },
        { isProblemExpected: true },
      );
    } finally {
      await administrator.query(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS true`);
      await administrator.end();
    }
  });

  it('asks for the password without an error or a violation', async () => {
    const locked = await serveDashboards(stack.databaseUrl, { hasScript: true, password: 'open sesame' });
    try {
      await onPage(`${locked.url}/boards/data-health?weeks=2`, async (page) => {
        expect(await violationsOf(page)).toEqual([]);
        await page.getByLabel('Password').fill('open sesame');
        await page.getByRole('button', { name: 'Log in' }).click();
        await page.waitForURL(`${locked.url}/boards/data-health?weeks=2`);
        expect(await violationsOf(page)).toEqual([]);
        await page.getByRole('button', { name: 'Log out' }).click();
        await page.waitForURL(/login/);
      });
    } finally {
      await locked.close();
    }
  });

  it('shows strange names as text in pages, charts, tooltips and SQL', async () => {
    const literal = `U&'${HOSTILE.replaceAll("'", "''").replaceAll('\u202e', '\\202e').replaceAll('\u0007', '\\0007')}'`;
    const sql = `SELECT current_date - n AS day, ${literal} || n AS name, n + 1 AS amount, ${literal} AS notice, ${literal} AS reason, :country::text AS given
      FROM generate_series(0, 2) AS n`;
    const axes = { X: 'day', Y: 'amount', Series: 'name', Variables: 'country' };
    const panels = {
      ...Object.fromEntries(
        ['line', 'stacked', 'heatmap', 'calendar', 'number', 'table'].map((chart) => [
          chart,
          panelFile(sql, { Chart: chart, Title: chart, ...axes }),
        ]),
      ),
      bar: panelFile(sql, { Chart: 'bar', Title: 'bar', X: 'name', Y: 'amount', Variables: 'country' }),
    };
    const strange = await serveDashboards(stack.databaseUrl, { hasScript: true, panels });
    try {
      await onPage(`${strange.url}/boards/test?${new URLSearchParams({ country: HOSTILE })}`, async (page) => {
        for (const name of ['line', 'stacked', 'bar']) {
          const canvas = page.locator(`#${name} .canvas`);
          await canvas.focus();
          await page.keyboard.press('ArrowRight');
          await expect.poll(() => canvas.textContent()).toContain('=1"><script>');
        }
        for (const summary of await page.locator('summary').all()) await summary.click();
        expect(await page.locator('#table .sql').textContent()).toContain(`E'=1"><script>`);
        expect(await page.locator('script:not([src]), img[src="x"]').count()).toBe(0);
        expect(await violationsOf(page)).toEqual([]);
      });
    } finally {
      await strange.close();
    }
  });

  it('shows strange names in every text column of the tables as text', async () => {
    const writeTexts = async (textOf: (column: string) => string): Promise<void> => {
      for (const { name, columns } of DATASETS) {
        const texts = columns.filter((column) => column.pg === 'text').map((column) => `${column.name} = ${textOf(column.name)}`);
        await stack.pool.query(`UPDATE search.${name} SET ${texts.join(', ')}`, [HOSTILE]);
      }
    };
    await writeTexts((column) => `$1 || ${column}`);
    await stack.pool.query(
      `INSERT INTO search_reports.stale_weeks (subject, account_id, week)
       SELECT subject, 12345, week FROM unnest('{rankings,answers,citations,sentiments,fan_out}'::text[]) AS subject,
              (SELECT DISTINCT search_reports.week_of(time_period_start) AS week FROM search.keyword_rankings) AS weeks`,
    );
    for (const path of paths) {
      await onPage(served.url + path, async (page) => {
        expect(await page.locator('text=This panel could not be read').count()).toBe(0);
        for (const canvas of await page.locator('.canvas').all()) {
          await canvas.focus();
          await page.keyboard.press('ArrowRight');
        }
        expect(await page.locator('script:not([src]), img[src="x"]').count()).toBe(0);
        expect(await widthOf(page)).toBe(0);
        expect(await violationsOf(page)).toEqual([]);
      });
    }
    // The tables are again as they were published.
    await writeTexts((column) => `substr(${column}, length($1) + 1)`);
  });
});

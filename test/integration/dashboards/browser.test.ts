// The dashboards in a real browser: every board, charts with the numbers of the database, strange names, no JavaScript,
// and a database that goes away while somebody looks. Other widths: browser-widths.test.ts.
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { DATASETS } from '../../../src/datasets/index.ts';
import { createPool } from '../../../src/warehouse/pool.ts';
import { BOARD_PATHS, expectGoodBoard, GOOD_AT_WIDTH, HOSTILE, useBoardBrowser, violationsOf } from '../../support/board-browser.ts';
import { isChromiumThere, panelFile, serveDashboards } from '../../support/dashboards.ts';

describe.skipIf(!isChromiumThere)('the dashboards in a browser', () => {
  const boards = useBoardBrowser();

  it.each(BOARD_PATHS.map((path) => ({ path, width: 1400 })))(GOOD_AT_WIDTH, (place) => expectGoodBoard(boards, place));

  it('draws the numbers of the database, and reads them aloud by the arrow keys', async () => {
    const weeks = await boards.stack.read<{ week: string; rows: number }>(
      `SELECT time_period_start AS week, count(*) AS rows FROM search.keyword_rankings GROUP BY 1 ORDER BY 1`,
    );
    expect(weeks).toHaveLength(13);
    await boards.onPage(`${boards.served.url}/boards/data-health`, async (page) => {
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
    await boards.onPage(`${boards.served.url}/boards/rankings?engine=GOOGLE`, async (page) => {
      const alone = page.locator('#visibility .legend');
      expect(await alone.textContent()).toBe('GOOGLE');
      expect(await alone.locator('button').count()).toBe(0);
      const keys = await page.locator('#market-share .legend .key').all();
      expect(keys.length).toBeGreaterThan(1);
      for (const key of keys) expect((await key.boundingBox())?.width).toBeGreaterThan(10);
    });
  });

  it('shows a table on a narrow screen as blocks of named values, with nothing to scroll to at the side', async () => {
    await boards.onPage(
      `${boards.served.url}/boards/data-health`,
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
    await boards.onPage(`${boards.served.url}/boards/rankings`, async (page) => {
      await page.getByLabel('Weeks').fill('2');
      await page.getByLabel('First places').selectOption('3');
      await page.getByRole('button', { name: 'Show' }).click();
      await page.waitForURL(/weeks=2/);
      expect(new URL(page.url()).searchParams.get('top_n')).toBe('3');
      expect(await page.getByLabel('Weeks').inputValue()).toBe('2');
      expect(await page.getByLabel('First places').inputValue()).toBe('3');
      const csv = (await page.locator('#market-share .csv').getAttribute('href')) ?? '';
      const text = await (await fetch(boards.served.url + csv)).text();
      expect(new Set([...text.matchAll(/^(\d{4}-\d\d-\d\d),/gm)].map(([, week]) => week)).size).toBe(2);
    });
  });

  it('shows everything as tables without JavaScript', async () => {
    await boards
      .onPage(
        `${boards.served.url}/boards/rankings`,
        async (page) => {
          const table = page.locator('#market-share table.rows');
          expect(await table.isVisible()).toBe(true);
          expect(await page.locator('#market-share .chart').isVisible()).toBe(false);
          expect(await table.locator('tbody tr').count()).toBeGreaterThan(3);
        },
        { javaScriptEnabled: false },
      )
      .catch((error: Error) => {
        // Nothing can be evaluated there, which is the last thing that is tried.
        if (!/JavaScript/i.test(error.message)) throw error;
      });
  });

  it('is good on paper, too', async () => {
    await boards.onPage(
      `${boards.served.url}/boards/rankings`,
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
    const name = new URL(boards.stack.databaseUrl).pathname.slice(1);
    const elsewhere = new URL(boards.stack.databaseUrl);
    elsewhere.pathname = '/postgres';
    const administrator = createPool(new Secret(elsewhere.href), { applicationName: 'test administrator', max: 1 });
    try {
      await boards.onPage(
        `${boards.served.url}/boards/data-health?weeks=2`,
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
    const locked = await serveDashboards(boards.stack.databaseUrl, { hasScript: true, password: 'open sesame' });
    try {
      await boards.onPage(`${locked.url}/boards/data-health?weeks=2`, async (page) => {
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
    const strange = await serveDashboards(boards.stack.databaseUrl, { hasScript: true, panels });
    try {
      await boards.onPage(`${strange.url}/boards/test?${new URLSearchParams({ country: HOSTILE })}`, async (page) => {
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
});

// The boards in a real browser at the widths of telephones and tablets, on paper, without JavaScript, behind a password, with a strange name
// in every text column, and with a database that goes away while somebody looks.
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { addDays, lastCompleteWeek } from '../../../src/core/weeks.ts';
import { DATASETS } from '../../../src/datasets/index.ts';
import { createPool } from '../../../src/warehouse/pool.ts';
import {
  BOARD_PATHS,
  expectGoodBoard,
  GOOD_AT_WIDTH,
  HOSTILE,
  overflowOf,
  useBoardBrowser,
  violationsOf,
} from '../../support/board-browser.ts';
import { isChromiumThere, serveDashboards } from '../../support/dashboards.ts';

describe.skipIf(!isChromiumThere)('every board in a browser', () => {
  const boards = useBoardBrowser();

  it.each(BOARD_PATHS.flatMap((path) => [360, 800].map((width) => ({ path, width }))))(GOOD_AT_WIDTH, (place) =>
    expectGoodBoard(boards, place),
  );

  it('shows a table on a narrow screen as blocks of named values, with nothing to scroll to at the side', async () => {
    await boards.onPage(
      `${boards.served.url}/boards/data-health`,
      async (page) => {
        const scroll = page.locator('#freshness .scroll').first();
        expect(await scroll.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
        const cell = scroll.locator('tbody tr').first().locator('td[data-heading="Last published"]');
        expect(await cell.evaluate((element) => getComputedStyle(element, '::before').content)).toBe('"Last published"');
        expect(await cell.innerText()).toMatch(/^\d{4}-\d\d-\d\d/);
      },
      { viewport: { width: 400, height: 900 } },
    );
  });

  it('keeps what is chosen in the address', async () => {
    await boards.onPage(`${boards.served.url}/boards/rankings`, async (page) => {
      const since = addDays(lastCompleteWeek(new Date(), 'UTC', 'sunday'), -7);
      await page.getByLabel('From').fill(since);
      await page.getByLabel('First places').selectOption('3');
      await page.getByRole('button', { name: 'Show' }).click();
      await page.waitForURL(/since=2/);
      expect(new URL(page.url()).searchParams.get('top_n')).toBe('3');
      expect(await page.getByLabel('From').inputValue()).toBe(since);
      expect(await page.getByLabel('First places').inputValue()).toBe('3');
      const csv = (await page.locator('#market-share .csv').getAttribute('href')) ?? '';
      const text = await (await fetch(boards.served.url + csv)).text();
      expect(new Set([...text.matchAll(/^(\d{4}-\d\d-\d\d),/gm)].map(([, week]) => week)).size).toBe(2);
    });
  });

  it('begins at home, with at most 250 kB, whose tiles lead to the panels that have more, with what is chosen', async () => {
    await boards.onPage(boards.served.url, async (page) => {
      expect(new URL(page.url()).pathname).toBe('/boards/home');
      const sizes = (await page.evaluate(
        'performance.getEntries().filter((each) => each.transferSize !== undefined).map((each) => each.transferSize)',
      )) as number[];
      expect(sizes.length).toBeGreaterThan(2);
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(250_000);
      expect(await page.locator('.headline li').count()).toBeGreaterThan(0);
      await page.goto(`${boards.served.url}/boards/home?weeks=4&compare=month`);
      expect(await page.locator('.figure-tile .sparkline').count()).toBeGreaterThan(3);
      await page.locator('#visibility h2 a').click();
      await page.waitForURL(/boards\/rankings\?.*#visibility$/);
      expect(new URL(page.url()).searchParams.get('weeks')).toBe('4');
      await page.getByRole('link', { name: 'Data health' }).click();
      await page.waitForURL(/data-health/);
      expect(new URL(page.url()).searchParams.get('compare')).toBe('month');
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

  it('shows strange names in every text column of the tables as text', async () => {
    const writeTexts = async (textOf: (column: string) => string): Promise<void> => {
      for (const { name, columns } of DATASETS) {
        const texts = columns.filter((column) => column.pg === 'text').map((column) => `${column.name} = ${textOf(column.name)}`);
        await boards.stack.pool.query(`UPDATE search.${name} SET ${texts.join(', ')}`, [HOSTILE]);
      }
    };
    await writeTexts((column) => `$1 || ${column}`);
    await boards.stack.pool.query(
      `INSERT INTO searchmill.stale_weeks (subject, account_id, week)
       SELECT subject, 12345, week FROM unnest('{rankings,answers,citations,sentiments,fan_out}'::text[]) AS subject,
              (SELECT DISTINCT search_reports.week_of(time_period_start) AS week FROM search.keyword_rankings) AS weeks`,
    );
    for (const path of BOARD_PATHS) {
      await boards.onPage(boards.served.url + path, async (page) => {
        expect(await page.locator('text=This panel could not be read').count()).toBe(0);
        for (const canvas of await page.locator('.canvas').all()) {
          await canvas.focus();
          await page.keyboard.press('ArrowRight');
        }
        expect(await page.locator('script:not([src]), img[src="x"]').count()).toBe(0);
        expect(await overflowOf(page)).toBe(0);
        expect(await violationsOf(page)).toEqual([]);
      });
    }
    // The tables are again as they were published.
    await writeTexts((column) => `substr(${column}, length($1) + 1)`);
  });
});

// The boards in a real browser: each at every width, what charts and tables can do, on paper, without JavaScript, behind a password, with a
// strange name in every text column, and with a database that goes away while somebody looks. Charts with the numbers: browser.test.ts.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { addDays, lastCompleteWeek } from '../../../src/core/weeks.ts';
import { DATASETS } from '../../../src/datasets/index.ts';
import {
  BOARD_PATHS,
  expectGoodBoard,
  GOOD_AT_WIDTHS,
  HOSTILE,
  overflowOf,
  useBoardBrowser,
  violationsOf,
} from '../../support/board-browser.ts';
import { isChromiumThere, panelFile, serveDashboards } from '../../support/dashboards.ts';
import { whileClosed } from '../../support/database-access.ts';
import { storeReports } from '../../support/stored-weeks.ts';

describe.skipIf(!isChromiumThere)('every board in a browser', () => {
  const boards = useBoardBrowser();

  it.each([...BOARD_PATHS, '/report', '/glossary'])(GOOD_AT_WIDTHS, (path) => expectGoodBoard(boards, path));

  it('names the only line of a chart, and shows each of several with its mark in the legend', async () => {
    await boards.onPage(`${boards.served.url}/boards/rankings?engine=GOOGLE`, async (page) => {
      const alone = page.locator('#visibility .legend');
      expect(await alone.textContent()).toBe('Google');
      expect(await alone.locator('button').count()).toBe(0);
      const keys = await page.locator('#market-share .legend .key').all();
      expect(keys.length).toBeGreaterThan(1);
      for (const key of keys) expect((await key.boundingBox())?.width).toBeGreaterThan(10);
    });
  });

  it('sorts and searches a table without loading the page again, and the address shows the same without JavaScript', async () => {
    const sql = `SELECT 'row ' || n AS name, (n * 7) % 30 - 15 AS effect, 'same' AS kind, CASE WHEN n % 3 = 0 THEN NULL ELSE n END AS amount
      FROM generate_series(1, 40) AS n`;
    const served = await serveDashboards(boards.stack.databaseUrl, {
      hasScript: true,
      panels: { moves: panelFile(sql, { Changes: 'effect' }) },
    });
    const rowsOf = (page: Page): Promise<string[]> =>
      page
        .locator('#moves tbody tr')
        .evaluateAll((rows) => rows.filter((row) => row.checkVisibility()).map((row) => row.textContent ?? ''));
    try {
      await boards.onPage(`${served.url}/boards/test`, async (page) => {
        expect(await rowsOf(page)).toHaveLength(25);
        await page.getByRole('link', { name: 'All 40 rows' }).click();
        const all = await rowsOf(page);
        expect(all).toHaveLength(40);
        expect(all[0]).toBe('row 1\u221281');
        await page.getByRole('link', { name: 'Amount' }).click();
        const descending = await rowsOf(page);
        expect([descending[0], descending.at(-1)]).toEqual([expect.stringMatching(/^row 40/), expect.stringMatching(/–$/)]);
        expect(await page.locator('th[aria-sort]').getAttribute('aria-sort')).toBe('descending');
        await page.getByLabel('Look for in Panel').fill('ROW 1');
        const found = await rowsOf(page);
        expect(found).toHaveLength(11);
        expect(await violationsOf(page)).toEqual([]);
        // The server shows the same to whoever gets the address.
        await page.goto(page.url());
        expect(await rowsOf(page)).toEqual(found);
      });
    } finally {
      await served.close();
    }
  });

  it('offers a chart as a picture with its title, account, filters, time and legend, and each panel on a page of its own', async () => {
    await boards.onPage(`${boards.served.url}/boards/rankings?country=US`, async (page) => {
      const panel = page.locator('#market-share');
      await panel.getByText('⋯').click();
      const names = await panel.locator('.legend button[aria-pressed=true] bdi').allTextContents();
      for (const [kind, begin] of [
        ['SVG', '<svg'],
        ['PNG', '\u0089PNG'],
      ] as const) {
        const [download] = await Promise.all([page.waitForEvent('download'), panel.getByRole('button', { name: kind }).click()]);
        expect(download.suggestedFilename()).toBe(`market-share.${kind.toLowerCase()}`);
        const picture = readFileSync(await download.path(), 'latin1');
        expect(picture.slice(0, begin.length)).toBe(begin);
        expect(picture.length).toBeGreaterThan(5_000);
        if (kind === 'SVG')
          for (const text of ['Market share by site', 'Account:', '12345', 'Country: US', 'Weeks: 13', 'read 2', names[0] ?? 'none'])
            expect(picture.replaceAll(/<\/text><text[^>]*>/g, ' ')).toContain(text.replace('★ ', ''));
      }
      await panel.getByRole('link', { name: /^Own page/ }).click();
      await page.waitForURL(/\/boards\/rankings\/market-share\?account=/);
      expect(await page.locator('.panel .csv').count()).toBe(1);
      expect(await page.locator('h1').textContent()).toBe('Market share by site');
      expect(await page.locator('.canvas svg').count()).toBe(1);
      expect(await violationsOf(page)).toEqual([]);
    });
  });

  it('opens weeks at the newest on a telephone', async () => {
    await boards.onPage(
      `${boards.served.url}/boards/rankings`,
      async (page) => {
        const scroll = page.locator('#groups > .scroll').first();
        const left = await scroll.evaluate((element) => element.scrollWidth - element.clientWidth - element.scrollLeft);
        expect(await scroll.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeGreaterThan(100);
        expect(left).toBeLessThan(2);
      },
      { viewport: { width: 360, height: 900 } },
    );
  });

  it('ends a line where another question is answered, marks the week, and tells screen readers', async () => {
    const sql = `SELECT day::date AS day, amount, question FROM (VALUES ('2026-11-01', 1, 'few'), ('2026-11-08', 2, 'few'), ('2026-11-15', 9, 'all'),
      ('2026-11-22', 8, 'all')) AS days (day, amount, question)`;
    const axes = { Chart: 'line', X: 'day', Y: 'amount' };
    const panels = { changed: panelFile(sql, axes), same: panelFile(sql.replaceAll("'few'", "'all'"), axes) };
    const served = await serveDashboards(boards.stack.databaseUrl, { hasScript: true, panels });
    try {
      await boards.onPage(`${served.url}/boards/test`, async (page) => {
        for (const [name, lines] of [
          ['changed', 2],
          ['same', 1],
        ] as const) {
          const canvas = page.locator(`#${name} .canvas`);
          await expect.poll(() => canvas.locator('svg path[stroke-width="2"][fill="none"]').count()).toBe(lines);
          expect((await canvas.locator('svg').textContent())?.includes('≠')).toBe(lines === 2);
          await canvas.focus();
          for (const week of ['2026-11-01', '2026-11-08', '2026-11-15']) {
            await page.keyboard.press('ArrowRight');
            const said = (await page.locator(`#${name} [aria-live]`).textContent()) ?? '';
            expect(said).toContain(week);
            expect(said.includes('not comparable')).toBe(lines === 2 && week === '2026-11-15');
          }
        }
        expect(await page.locator('#changed th[data-column="question"]').count()).toBe(1);
        expect(await page.locator('#same th[data-column="question"]').count()).toBe(0);
      });
    } finally {
      await served.close();
    }
  });

  it('shades the interval of each shown line, and announces only the figures of the lines', async () => {
    const sql = `SELECT day::date AS day, name, amount, amount - 2 AS low, amount + 3 AS high FROM (VALUES ('2026-11-01', 'one', 10), ('2026-11-08', 'one', 12),
      ('2026-11-01', 'two', 20), ('2026-11-08', 'two', 22)) AS days (day, name, amount)`;
    const panels = { sure: panelFile(sql, { Chart: 'line', X: 'day', Y: 'amount', Series: 'name' }) };
    const served = await serveDashboards(boards.stack.databaseUrl, { hasScript: true, panels });
    try {
      await boards.onPage(`${served.url}/boards/test`, async (page) => {
        const canvas = page.locator('#sure .canvas');
        const bands = canvas.locator('svg path[fill-opacity="0.1"]');
        await expect.poll(() => bands.count()).toBe(2);
        await canvas.focus();
        await page.keyboard.press('ArrowRight');
        expect(await page.locator('#sure [aria-live]').textContent()).toBe('2026-11-01, two: 20, one: 10');
        await expect.poll(() => canvas.locator('svg').textContent()).toContain('one: 10');
        expect((await canvas.locator('svg').textContent())?.match(/: \d+/g)).toHaveLength(2);
        // Names stand at the ends of the lines where there is room, else in a legend.
        const legend = page.locator('#sure .legend');
        expect(await legend.isVisible()).toBe(false);
        expect(await canvas.locator('svg text', { hasText: /^(one|two)$/ }).count()).toBe(2);
        await page.setViewportSize({ width: 500, height: 900 });
        await expect.poll(() => legend.isVisible()).toBe(true);
        await legend.locator('button', { hasText: 'one' }).click();
        await expect.poll(() => bands.count()).toBe(1);
        expect(await page.locator('#sure th[data-column="low"]').count()).toBe(1);
      });
    } finally {
      await served.close();
    }
  });

  it('shows a table on a narrow screen as blocks of named values, with nothing to scroll to at the side', async () => {
    await boards.onPage(
      `${boards.served.url}/boards/data-health`,
      async (page) => {
        const scroll = page.locator('#freshness > .scroll').first();
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
      await page.locator('.weeks > summary').click();
      await page.getByLabel('From').fill(since);
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.waitForURL(/since=2/);
      // One value applies at once.
      await page.locator('.more-filters > summary').click();
      await page.getByLabel('First places').selectOption('3');
      await page.waitForURL(/top_n=3/);
      expect(new URL(page.url()).searchParams.get('weeks') ?? new URL(page.url()).searchParams.get('since')).toContain(since);
      expect(await page.getByLabel('First places').inputValue()).toBe('3');
      expect(await page.locator('.weeks > summary').textContent()).toContain(since);
      const csv = (await page.locator('#market-share .csv').getAttribute('href')) ?? '';
      const text = await (await fetch(boards.served.url + csv)).text();
      expect(new Set([...text.matchAll(/^(\d{4}-\d\d-\d\d),/gm)].map(([, week]) => week)).size).toBe(2);
    });
  });

  it('applies several values when their list is closed, and shows them as chips; the way back takes both away', async () => {
    await boards.onPage(`${boards.served.url}/boards/rankings`, async (page) => {
      const device = page.locator('.several', { hasText: 'Device' });
      await page.locator('.more-filters > summary').click();
      await device.locator('summary').click();
      await device.getByRole('checkbox').first().check();
      expect(new URL(page.url()).searchParams.has('device')).toBe(false);
      await page.keyboard.press('Escape');
      await page.waitForURL(/device=/);
      expect(await page.locator('.chip', { hasText: 'Device' }).first().textContent()).toMatch(/desktop|smartphone/i);
      await page.goBack();
      await page.waitForURL((url) => !/device=[A-Z]/.test(url.search));
      expect(await page.getByRole('checkbox', { checked: true, includeHidden: true }).count()).toBe(0);
      await page.goForward();
      await page.waitForURL(/device=[A-Z]/);
      await page.getByRole('link', { name: 'Without Device' }).click();
      await page.waitForURL((url) => !/device=[A-Z]/.test(url.search));
      expect(await page.locator('.chip', { hasText: 'Device' }).locator('.remove').count()).toBe(0);
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
      expect(await page.locator('.news li').count()).toBeGreaterThan(0);
      expect(await page.locator('.news .why').first().getAttribute('href')).toMatch(/^\/boards\/why\?.*measure=.*back=/);
      expect(await page.locator('#visibility h2 a').getAttribute('href')).toBe('/glossary#visibility');
      await page.goto(`${boards.served.url}/boards/home?weeks=4&compare=month`);
      expect(await page.locator('.figure-tile .sparkline').count()).toBeGreaterThan(3);
      await page.locator('#visibility .detail').click();
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
        // Without JavaScript nothing can be evaluated in the page, which is tried last.
        if (!/JavaScript/i.test(error.message)) throw error;
      });
  });

  it('is good on paper, too', async () => {
    await boards.onPage(
      `${boards.served.url}/boards/rankings`,
      async (page) => {
        await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
        expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
        expect(await page.evaluate('getComputedStyle(document.documentElement).getPropertyValue("--series-1")')).toBe('#0b6bcb');
        await expect.poll(() => page.locator('#market-share svg path[stroke="#0b6bcb"]').count()).toBeGreaterThan(0);
        expect(await page.getByRole('button', { name: 'Show' }).isVisible()).toBe(false);
        expect((await page.pdf({ format: 'A4' })).length).toBeGreaterThan(10_000);
      },
      { colorScheme: 'dark' },
    );
  });

  it('gives a report of home and why, for paper, with account, filters, weeks, time and definitions', async () => {
    await boards.onPage(`${boards.served.url}/report?country=US&compare=month`, async (page) => {
      const context = (await page.locator('.context').textContent()) ?? '';
      for (const part of ['Account: ', '12345', 'Country: US', 'Weeks: 13', 'Compare with: four weeks before', 'read 2'])
        expect(context).toContain(part);
      expect(await page.locator('.tile-row .tile').count()).toBeGreaterThan(3);
      const whys = await page.locator('.why-of > h2').allTextContents();
      expect(whys).toEqual(expect.arrayContaining(['Signals', 'To win']));
      expect(await page.locator('.definitions dt').allTextContents()).toEqual(expect.arrayContaining(['Visibility', 'Mention rate']));
      const ids = await page.locator('[id]').evaluateAll((all) => all.map(({ id }) => id));
      expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
      await page.emulateMedia({ media: 'print' });
      for (const name of ['.top', '.bottom', '.filter-line', '.menu'])
        expect(await page.locator(name).first().isVisible(), name).toBe(false);
      expect(await page.locator('.context').isVisible()).toBe(true);
      expect((await page.pdf({ preferCSSPageSize: true })).length).toBeGreaterThan(50_000);
    });
  });

  it('goes on by itself when the database is there again', async () => {
    await boards.onPage(
      `${boards.served.url}/boards/data-health?weeks=2`,
      (page) =>
        whileClosed(boards.stack.databaseUrl, async (open) => {
          await page.reload();
          expect(await page.locator('main').textContent()).toContain('The database does not answer right now.');
          expect(await violationsOf(page)).toEqual([]);
          await open();
          await page.locator('#rows svg').first().waitFor();
          expect(page.url()).toContain('weeks=2');
        }),
      { isProblemExpected: true },
    );
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
    await storeReports(boards.stack.pool);
    for (const path of BOARD_PATHS) {
      await boards.onPage(boards.served.url + path, async (page) => {
        expect(await page.locator('text=This panel could not be read').allTextContents()).toEqual([]);
        for (const canvas of await page.locator('.canvas').all()) {
          await canvas.focus();
          await page.keyboard.press('ArrowRight');
        }
        expect(await page.locator('script:not([src]), img[src="x"]').count()).toBe(0);
        expect(await overflowOf(page)).toBe(0);
      });
    }
    // The tables are again as they were published.
    await writeTexts((column) => `substr(${column}, length($1) + 1)`);
  });
});

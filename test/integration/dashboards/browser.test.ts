// The dashboards in a real browser: every board at one width, charts with the numbers of the database, and strange names.
// All else that a browser shows: browser-widths.test.ts.
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { DATASETS } from '../../../src/datasets/index.ts';
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
      expect(await alone.textContent()).toBe('Google');
      expect(await alone.locator('button').count()).toBe(0);
      const keys = await page.locator('#market-share .legend .key').all();
      expect(keys.length).toBeGreaterThan(1);
      for (const key of keys) expect((await key.boundingBox())?.width).toBeGreaterThan(10);
    });
  });

  it('sorts and searches a table where it is, and the address leads to the same without JavaScript', async () => {
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
        // The server does the same for who gets the address.
        await page.goto(page.url());
        expect(await rowsOf(page)).toEqual(found);
      });
    } finally {
      await served.close();
    }
  });

  it('offers a chart as a picture with its title and legend, and each panel on a page of its own', async () => {
    await boards.onPage(`${boards.served.url}/boards/rankings`, async (page) => {
      const panel = page.locator('#market-share');
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
          for (const text of ['Market share by site', names[0] ?? 'none']) expect(picture).toContain(text.replace('★ ', ''));
      }
      await panel.getByRole('link', { name: /^Alone/ }).click();
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
        const scroll = page.locator('#groups .scroll').first();
        const left = await scroll.evaluate((element) => element.scrollWidth - element.clientWidth - element.scrollLeft);
        expect(await scroll.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeGreaterThan(100);
        expect(left).toBeLessThan(2);
      },
      { viewport: { width: 360, height: 900 } },
    );
  });

  it('ends a line where another question is answered, marks the week, and says so aloud', async () => {
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

  it('shows lightly between which figures the true one lies, of shown lines only, and says no other figures than those of the lines', async () => {
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
        await page.locator('#sure .legend button', { hasText: 'one' }).click();
        await expect.poll(() => bands.count()).toBe(1);
        expect(await page.locator('#sure th[data-column="low"]').count()).toBe(1);
      });
    } finally {
      await served.close();
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
    const strange = await serveDashboards(boards.stack.databaseUrl, { hasScript: true, panels, known: [HOSTILE] });
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

// The dashboards in a real browser: one board at every width, charts with the numbers of the database, and strange names.
// All else that a browser shows: browser-widths.test.ts.
import { describe, expect, it } from 'vitest';
import { DATASETS } from '../../../src/datasets/index.ts';
import { expectGoodBoard, GOOD_AT_WIDTHS, HOSTILE, useBoardBrowser, violationsOf } from '../../support/board-browser.ts';
import { isChromiumThere, panelFile, serveDashboards } from '../../support/dashboards.ts';

/** Enough weeks for a line. */
const WEEKS = 3;

describe.skipIf(!isChromiumThere)('the dashboards in a browser', () => {
  const boards = useBoardBrowser({ weeks: WEEKS });

  it.each(['/boards/rankings'])(GOOD_AT_WIDTHS, (path) => expectGoodBoard(boards, path));

  it('draws the numbers of the database, and reads them aloud by the arrow keys', async () => {
    const weeks = await boards.stack.read<{ week: string; rows: number }>(
      `SELECT time_period_start AS week, count(*) AS rows FROM search.keyword_rankings GROUP BY 1 ORDER BY 1`,
    );
    expect(weeks).toHaveLength(WEEKS);
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

  it('shows strange names as text in pages, charts, tooltips and SQL', async () => {
    const literal = `U&'${HOSTILE.replaceAll("'", "''").replaceAll('\u202e', '\\202e').replaceAll('\u0007', '\\0007')}'`;
    const sql = `SELECT current_date - n AS day, ${literal} || n AS name, n + 1 AS amount, ${literal} AS notice, ${literal} AS reason, (:country::text[])[1] AS given
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
        await page.evaluate(`for (const details of document.querySelectorAll('details')) details.open = true`);
        expect(await page.locator('#table .sql').textContent()).toContain(`E'=1"><script>`);
        expect(await page.locator('script:not([src]), img[src="x"]').count()).toBe(0);
        expect(await violationsOf(page)).toEqual([]);
      });
    } finally {
      await strange.close();
    }
  });
});

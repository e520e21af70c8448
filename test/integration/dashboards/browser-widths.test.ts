// The boards in a real browser at the widths of telephones and tablets, and with a strange name in every text column.
import { describe, expect, it } from 'vitest';
import { DATASETS } from '../../../src/datasets/index.ts';
import {
  BOARD_PATHS,
  expectGoodBoard,
  GOOD_AT_WIDTH,
  HOSTILE,
  overflowOf,
  useBoardBrowser,
  violationsOf,
} from '../../support/board-browser.ts';
import { isChromiumThere } from '../../support/dashboards.ts';

describe.skipIf(!isChromiumThere)('every board in a browser', () => {
  const boards = useBoardBrowser();

  it.each(BOARD_PATHS.flatMap((path) => [360, 800].map((width) => ({ path, width }))))(GOOD_AT_WIDTH, (place) =>
    expectGoodBoard(boards, place),
  );

  it('shows strange names in every text column of the tables as text', async () => {
    const writeTexts = async (textOf: (column: string) => string): Promise<void> => {
      for (const { name, columns } of DATASETS) {
        const texts = columns.filter((column) => column.pg === 'text').map((column) => `${column.name} = ${textOf(column.name)}`);
        await boards.stack.pool.query(`UPDATE search.${name} SET ${texts.join(', ')}`, [HOSTILE]);
      }
    };
    await writeTexts((column) => `$1 || ${column}`);
    await boards.stack.pool.query(
      `INSERT INTO search_reports.stale_weeks (subject, account_id, week)
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

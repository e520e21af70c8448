// Every shipped board in a real browser, over a small warehouse that a test loads first.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { addDays, lastCompleteWeek } from '../../src/core/weeks.ts';
import { readBoards } from '../../src/dashboards/boards.ts';
import { DATASETS } from '../../src/datasets/index.ts';
import { launchBrowser, PAGE_PATIENCE_MS, serveDashboards, type TestDashboards } from './dashboards.ts';
import { createTestStack, type TestStack } from './test-stack.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const NEWEST = lastCompleteWeek(new Date(), 'UTC', 'sunday');
/** Weeks with signals. Each takes longer than its loads. */
const WATCHED_WEEKS = 3;
const jobsOf = (weeks: number): string => `
connections:
  main: { base_url: "\${SANDBOX_URL}", auth: { token: stack-token }, limits: hard }
defaults: { account_id: 12345, since: ${addDays(NEWEST, -7 * (weeks - 1))}, schedule: { cron: "0 0 * * 0", timezone: UTC }, lookback_weeks: 0, weeks_per_query: 4 }
jobs:
${DATASETS.map(({ name }) => `  - { name: ${name.replaceAll('_', '-')}, dataset: ${name}${name === 'keyword_rankings' ? ', filters: { includeMsv: true }' : ''} }`).join('\n')}
`;
/** Markup, a formula, quotes, a style of echarts, a mark that turns the writing round, and a control character. */
export const HOSTILE = `=1"><script>window.isHacked=1</script><img src=x onerror="window.isHacked=1">'; {c1|x} \u202eabc\u0007`;

/** The start page leads to the first of them. */
export const BOARD_PATHS: readonly string[] = readBoards().map(({ name }) => `/boards/${name}`);

export type PageOptions = BrowserContextOptions & Readonly<{ isProblemExpected?: boolean }>;

export interface BoardBrowser {
  readonly stack: TestStack;
  readonly served: TestDashboards;
  /** Opens a page, does something with it, and expects that it complained of nothing and asked nobody else. */
  onPage(url: string, work: (page: Page) => Promise<void>, options?: PageOptions): Promise<void>;
}

/** Loads a warehouse, serves its boards and launches a browser before the tests of the suite that calls it; ends all of it after them. */
export function useBoardBrowser({ weeks = 13 } = {}): BoardBrowser {
  let stack: TestStack;
  let served: TestDashboards;
  let browser: Browser;

  beforeAll(async () => {
    stack = await createTestStack({ queue: { kind: 'postgres', redisUrl: undefined }, jobs: jobsOf(weeks), sandbox: { size: 'tiny' } });
    await stack.start();
    await stack.settleBoards(WATCHED_WEEKS);
    served = await serveDashboards(stack.databaseUrl, { hasScript: true });
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await served.close();
    await stack.close();
  });

  async function onPage(
    url: string,
    work: (page: Page) => Promise<void>,
    { isProblemExpected = false, ...options }: PageOptions = {},
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
      // A picture that the page makes itself (blob:) has the origin of the page, too.
      if (new URL(request.url()).origin !== new URL(url).origin) complaints.push(`asked ${request.url()}`);
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

  return {
    get stack() {
      return stack;
    },
    get served() {
      return served;
    },
    onPage,
  };
}

/** Rules of axe that take half of its time. Their result depends on the colours of a page and not on its width. */
const COLOURS = ['color-contrast', 'link-in-text-block'];
/** A rule whose result depends on the width. */
const SCROLLING = 'scrollable-region-focusable';

/** What axe has against a page, by all its rules or some. Only that leaves the page: all that it found good takes as long to send as to find. */
export async function violationsOf(page: Page, rules: object = {}): Promise<unknown> {
  await page.evaluate(AXE);
  return page.evaluate(`axe.run(${JSON.stringify({ ...rules, resultTypes: ['violations'] })}).then(({ violations }) =>
    violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html.slice(0, 200)) })))`);
}

/** Opens or closes everything that a page shows when it is asked to. */
async function setDetails(page: Page, isOpen: boolean): Promise<void> {
  await page.evaluate(`for (const details of document.querySelectorAll('details')) details.open = ${isOpen}`);
}

/** By how many pixels something is wider than the page. */
export async function overflowOf(page: Page): Promise<unknown> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

/** As on a desk, on a tablet at night, and on a telephone; with the rules of axe that each is held to. */
const SCREENS = [
  { width: 1400, colorScheme: 'light', rules: {} },
  { width: 800, colorScheme: 'dark', rules: { runOnly: [...COLOURS, SCROLLING] } },
  { width: 360, colorScheme: 'light', rules: { rules: Object.fromEntries(COLOURS.map((rule) => [rule, { enabled: false }])) } },
] as const;

export const GOOD_AT_WIDTHS = `%s at ${SCREENS.map(({ width }) => width).join(', ')} px has no error, no violation, and nothing wider than the page`;

/** Expects it of a board, which is read once and shown at each width. */
export async function expectGoodBoard({ served, onPage }: BoardBrowser, path: string): Promise<void> {
  await onPage(
    served.url + path,
    async (page) => {
      for (const { width, colorScheme, rules } of SCREENS) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme });
        expect(await page.locator('text=This panel could not be read').allTextContents()).toEqual([]);
        const drawings = await page
          .locator('.chart')
          .evaluateAll((charts) => charts.map((chart) => chart.querySelectorAll('.canvas svg').length));
        expect(drawings.filter((count) => count !== 1)).toEqual([]);
        // Drawings follow the width when the browser gets to it.
        for (const isOpen of [false, true]) {
          await setDetails(page, isOpen);
          await expect.poll(() => overflowOf(page), { message: `${width} px` }).toBe(0);
        }
        expect(await violationsOf(page, rules), `${width} px`).toEqual([]);
      }
    },
    { viewport: { width: SCREENS[0].width, height: 900 } },
  );
}

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
const JOBS = `
connections:
  main: { base_url: "\${SANDBOX_URL}", auth: { token: stack-token }, limits: hard }
defaults: { account_id: 12345, since: ${addDays(NEWEST, -84)}, schedule: { cron: "0 0 * * 0", timezone: UTC }, lookback_weeks: 0 }
jobs:
${DATASETS.map(({ name }) => `  - { name: ${name.replaceAll('_', '-')}, dataset: ${name}${name === 'keyword_rankings' ? ', filters: { includeMsv: true }' : ''} }`).join('\n')}
`;
/** Markup, a formula, quotes, a style of echarts, a mark that turns the writing round, and a control character. */
export const HOSTILE = `=1"><script>window.isHacked=1</script><img src=x onerror="window.isHacked=1">'; {c1|x} \u202eabc\u0007`;

export const BOARD_PATHS: readonly string[] = ['/', ...readBoards().map(({ name }) => `/boards/${name}`)];

export type PageOptions = BrowserContextOptions & Readonly<{ isProblemExpected?: boolean }>;

export interface BoardBrowser {
  readonly stack: TestStack;
  readonly served: TestDashboards;
  /** Opens a page, does something with it, and expects that it complained of nothing and asked nobody else. */
  onPage(url: string, work: (page: Page) => Promise<void>, options?: PageOptions): Promise<void>;
}

/** Loads a warehouse, serves its boards and launches a browser before the tests of the suite that calls it; ends all of it after them. */
export function useBoardBrowser(): BoardBrowser {
  let stack: TestStack;
  let served: TestDashboards;
  let browser: Browser;

  beforeAll(async () => {
    stack = await createTestStack({ queue: { kind: 'postgres', redisUrl: undefined }, jobs: JOBS, sandbox: { size: 'tiny' } });
    const instance = await stack.start();
    await stack.settle();
    await stack.settleSummaries();
    await instance.stop();
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
      // Of a picture that the page makes itself (blob:), too, it is that of the page.
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

/** What axe has against a page. */
export async function violationsOf(page: Page): Promise<unknown> {
  await page.evaluate(AXE);
  const found = (await page.evaluate('axe.run()')) as { violations: { id: string; nodes: { html: string }[] }[] };
  return found.violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html.slice(0, 200)) }));
}

/** By how many pixels something is wider than the page. */
export async function overflowOf(page: Page): Promise<unknown> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

export const GOOD_AT_WIDTH = '$path at $width px has no error, no violation, and nothing wider than the page';

/** Expects it of a board at a width. */
export async function expectGoodBoard({ served, onPage }: BoardBrowser, { path, width }: { path: string; width: number }): Promise<void> {
  await onPage(
    served.url + path,
    async (page) => {
      expect(await page.locator('text=This panel could not be read').count()).toBe(0);
      expect(await overflowOf(page)).toBe(0);
      for (const chart of await page.locator('.chart').all()) expect(await chart.locator('.canvas svg').count()).toBe(1);
      for (const summary of await page.locator('summary').all()) await summary.click();
      expect(await overflowOf(page)).toBe(0);
      expect(await violationsOf(page)).toEqual([]);
    },
    { viewport: { width, height: 900 }, colorScheme: width === 800 ? 'dark' : 'light' },
  );
}

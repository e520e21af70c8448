// The dashboards for tests: the shipped boards or some of the test's own, with the script that a build would have made.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { type Browser, chromium } from 'playwright-core';
import { silentLogger } from '../../src/core/log.ts';
import { Secret } from '../../src/core/secret.ts';
import { type Dashboards, startDashboards } from '../../src/dashboards/server.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const { bundleCharts } = createRequire(import.meta.url)('../../scripts/setup/build.cjs') as {
  bundleCharts: (root: string, outFile: string) => Promise<void>;
};

/** Chromium of this machine; tests are skipped where there is none, but not in CI. */
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
export const isChromiumThere = existsSync(CHROMIUM) || process.env.CI !== undefined;

/** For what a page is to show. As long as anything else is waited for. */
export const PAGE_PATIENCE_MS = 120_000;

export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
}

export type TestDashboards = Dashboards & Readonly<{ folder: string }>;

/** Style, icon and the script that a build would have made, in a folder of their own. */
export async function prepareAssets(
  folder = mkdtempSync(join(tmpdir(), 'searchmill-assets-')),
  { hasScript = true } = {},
): Promise<string> {
  for (const file of ['pages.css', 'find.css', 'icon.svg']) copyFileSync(join(ROOT, 'src/dashboards/assets', file), join(folder, file));
  if (hasScript) await bundleCharts(ROOT, join(folder, 'charts.js'));
  return `${folder}/`;
}

/**
 * Serves boards on a free port. `panels` are files of a board called "test", by name; without them, the shipped boards. `known` are the values
 * that the account and the country of such a board may have.
 */
export async function serveDashboards(
  databaseUrl: string,
  {
    panels,
    known = ['1', '2'],
    password,
    trustedProxies,
    basePath,
    hasScript = false,
  }: {
    panels?: Readonly<Record<string, string>>;
    known?: readonly string[];
    password?: string;
    trustedProxies?: readonly string[];
    basePath?: string;
    hasScript?: boolean;
  } = {},
): Promise<TestDashboards> {
  const folder = mkdtempSync(join(tmpdir(), 'searchmill-dashboards-'));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  await prepareAssets(folder, { hasScript });
  if (panels) {
    write('boards/test/board.yaml', 'title: Test\nquestion: Does it work?\n');
    for (const [name, text] of Object.entries(panels)) write(`boards/test/${name}.sql`, text);
    for (const name of ['account', 'country', 'web_property']) {
      const values = known.map((value) => `(${pg.escapeLiteral(value)})`).join(', ');
      write(`boards/variables/${name}.sql`, `SELECT value, 'label of ' || value AS label FROM (VALUES ${values}) AS known (value)`);
    }
  }
  const dashboards = await startDashboards({
    host: '127.0.0.1',
    port: 0,
    log: silentLogger,
    databaseUrl: new Secret(databaseUrl),
    password: password === undefined ? undefined : new Secret(password),
    assetsFolder: `${folder}/`,
    ...(trustedProxies && { trustedProxies }),
    basePath,
    ...(panels && { boardsFolder: join(folder, 'boards') }),
  });
  return {
    ...dashboards,
    folder,
    async close() {
      await dashboards.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** The file of a panel. `header` says what is other than usual. */
export function panelFile(sql: string, header: Readonly<Record<string, string>> = {}): string {
  const entries = { Title: 'Panel', Question: 'What?', Chart: 'table', Computed: 'By the test.', Datasets: 'all', ...header };
  return `${Object.entries(entries)
    .map(([key, value]) => `-- ${key}: ${value}\n`)
    .join('')}\n${sql}\n`;
}

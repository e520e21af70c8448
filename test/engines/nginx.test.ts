// A real nginx in front of the pages, with the configuration of docs/deploying.md: it removes the path below which it serves them, or keeps it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { visitBelow } from '../support/below-path.ts';
import { prepareAssets, serveDashboards } from '../support/dashboards.ts';
import { findProgram } from '../support/find-program.ts';
import { freePort } from '../support/free-port.ts';
import { serveProcessPages } from '../support/process-pages.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { until } from '../support/wait.ts';

const NGINX = findProgram('nginx');
if (NGINX === undefined) console.log("skipped: nginx is not here; install Debian's package nginx-light");

const page = readFileSync(new URL('../../docs/deploying.md', import.meta.url), 'utf8');
/** The locations of the documentation, whose proxy_pass ends with a slash, so that nginx removes the path: with headers, and without. */
const [WITH_HEADERS = '', BARE = ''] = [...page.matchAll(/```nginx\n(location [\s\S]*?)```/g)].map(([, location = '']) => location);
const PASSWORD = 'open sesame';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Serves `target` as `locations` of the documentation say, but below `path`. */
async function startNginx(target: string, path: string, locations: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'searchmill-nginx-'));
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((each) => `${each}_temp_path ${folder}/${each};`).join('\n');
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${folder}/pid; error_log stderr; ${process.getuid?.() === 0 ? 'user root;' : ''}
events {}
http {
  access_log off;
  ${temporary}
  server {
    listen 127.0.0.1:${port};
    ${locations.replaceAll('/searchmill/', `${path}/`).replace('http://127.0.0.1:9464', target)}
  }
}
`,
  );
  const nginx: ChildProcess = spawn(NGINX ?? '', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'ignore' });
  const ended = once(nginx, 'exit');
  closers.push(async () => {
    nginx.kill();
    await ended;
    rmSync(folder, { recursive: true });
  });
  const url = `http://127.0.0.1:${port}`;
  await until('nginx', async () => (await fetch(url).catch(() => undefined)) !== undefined);
  return url;
}

describe.skipIf(NGINX === undefined)('behind nginx that', () => {
  const path = '/tools/searchmill';

  async function openDatabase(): Promise<string> {
    const database = await createTestDatabase();
    closers.push(() => database.drop());
    return database.url;
  }

  it.each([
    ['removes the path', WITH_HEADERS],
    ['keeps the path', WITH_HEADERS.replace('9464/;', '9464;')],
  ] as const)('%s, every link leads to a page, and forms are taken as from our own', async (_, locations) => {
    const pages = await serveDashboards(await openDatabase(), {
      password: PASSWORD,
      trustedProxies: ['loopback'],
      basePath: path,
      hasScript: true,
    });
    closers.push(() => pages.close());
    const found = await visitBelow(await startNginx(pages.url, path, locations), path, PASSWORD);
    expect([...found].filter(([, status]) => status !== 200)).toEqual([]);
    expect([...found.keys()]).toEqual(expect.arrayContaining([`${path}/`, `${path}/boards/rankings`, `${path}/assets/charts.js`]));
  });

  it('removes the path and sends no header, every link leads to a page, browsers log in as by https, and health and metrics are refused', async () => {
    const assetsFolder = await prepareAssets();
    const pages = await serveProcessPages(await openDatabase(), { password: PASSWORD, assetsFolder, basePath: path });
    closers.push(() => pages.close());
    const origin = await startNginx(pages.url, path, BARE);
    const found = await visitBelow(origin, path, PASSWORD);
    expect([...found].filter(([, status]) => status !== 200)).toEqual([]);
    expect([...found.keys()]).toEqual(expect.arrayContaining([`${path}/`, `${path}/operations`, `${path}/assets/pages.css`]));

    const login = async (headers: Record<string, string>): Promise<number> => {
      const sent = { method: 'POST', redirect: 'manual', body: new URLSearchParams({ password: PASSWORD }), headers } as const;
      return (await fetch(`${origin}${path}/login`, sent)).status;
    };
    // By https a browser also says that its own page asks; by plain http to another machine it names its origin alone.
    expect([await login({ origin, 'sec-fetch-site': 'same-origin' }), await login({ origin })]).toEqual([303, 403]);

    const statusOf = async (below: string): Promise<number> => (await fetch(`${origin}${path}${below}`, { redirect: 'manual' })).status;
    for (const below of ['/healthz', '/readyz', '/metrics', '//metrics', '/%6Detrics', '/x/../metrics', '/metrics?x=1'])
      expect([below, await statusOf(below)]).toEqual([below, 404]);
    expect((await fetch(`${pages.url}/metrics`)).status).toBe(200);
  });
});

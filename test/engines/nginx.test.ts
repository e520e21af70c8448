// A real nginx in front of the pages, with the configuration of docs/deploying.md: it removes the path below which it serves them, or keeps it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { visitBelow } from '../support/below-path.ts';
import { serveDashboards } from '../support/dashboards.ts';
import { findProgram } from '../support/find-program.ts';
import { freePort } from '../support/free-port.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { until } from '../support/wait.ts';

const NGINX = findProgram('nginx');
if (NGINX === undefined) console.log("skipped: nginx is not here; install Debian's package nginx-light");

const page = readFileSync(new URL('../../docs/deploying.md', import.meta.url), 'utf8');
/** The location of the documentation, whose proxy_pass ends with a slash, so that nginx removes the path. */
const [, written = ''] = /```nginx\n(location [\s\S]*?)```/.exec(page) ?? [];

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Serves `target` below a path. With an address behind the port, nginx removes the path. */
async function startNginx(target: string, path: string, address: '' | '/'): Promise<string> {
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
    ${written.replace('/searchmill/', `${path}/`).replace('http://127.0.0.1:9464/', target + address)}
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
  it.each([
    ['removes the path', '/'],
    ['keeps the path', ''],
  ] as const)('%s, every link leads to a page, and forms are taken as from our own', async (_, address) => {
    const path = '/tools/searchmill';
    const database = await createTestDatabase();
    closers.push(() => database.drop());
    const pages = await serveDashboards(database.url, {
      password: 'open sesame',
      trustedProxies: ['loopback'],
      basePath: path,
      hasScript: true,
    });
    closers.push(() => pages.close());
    const found = await visitBelow(await startNginx(pages.url, path, address), path, 'open sesame');
    expect([...found].filter(([, status]) => status !== 200)).toEqual([]);
    expect([...found.keys()]).toEqual(expect.arrayContaining([`${path}/`, `${path}/boards/rankings`, `${path}/assets/charts.js`]));
  });
});

// Pages below a path, behind proxies that remove it and such that do not; and two installations on one host.
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { OpsServer } from '../../../src/ops/server.ts';
import { createVisitor, startPathProxy, visitBelow } from '../../support/below-path.ts';
import { prepareAssets } from '../../support/dashboards.ts';
import { serveProcessPages } from '../../support/process-pages.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';

const PASSWORD = 'open sesame';
const closers: (() => unknown)[] = [];
let assetsFolder: string;
beforeAll(async () => {
  assetsFolder = await prepareAssets();
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function openDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  closers.push(() => database.drop());
  return database;
}

async function serve(database: TestDatabase, basePath?: string): Promise<OpsServer> {
  const server = await serveProcessPages(database.url, { password: PASSWORD, assetsFolder, basePath });
  closers.push(() => server.close());
  return server;
}

describe.each([
  ['removes', true],
  ['keeps', false],
])('behind a proxy that %s the path', (_, strips) => {
  it.each(['/searchmill', '/tools/search.mill-2'])('every link of every page below %s leads to a page', async (path) => {
    const server = await serve(await openDatabase(), path);
    const proxy = await startPathProxy(server.url, path, { strips });
    closers.push(proxy.close);
    const found = await visitBelow(proxy.url, path, PASSWORD);
    expect([...found].filter(([, status]) => status !== 200)).toEqual([]);
    const paths = [...found.keys()].map((each) => each.slice(path.length));
    expect(paths).toEqual(expect.arrayContaining(['/', '/boards/rankings', '/operations', '/assets/pages.css', '/assets/charts.js']));
  });
});

it('an address that only begins like the path is not taken for one below it', async () => {
  const { url } = await serve(await openDatabase(), '/search');
  const statusOf = async (path: string): Promise<number> => (await fetch(url + path, { redirect: 'manual' })).status;
  expect([await statusOf('/search/glossary'), await statusOf('/glossary'), await statusOf('/searchmill/glossary')]).toEqual([
    303, 303, 404,
  ]);
  expect((await fetch(`${url}/search?x=1`, { redirect: 'manual' })).headers.get('location')).toBe('/search/login?to=%2F%3Fx%3D1');
});

describe('health and metrics', () => {
  const PATHS = ['/healthz', '/readyz', '/metrics'];
  // The process of these tests has not begun to plan.
  const [SERVED, REFUSED] = [
    [200, 503, 200],
    [404, 404, 404],
  ];
  const statuses = (url: string, headers: Record<string, string> = {}): Promise<number[]> =>
    Promise.all(PATHS.map(async (path) => (await fetch(url + path, { headers })).status));

  it.each([true, false])('are not for those who reach the pages through a proxy (it removes the path: %s)', async (strips) => {
    const server = await serve(await openDatabase(), '/searchmill');
    const proxy = await startPathProxy(server.url, '/searchmill', { strips });
    closers.push(proxy.close);
    expect(await statuses(`${proxy.url}/searchmill`)).toEqual(REFUSED);
    expect(await statuses(server.url)).toEqual(SERVED);
  });

  it('are served beside the path, to requests that no proxy has forwarded', async () => {
    const { url } = await serve(await openDatabase(), '/searchmill');
    expect(await statuses(`${url}/searchmill`)).toEqual(REFUSED);
    for (const headers of [
      { 'x-forwarded-for': '192.0.2.1' },
      { 'x-real-ip': '192.0.2.1' },
      { forwarded: 'for=192.0.2.1' },
      { via: '1.1 x' },
    ])
      expect(await statuses(url, headers as Record<string, string>)).toEqual(REFUSED);
    expect(await statuses(url)).toEqual(SERVED);
  });

  it('are served as before where there is no path', async () => {
    const { url } = await serve(await openDatabase());
    expect(await statuses(url, { 'x-forwarded-for': '192.0.2.1' })).toEqual(SERVED);
  });
});

it('the cookie of a session is for the path alone', async () => {
  const { url } = await serve(await openDatabase(), '/searchmill');
  const answer = await fetch(`${url}/login`, { method: 'POST', redirect: 'manual', body: new URLSearchParams({ password: PASSWORD }) });
  expect(answer.headers.get('set-cookie')).toMatch(/; Path=\/searchmill; /);
});

it('a browser is logged in to two installations on one host at the same time, and logs out of one of them', async () => {
  const [first, second] = [await serve(await openDatabase()), await serve(await openDatabase())];
  // A browser sends the cookies of a host to all of its ports.
  const jar = new Map<string, string>();
  const ask = async (at: OpsServer, path: string, body?: Record<string, string>): Promise<number> => {
    const cookie = [...jar].map((pair) => pair.join('=')).join('; ');
    const sent = body ? { method: 'POST', body: new URLSearchParams(body) } : {};
    const answer = await fetch(at.url + path, { ...sent, redirect: 'manual', headers: { cookie } });
    for (const given of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (given.split(';')[0] ?? '').split('=');
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    return answer.status;
  };
  for (const server of [first, second]) await ask(server, '/login', { password: PASSWORD });
  expect(jar.size).toBe(2);
  expect([await ask(first, '/boards'), await ask(second, '/boards')]).toEqual([200, 200]);
  expect(await ask(first, '/logout', {})).toBe(303);
  expect([await ask(first, '/boards'), await ask(second, '/boards')]).toEqual([303, 200]);
});

it('redirects without a path stay as they were', async () => {
  const { url } = await serve(await openDatabase());
  const visitor = createVisitor(url);
  expect((await visitor.ask('/')).status).toBe(200);
  expect(visitor.asked).toEqual(['/', '/login?to=%2F']);
});

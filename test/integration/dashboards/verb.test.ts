// "searchmill dashboards" on an analyst's machine, and the same pages on the address of health and metrics.
import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { silentLogger } from '../../../src/core/log.ts';
import { Secret } from '../../../src/core/secret.ts';
import { createMetrics } from '../../../src/ops/metrics.ts';
import { startOpsServer } from '../../../src/ops/server.ts';
import { createPool, type Pool } from '../../../src/postgres/pool.ts';
import type { Instance } from '../../../src/queue/instance.ts';
import { runCli } from '../../support/command-line.ts';
import { freePort } from '../../support/free-port.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { until } from '../../support/wait.ts';

const READER = `test_dashboards_${process.pid}`;

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(new Secret(database.url), { applicationName: 'test', max: 2 });
  await pool.query(`CREATE ROLE ${READER} LOGIN PASSWORD 'test'`);
  await pool.query(`GRANT searchmill_reader TO ${READER}`);
});
afterAll(async () => {
  await pool.query(`DROP ROLE ${READER}`);
  await pool.end();
  await database.drop();
});

it('needs nothing but a role that may read, and moves up to the next free port', async () => {
  const port = await freePort();
  const taken = createServer().listen(port, '127.0.0.1');
  const address = new URL(database.url);
  [address.username, address.password] = [READER, 'test'];
  const stopping = new AbortController();
  const ran = runCli(['dashboards'], { env: { DATABASE_URL: address.href, OPS_PORT: String(port) }, stopping: stopping.signal });
  try {
    let served = '';
    await until('the boards', async () => {
      for (let next = port + 1; next <= port + 20; next += 1) {
        const text = await fetch(`http://127.0.0.1:${next}/`).then(
          (answer) => answer.text(),
          () => '',
        );
        if (text.includes('Data health')) served = `http://127.0.0.1:${next}`;
        if (served) return true;
      }
      return false;
    });
    for (const board of ['rankings', 'ai-visibility', 'data-health']) {
      const answer = await fetch(`${served}/boards/${board}`);
      expect(answer.status).toBe(200);
      expect(await answer.text()).not.toContain('This panel could not be read');
    }
    expect((await fetch(`${served}/metrics`)).status).toBe(404);
    stopping.abort();
    expect(await ran).toEqual({ code: 0, out: `The boards are on ${served}\nCtrl-C stops it.\n`, err: '' });
  } finally {
    stopping.abort();
    taken.close();
    await ran;
  }
});

it.each([
  [{ OPS_HOST: '0.0.0.0' }, 'the dashboards need a password; set OPS_PASSWORD or OPS_PASSWORD_FILE'],
  [{ OPS_PASSWORD: 'short' }, 'OPS_PASSWORD: is text in another format; expected a password of 8 to 200 characters'],
])('refuses %o', async (env, sentence) => {
  const { code, err } = await runCli(['dashboards'], { env: { DATABASE_URL: database.url, OPS_PORT: '0', ...env } });
  expect(code).toBe(2);
  expect(err).toContain(sentence);
  expect(err).not.toContain('short');
});

it('shows no board on a public address without a password, while health and metrics are still served', async () => {
  const idle = { succeededAt: new Date(), ageMs: 0, failure: undefined };
  const health = { rounds: { reporting: idle, reconciling: idle }, isStopping: false };
  const instance = { health: () => health, pingQueue: async () => undefined } as unknown as Instance;
  const options = { port: 0, databaseUrl: new Secret(database.url), instance, metrics: createMetrics('1.2.3'), log: silentLogger };
  const open = await startOpsServer({ ...options, host: '0.0.0.0' });
  const { port } = new URL(open.url);
  try {
    const page = await fetch(`http://127.0.0.1:${port}/boards/data-health`);
    expect(page.status).toBe(403);
    expect(await page.text()).toContain('served only with a password. Set OPS_PASSWORD or OPS_PASSWORD_FILE');
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
    expect(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()).toContain('searchmill_');
  } finally {
    await open.close();
  }
  const locked = await startOpsServer({ ...options, host: '0.0.0.0', password: new Secret('open sesame') });
  const address = `http://127.0.0.1:${new URL(locked.url).port}`;
  try {
    expect((await fetch(`${address}/boards/data-health`, { redirect: 'manual' })).status).toBe(303);
    const body = new URLSearchParams({ password: 'open sesame', to: '/boards/data-health' });
    const letIn = await fetch(`${address}/login`, { method: 'POST', redirect: 'manual', body });
    const [cookie = ''] = (letIn.headers.get('set-cookie') ?? '').split(';');
    expect((await fetch(`${address}/boards/data-health`, { headers: { cookie } })).status).toBe(200);
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
    expect((await fetch(`${address}/metrics`)).status).toBe(200);
  } finally {
    await locked.close();
  }
});

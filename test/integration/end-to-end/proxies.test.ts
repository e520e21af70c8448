// The built program behind a company's proxy: calls, messages and traces go through it, also when it refuses and comes back.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { lastCompleteWeek } from '../../../src/core/weeks.ts';
import { type ConnectProxy, refuseWith, startConnectProxy } from '../../support/connect-proxy.ts';
import { type FakeService, startFakeService } from '../../support/fake-service.ts';
import { ensureBuilt, killPrograms, runProgram, startProgram } from '../../support/program.ts';
import { createCertificate } from '../../support/self-signed-certificate.ts';
import { createTestStack, STACK_TOKEN, type TestStack } from '../../support/test-stack.ts';
import { openTlsDoor, type TlsDoor } from '../../support/tls-door.ts';
import { until } from '../../support/wait.ts';
import { startWebhookReceiver, WEBHOOK_SECRET, type WebhookReceiver } from '../../support/webhook-receiver.ts';

const NEWEST = lastCompleteWeek(new Date(), 'UTC', 'sunday');
const PASSWORD = 'proxy-password-7a8b9c';
const JOBS = `
connections:
  main: { base_url: "https://service.test", auth: { token: ${STACK_TOKEN} }, limits: hard }
defaults: { account_id: 12345, since: ${NEWEST}, schedule: { cron: "0 0 * * 0", timezone: UTC }, lookback_weeks: 0 }
jobs:
  - { name: rankings, dataset: keyword_rankings, page_size: 500 }
`;
const TARGETS = `
notify:
  targets:
    hook: { webhook: "\${HOOK}", secret: "\${KEY}" }
    near: { webhook: "\${NEAR}", secret: "\${KEY}" }
`;

let stack: TestStack;
let proxy: ConnectProxy;
let receiver: WebhookReceiver;
let collector: FakeService;
let doors: TlsDoor[];
let env: Record<string, string>;
let written = '';

beforeAll(async () => {
  await ensureBuilt();
  stack = await createTestStack({ queue: { kind: 'postgres', redisUrl: undefined }, jobs: JOBS });
  receiver = await startWebhookReceiver();
  collector = await startFakeService((response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
  const issuer = { commonName: 'company', ...createCertificate({ commonName: 'company', isCa: true }) };
  const tls = createCertificate({ commonName: 'test', hosts: ['service.test', 'hook.test', 'collector.test'], issuer });
  const ports = [stack.sandbox.url, receiver.url, collector.url].map((url) => Number(new URL(url).port));
  doors = await Promise.all(ports.map((port) => openTlsDoor(port, tls)));
  const [service, hook, traces] = doors.map(({ port }) => port);
  const leads = {
    'service.test:443': service ?? 0,
    'hook.test:443': hook ?? 0,
    'collector.test:4318': ports[2] ?? 0,
    'collector.test:443': traces ?? 0,
  };
  proxy = await startConnectProxy({ leads, credential: `somebody:${PASSWORD}` });
  const ca = join(stack.folder, 'ca.pem');
  await writeFile(ca, issuer.cert);
  const config = join(stack.folder, 'notify.yaml');
  await writeFile(config, JOBS + TARGETS);
  const targets = { HOOK: 'https://hook.test/hook/path-secret', NEAR: receiver.url, KEY: WEBHOOK_SECRET };
  const address = `http://somebody:${PASSWORD}@${proxy.address}`;
  env = { ...stack.env, NODE_EXTRA_CA_CERTS: ca, HTTPS_PROXY: address, http_proxy: address, NO_PROXY: 'intern.test' };
  env = { ...env, ...targets, SEARCHMILL_CONFIG: config, LOG_LEVEL: 'trace' };
});
afterAll(async () => {
  await killPrograms();
  await Promise.all([...doors.map((door) => door.close()), proxy.close(), receiver.close(), collector.close()]);
  await stack.close();
});

async function run(verb: string, own: Record<string, string> = {}): Promise<{ code: number | null; stdout: string }> {
  const { code, stdout, stderr } = await runProgram(verb.split(' '), { ...env, ...own });
  written += stdout + stderr;
  return { code, stdout };
}

it('check says which way each connection, target and the traces go, and tries the credential through the proxy', async () => {
  const { code, stdout } = await run('check', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://traces.intern.test:4318' });
  expect(stdout).toContain(
    `ok    routes: connection main, target hook: through the proxy ${proxy.address}, by HTTPS_PROXY; ` +
      'target near: directly, as on this machine; traces: directly, by NO_PROXY\n',
  );
  expect(stdout).toMatch(/ok {4}credential of connection main: accepted by https:\/\/service\.test/);
  expect(code).toBe(0);
  expect(new Set(proxy.asked)).toEqual(new Set(['CONNECT service.test:443']));
});

it('a load and its traces go through it, traces by http as well as by https', async () => {
  expect((await run('run', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.test:4318' })).code).toBe(0);
  expect(stack.sandbox.report().submits).toHaveLength(1);
  expect(proxy.asked).toContain('POST http://collector.test:4318/v1/traces');
  const heard = collector.received.length;
  expect(heard).toBeGreaterThan(0);
  const again = `run rankings --week ${NEWEST} --reload --yes`;
  expect((await run(again, { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.test' })).code).toBe(0);
  expect(proxy.asked).toContain('CONNECT collector.test:443');
  expect(collector.received.length).toBeGreaterThan(heard);
  expect(JSON.stringify(collector.received.map(({ headers }) => headers))).not.toMatch(/proxy/i);
});

it('messages go through it, and a failure of it is told apart from one of their receiver', async () => {
  const { code, stdout } = await run('notify --test');
  expect(stdout).toMatch(/hook +yes +200\n/);
  expect(stdout).toMatch(/near +yes +200\n/);
  expect(code).toBe(0);
  expect(proxy.asked).toContain('CONNECT hook.test:443');
  proxy.answer = refuseWith('403 Forbidden');
  const refused = await run('notify --test');
  proxy.answer = undefined;
  expect(refused.code).toBe(1);
  expect(refused.stdout).toMatch(
    /hook +no +the proxy 127\.0\.0\.1:\d+ refuses connections to hook\.test:443 \(403\); ask its owner to allow them/,
  );
  expect(refused.stdout).toMatch(/near +yes +200\n/);
});

it('a submit that the proxy refuses is not spent, says why, and goes when the proxy leads on again', async () => {
  await stack.pool.query('TRUNCATE searchmill.slices, search.keyword_rankings CASCADE');
  const before = stack.sandbox.report().submits.length;
  proxy.answer = refuseWith('407 Proxy Authentication Required');
  const refused = await run('check');
  expect(refused.code).toBe(1);
  expect(refused.stdout).toMatch(
    /^FAIL {2}credential of connection main: .*service\.test was not asked: the proxy 127\.0\.0\.1:\d+ refuses the user and password of HTTPS_PROXY \(407\); correct them\. Nothing was sent to the service\.$/m,
  );
  const service = startProgram(['start'], env);
  const read = () => stack.read<{ state: string; error: string | null }>('SELECT state, last_error AS error FROM searchmill.executions');
  const [waiting] = await until('the submit to be refused', async () => {
    const executions = await read();
    return executions.some(({ error }) => error !== null) ? executions : undefined;
  });
  expect(waiting).toMatchObject({ state: 'planned', error: expect.stringMatching(/refuses the user and password of HTTPS_PROXY/) });
  proxy.answer = undefined;
  await stack.pool.query('UPDATE searchmill.executions SET due_at = now()');
  await until('the week to be published', async () => (await read()).every(({ state }) => state === 'published'));
  service.send('SIGTERM');
  expect((await service.ended).code).toBe(0);
  written += service.stdout + service.stderr;
  expect(stack.sandbox.report().submits.length - before).toBe(1);
  expect(await read()).toHaveLength(1);
});

it('its password is in nothing that was written, nor in the ledger', async () => {
  const tables = await stack.read<{ name: string }>(`
    SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname IN ('searchmill', 'bullmq')`);
  for (const { name } of tables) written += JSON.stringify(await stack.read(`SELECT t::text FROM ${name} t`));
  expect(written.length).toBeGreaterThan(10_000);
  for (const secret of [PASSWORD, Buffer.from(`somebody:${PASSWORD}`).toString('base64')]) expect(written.includes(secret)).toBe(false);
});

// Calls through a real proxy: what travels, when, and what is said when the proxy does not let them through.
import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ServiceUnavailableError } from '../../src/core/errors.ts';
import { Secret } from '../../src/core/secret.ts';
import type { Proxies } from '../../src/egress/route.ts';
import type { ServiceCall } from '../../src/service/call-service.ts';
import { createServiceClient, type ServiceClient } from '../../src/service/client.ts';
import { createLimiters } from '../../src/service/limiters.ts';
import { type ConnectProxy, refuseWith, startConnectProxy } from '../support/connect-proxy.ts';
import { type FakeService, sendJson, startFakeService } from '../support/fake-service.ts';
import { freePort } from '../support/free-port.ts';
import { BOUNDLESS_BUDGET } from '../support/in-memory-budget.ts';
import { createSelfSignedCertificate } from '../support/self-signed-certificate.ts';
import { createTestClient, TOKEN, TOKEN_AUTH } from '../support/service-client.ts';

const DATASET = { name: 'ai_search_citations' };
const CALL: ServiceCall = { priority: 5, context: { job: 'acme', window: '2026-11-01..2026-11-07' } };
const PLAIN = 'http://service.test';
const SECURE = 'https://service.test';
const CREDENTIAL = 'somebody:sesame-1f2e3d';

let service: FakeService;
let proxy: ConnectProxy;
const toClose: { close(): Promise<unknown> }[] = [];
const keep = <T extends { close(): Promise<unknown> }>(closable: T): T => {
  toClose.push(closable);
  return closable;
};

beforeEach(async () => {
  service = keep(await startFakeService((response) => sendJson(response, 202, { executionState: 'IN_PROGRESS', executionId: 'e1' })));
  const { port } = new URL(service.url);
  proxy = keep(
    await startConnectProxy({ leads: { 'service.test:80': Number(port), 'service.test:443': Number(port) }, credential: CREDENTIAL }),
  );
});
afterEach(async () => {
  for (const closable of toClose.splice(0).reverse()) await closable.close();
});

const through = (address: string): Proxies => ({ httpProxy: new Secret(address), httpsProxy: new Secret(address), noProxy: undefined });
const clientOf = (baseUrl: string, address = `http://${CREDENTIAL}@${proxy.address}`): ServiceClient =>
  keep(createTestClient(baseUrl, { proxies: through(address), options: { connectTimeoutMs: 500 } }));
const submitTo = (client: ServiceClient): Promise<unknown> =>
  client.submit(DATASET, { account_id: 1 }, CALL).then(
    () => undefined,
    (error: unknown) => error,
  );

describe('calls by http', () => {
  it('give the proxy the whole address; it gets its own credential and does not pass it on', async () => {
    const client = clientOf(`${PLAIN}/prefix`);
    expect(await client.submit(DATASET, { account_id: 1 }, CALL)).toMatchObject({ state: 'accepted', executionId: 'e1' });
    expect(await client.poll(DATASET, 'e1', CALL)).toMatchObject({ state: 'in_progress' });
    expect(proxy.asked).toEqual(Array(2).fill(`POST ${PLAIN}/prefix/data-api/v1/async/ai_search_citations`));
    expect(service.received.map(({ url, headers }) => [url, headers.host, headers.authorization])).toEqual(
      Array(2).fill(['/prefix/data-api/v1/async/ai_search_citations', 'service.test', `Bearer ${TOKEN}`]),
    );
  });

  it('are not taken as answered by the service when the proxy refuses them for want of a credential', async () => {
    const error = await submitTo(clientOf(PLAIN, `http://${proxy.address}`));
    expect(error).toBeInstanceOf(ServiceUnavailableError);
    expect(error).toMatchObject({ isOutcomeUnknown: false });
    expect((error as Error).message).toContain(
      `the proxy ${proxy.address} asks for a user and password (407); write HTTP_PROXY=http://user:password@host:port. Nothing was sent`,
    );
    expect(service.received).toEqual([]);
  });
});

describe('calls by https', () => {
  it('name the certificate that is not trusted, and the proxy whose tunnel led to it', async () => {
    const secure = keep(await startFakeService((response) => sendJson(response, 500, {}), createSelfSignedCertificate()));
    const other = keep(await startConnectProxy({ leads: { 'service.test:443': Number(new URL(secure.url).port) } }));
    const error = await submitTo(clientOf(SECURE, other.address));
    expect(error).toMatchObject({ isOutcomeUnknown: false });
    expect((error as Error).message).toMatch(
      /no usable answer from service\.test through the proxy 127\.0\.0\.1:\d+: its certificate is self-signed.* Nothing was sent\.$/,
    );
    expect(other.asked).toEqual(['CONNECT service.test:443']);
  });

  it.each([
    ['407 Proxy Authentication Required', /refuses the user and password of HTTPS_PROXY \(407\); correct them/],
    ['403 Forbidden', /refuses connections to service\.test:443 \(403\); ask its owner to allow them, or name the host in NO_PROXY/],
    ['502 Bad Gateway', /cannot reach service\.test:443 \(502\); it is down, or the proxy has no route to it/],
    ['504 Gateway Timeout', /cannot reach service\.test:443 \(504\)/],
    ['302 Found', /refuses connections to service\.test:443 \(302\)/],
  ])('are surely not sent when the proxy answers %s', async (status, text) => {
    proxy.answer = refuseWith(status);
    await expectUnsent(clientOf(SECURE), text);
  });

  it.each([
    ['closes', (): void => proxy.cut(), /closed the connection instead of answering/],
    ['does not answer', (): void => undefined, /did not answer within 500 ms/],
    ['answers nonsense', (client: { write(text: string): unknown }): void => void client.write('SSH-2.0-x\r\n'), /does not answer in HTTP/],
  ])('are surely not sent when the proxy %s', async (_, answer, text) => {
    proxy.answer = answer;
    await expectUnsent(clientOf(SECURE), text);
  });

  it.each([PLAIN, SECURE])('to %s are surely not sent when there is no proxy', async (baseUrl) => {
    await expectUnsent(clientOf(baseUrl, `127.0.0.1:${await freePort()}`), /cannot be reached \(ECONNREFUSED\); correct HTTPS?_PROXY/);
  });

  it.each([PLAIN, SECURE])('to %s are surely not sent when TLS to the proxy fails', async (baseUrl) => {
    const secure = keep(await startConnectProxy({ leads: {}, tls: createSelfSignedCertificate() }));
    await expectUnsent(
      clientOf(baseUrl, `https://${secure.address}`),
      /shows no certificate that is trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)/,
    );
    const banner = createServer((socket) => void socket.end('220 mail.example ESMTP\r\n')).listen(0, '127.0.0.1');
    keep({ close: async () => void banner.close() });
    const port = await freePortOf(banner);
    await expectUnsent(clientOf(baseUrl, `https://127.0.0.1:${port}`), /does not speak TLS .*write http:\/\/ in place of https:\/\//);
  });

  async function expectUnsent(client: ServiceClient, text: RegExp): Promise<void> {
    const error = await submitTo(client);
    expect(error).toBeInstanceOf(ServiceUnavailableError);
    expect(error).toMatchObject({ isOutcomeUnknown: false, context: { job: 'acme' } });
    const { message } = error as Error;
    expect(message).toMatch(text);
    expect(message).toMatch(/service\.test was not asked: the proxy 127\.0\.0\.1:\d+ .* Nothing was sent to the service\.$/);
    for (const secret of CREDENTIAL.split(':')) expect(`${message} ${JSON.stringify(error)}`).not.toContain(secret);
    expect(service.received).toEqual([]);
  }
});

describe('through a tunnel', () => {
  let tunnel: ConnectProxy;
  beforeEach(async () => {
    // Read at each connection; NODE_EXTRA_CA_CERTS, which people use, is read once, at the start.
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    service = keep(
      await startFakeService(
        (response) => sendJson(response, 202, { executionState: 'IN_PROGRESS', executionId: 'e1' }),
        createSelfSignedCertificate(),
      ),
    );
    const leads = { 'service.test:443': Number(new URL(service.url).port) };
    tunnel = keep(await startConnectProxy({ leads, credential: CREDENTIAL, tls: createSelfSignedCertificate() }));
  });
  afterEach(() => void vi.unstubAllEnvs());

  it('calls go by https as without a tunnel, also where the proxy itself speaks TLS', async () => {
    const client = clientOf(SECURE, `https://${CREDENTIAL}@${tunnel.address}`);
    expect(await client.submit(DATASET, { account_id: 1 }, CALL)).toMatchObject({ state: 'accepted', executionId: 'e1' });
    expect(await client.poll(DATASET, 'e1', CALL)).toMatchObject({ state: 'in_progress' });
    expect(tunnel.asked).toEqual(Array(2).fill('CONNECT service.test:443'));
    expect(service.received.map(({ url }) => url)).toEqual(Array(2).fill('/data-api/v1/async/ai_search_citations'));
    expect(JSON.stringify(service.received)).not.toMatch(/proxy/i);
  });

  it('a permit that grew old while the proxy opened the tunnel is not used: the call goes with a fresh one once the tunnel stands', async () => {
    let aheadMs = 0;
    const clock = { now: () => new Date(Date.now() + aheadMs), sleep: async () => undefined };
    const connection = {
      name: 'main',
      baseUrl: SECURE,
      auth: TOKEN_AUTH,
      headers: {},
      callsPerMinute: { submit: 9, read: 9 },
      budgetId: 'x',
    };
    const limiter = createLimiters({ budgetOf: () => BOUNDLESS_BUDGET, clock }).limiterFor(connection);
    const proxies = through(`https://${CREDENTIAL}@${tunnel.address}`);
    const client = keep(createServiceClient({ connection, limiter, clock, proxies }));
    tunnel.answer = () => {
      aheadMs += 10_000;
      tunnel.answer = undefined;
    };
    const sentBefore: number[] = [];
    const call = { ...CALL, onPermit: async () => void sentBefore.push(service.received.length) };
    expect(await client.submit(DATASET, { account_id: 1 }, call)).toMatchObject({ state: 'accepted' });
    expect(sentBefore).toEqual([0, 0]);
    expect([tunnel.asked.length, service.received.length]).toEqual([1, 1]);
  });
});

async function freePortOf(server: ReturnType<typeof createServer>): Promise<number> {
  if (!server.listening) await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

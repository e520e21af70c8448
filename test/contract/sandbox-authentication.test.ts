// Service specification: "Authentication". The accepted clock difference is the sandbox's choice (docs/service-choices.md).
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Sandbox } from '../../sandbox/server.ts';
import { computeSignature } from '../../src/service/wire.ts';
import { call, NOON, question, type Reply, StandingClock, startTinySandbox, submit, TOKEN } from './sandbox-calls.ts';

const OPERATION = 'ai_search_brands';
const NOW_SECONDS = NOON.getTime() / 1000;

const clock = new StandingClock();
const lines: string[] = [];
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startTinySandbox({
    clock,
    logger: pino({ level: 'trace' }, { write: (line: string) => lines.push(line) }),
    credentials: [
      { token: 'sandbox-token' },
      { token: 'other-token', name: 'other' },
      { apiKey: 'sandbox-key', sharedSecret: 'sandbox-secret' },
      { apiKey: 'öffentlich', sharedSecret: 'geheim ✓' },
    ],
  });
});
afterAll(() => sandbox.close());

function signed(seconds: number, key = 'sandbox-key', secret = 'sandbox-secret'): string {
  return `?apiKey=${encodeURIComponent(key)}&sig=${computeSignature(key, secret, seconds)}`;
}

function ask(query: string, headers: Record<string, string> = {}): Promise<Reply> {
  return call(sandbox, OPERATION, question(OPERATION), { query, headers });
}

function expectUnauthorized(reply: Reply): void {
  expect(reply.status).toBe(401);
  expect(reply.body).toEqual({ error: 'UNAUTHORIZED', message: expect.any(String) });
  expect(reply.headers.get('www-authenticate')).toBe('Bearer');
}

test('a token alone is enough', async () => {
  expect((await ask('', TOKEN)).status).toBe(202);
});

test('a key and its signature of the current second are enough', async () => {
  expect((await ask(signed(NOW_SECONDS))).status).toBe(202);
});

test('the signature is the MD5 of the UTF-8 bytes of key, secret and seconds', async () => {
  expect(computeSignature('sandbox-key', 'sandbox-secret', 1_700_000_000)).toBe('1c68709f03f665a19d17fec071a69f12');
  expect((await ask(signed(NOW_SECONDS, 'öffentlich', 'geheim ✓'))).status).toBe(202);
});

test('a call without credentials is refused', async () => {
  expectUnauthorized(await ask(''));
  expect(sandbox.report().violations.missingCredentials).toBe(1);
});

test('a wrong token, another scheme and an empty header are refused', async () => {
  for (const authorization of ['Bearer wrong', 'Bearer ', 'sandbox-token', 'Basic sandbox-token', 'bearer sandbox-token', '']) {
    expectUnauthorized(await ask('', { authorization }));
  }
});

test('key and signature are required together', async () => {
  const [key, signature] = signed(NOW_SECONDS).slice(1).split('&');
  expectUnauthorized(await ask(`?${key}`));
  expectUnauthorized(await ask(`?${signature}`));
});

test('a wrong key, a wrong secret, an upper-case and a cut signature are refused', async () => {
  const good = computeSignature('sandbox-key', 'sandbox-secret', NOW_SECONDS);
  expectUnauthorized(await ask(signed(NOW_SECONDS, 'unknown-key')));
  expectUnauthorized(await ask(signed(NOW_SECONDS, 'sandbox-key', 'wrong')));
  expectUnauthorized(await ask(`?apiKey=sandbox-key&sig=${good.toUpperCase()}`));
  expectUnauthorized(await ask(`?apiKey=sandbox-key&sig=${good.slice(1)}`));
});

test('a signature is good for five minutes of clock difference, either way, and not a second longer', async () => {
  for (const difference of [300, -300, 17]) expect((await ask(signed(NOW_SECONDS + difference))).status).toBe(202);
  expect(sandbox.report().largestClockDifferenceSeconds).toBe(300);
  const before = sandbox.report().violations.staleSignatures;
  for (const difference of [301, -301, -1800]) {
    const reply = await ask(signed(NOW_SECONDS + difference));
    expectUnauthorized(reply);
    expect(reply.body.message).toContain(`${Math.abs(difference)} seconds away`);
  }
  expect(sandbox.report().violations.staleSignatures - before).toBe(3);
});

test('a signature that was good goes stale as time passes', async () => {
  const query = signed(NOW_SECONDS);
  clock.advance(300_000);
  expect((await ask(query)).status).toBe(202);
  clock.advance(1_000);
  expectUnauthorized(await ask(query));
});

test('an Authorization header decides alone when a signature comes with it', async () => {
  const seconds = clock.now().getTime() / 1000;
  expectUnauthorized(await ask(signed(seconds), { authorization: 'Bearer wrong' }));
  expect((await ask(signed(0), TOKEN)).status).toBe(202);
});

test('polls and pages need credentials as submits do', async () => {
  const executionId = await submit(sandbox, OPERATION, question(OPERATION));
  expectUnauthorized(await call(sandbox, OPERATION, { executionId }, { headers: {} }));
  expectUnauthorized(await call(sandbox, OPERATION, { executionId, nextPageId: 'x' }, { headers: {} }));
});

test('bad credentials are reported before a bad body', async () => {
  expectUnauthorized(await call(sandbox, OPERATION, '{', { headers: {} }));
});

test('an execution is known only to the credential that made it, and only to its operation', async () => {
  const executionId = await submit(sandbox, OPERATION, question(OPERATION));
  const other = await call(sandbox, OPERATION, { executionId }, { headers: { authorization: 'Bearer other-token' } });
  expect(other.status).toBe(400);
  expect(other.body.message).toBe(`executionId ${executionId} is not known`);
  const elsewhere = await call(sandbox, 'ai_search_fan_out', { executionId });
  expect(elsewhere.status).toBe(400);
  expect(elsewhere.body.message).toContain(`belongs to the operation ${OPERATION}`);
  expect((await call(sandbox, OPERATION, { executionId })).status).toBe(200);
  expect(sandbox.report().violations.foreignExecutions).toBe(2);
});

describe('behind a gateway that demands a header', () => {
  const KEY = 'gateway-key-91';

  async function startGateway(): Promise<Sandbox> {
    const guarded = await startTinySandbox({
      gatewayHeader: { name: 'X-API-GATEWAY-KEY', value: KEY },
      logger: pino({ level: 'trace' }, { write: (line: string) => lines.push(line) }),
    });
    onTestFinished(() => guarded.close());
    return guarded;
  }

  test('a call without it, or with another value, is refused with 401 whatever its credential; with it, the credential decides', async () => {
    const guarded = await startGateway();
    const asked = (headers: Record<string, string>) => call(guarded, OPERATION, question(OPERATION), { headers });
    const without = await asked(TOKEN);
    expectUnauthorized(without);
    expect(without.body.message).toBe('the gateway demands the header X-API-GATEWAY-KEY');
    expectUnauthorized(await asked({ ...TOKEN, 'x-api-gateway-key': 'wrong' }));
    expectUnauthorized(await asked({ 'x-api-gateway-key': KEY }));
    expect((await asked({ ...TOKEN, 'X-Api-Gateway-Key': KEY })).status).toBe(202);
    expect(guarded.report().violations).toMatchObject({ missingCredentials: 2, wrongCredentials: 1 });
    expect([...lines, JSON.stringify(guarded.report())].join('\n')).not.toContain(KEY);
  });

  test('the OpenAPI description names that header beside each credential', async () => {
    const guarded = await startGateway();
    const document = (await (await fetch(`${guarded.url}/openapi.json`)).json()) as Record<string, unknown>;
    expect(document.security).toEqual([
      { token: [], gateway: [] },
      { apiKey: [], signature: [], gateway: [] },
    ]);
    expect(document).toMatchObject({
      components: { securitySchemes: { gateway: { type: 'apiKey', in: 'header', name: 'X-API-GATEWAY-KEY' } } },
    });
    expect(JSON.stringify(document)).not.toContain(KEY);
  });
});

test('logs and reports hold no token, key, secret or signature', async () => {
  const signature = computeSignature('sandbox-key', 'sandbox-secret', clock.now().getTime() / 1000);
  expect((await ask(`?apiKey=sandbox-key&sig=${signature}`)).status).toBe(202);
  const reply = await fetch(`${sandbox.url}/nowhere?apiKey=sandbox-key&sig=${signature}`);
  const written = [...lines, JSON.stringify(sandbox.report()), await reply.text()].join('\n');
  expect(lines.length).toBeGreaterThan(10);
  for (const secret of ['sandbox-token', 'other-token', 'sandbox-key', 'sandbox-secret', signature]) expect(written).not.toContain(secret);
});

// A client of a fake service, with a boundless budget unless a test gives another.

import type { Dispatcher } from 'undici';
import type { BufferPool } from '../../src/codec/buffer-pool.ts';
import type { Auth, Connection } from '../../src/config/settings.ts';
import { type Clock, systemClock } from '../../src/core/clock.ts';
import { Secret } from '../../src/core/secret.ts';
import { NO_PROXIES, type Proxies } from '../../src/egress/route.ts';
import type { CallBudget } from '../../src/service/budget.ts';
import type { CallObserver } from '../../src/service/call-service.ts';
import { createServiceClient, type ServiceClient } from '../../src/service/client.ts';
import type { ClientOptions } from '../../src/service/client-options.ts';
import { createLimiters } from '../../src/service/limiters.ts';
import { BOUNDLESS_BUDGET } from './in-memory-budget.ts';

export const TOKEN = 'tok_9f8e7d6c5b4a39281706f5e4d3c2b1a0';
export const API_KEY = 'key/1a2b+3c4d5e6f';
export const SHARED_SECRET = 'shared"secret&0123456789';

export const GATEWAY_KEY = 'gate<way>key&5f4e3d2c1b';

export const GATEWAY_HEADER: Connection['headers'] = { 'X-API-GATEWAY-KEY': new Secret(GATEWAY_KEY) };
export const TOKEN_AUTH: Auth = { kind: 'token', token: new Secret(TOKEN) };
export const SIGNATURE_AUTH: Auth = { kind: 'signature', apiKey: new Secret(API_KEY), sharedSecret: new Secret(SHARED_SECRET) };

const AMPLE = { submit: 1_000, read: 10_000 };

export type TestClientOptions = Readonly<{
  auth?: Auth;
  headers?: Connection['headers'];
  budget?: CallBudget;
  proxies?: Proxies;
  clock?: Clock;
  options?: Partial<ClientOptions>;
  observer?: CallObserver;
  httpAgent?: Dispatcher;
  buffers?: BufferPool;
  maxConcurrent?: { submit: number; read: number };
}>;

export function createTestClient(baseUrl: string, given: TestClientOptions = {}): ServiceClient {
  const clock = given.clock ?? systemClock;
  const connection: Connection = {
    name: 'main',
    baseUrl,
    auth: given.auth ?? TOKEN_AUTH,
    headers: given.headers ?? {},
    callsPerMinute: AMPLE,
    budgetId: 'test',
  };
  const budget = given.budget ?? BOUNDLESS_BUDGET;
  const limiters = createLimiters({
    budgetOf: () => budget,
    clock: systemClock,
    ...(given.maxConcurrent ? { maxConcurrent: given.maxConcurrent } : {}),
  });
  return createServiceClient({
    connection,
    proxies: given.proxies ?? NO_PROXIES,
    limiter: limiters.limiterFor(connection),
    clock,
    ...(given.options ? { options: given.options } : {}),
    ...(given.httpAgent ? { httpAgent: given.httpAgent } : {}),
    ...(given.buffers ? { buffers: given.buffers } : {}),
    ...(given.observer ? { observer: given.observer } : {}),
  });
}

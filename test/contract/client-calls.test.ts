// The way of a call: the permit, the moment of sending, cancelling, what the budget and the observer hear.

import { buildConnector, type Dispatcher, Pool } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { CancelledError, LostLeaseError, ServiceUnavailableError } from '../../src/core/errors.ts';
import { PERMIT_VALID_MS } from '../../src/core/limits.ts';
import { Secret } from '../../src/core/secret.ts';
import { NO_PROXIES } from '../../src/egress/route.ts';
import type { CallBudget } from '../../src/service/budget.ts';
import type { ServiceCall } from '../../src/service/call-service.ts';
import { createServiceClient, type ServiceClient } from '../../src/service/client.ts';
import { createLimiters } from '../../src/service/limiters.ts';
import { type FakeService, type Respond, sendJson, startFakeService } from '../support/fake-service.ts';
import { BOUNDLESS_BUDGET, InMemoryBudget } from '../support/in-memory-budget.ts';
import { createTestClient, type TestClientOptions } from '../support/service-client.ts';
import { until } from '../support/wait.ts';
import { failureOf } from './answering-service.ts';

const DATASET = { name: 'keyword_rankings' };
const CALL: ServiceCall = { priority: 5, context: {} };
const RECORD = { executionId: 'e1', executionState: 'COMPLETED', results: [], schema: [], nextPageId: null };

let respond: Respond;
let service: FakeService;
const toClose: { close(): Promise<void> }[] = [];

beforeEach(async () => {
  respond = (response) => sendJson(response, 200, RECORD);
  service = await startFakeService((response, request) => respond(response, request));
  toClose.push(service);
});
afterEach(async () => {
  for (const closable of toClose.splice(0).reverse()) await closable.close();
});

function clientWith(options: TestClientOptions = {}): ServiceClient {
  const client = createTestClient(service.url, options);
  toClose.push(client);
  return client;
}

/** A promise that a test resolves when it is time. */
function gate(): { opened: Promise<void>; open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe('onPermit', () => {
  it('runs after the permit and is finished before a byte is sent', async () => {
    const steps: string[] = [];
    const budget: CallBudget = {
      ...BOUNDLESS_BUDGET,
      takeSlots: async (_kind, count) => {
        steps.push('taken');
        return { taken: count, waitMs: 0 };
      },
    };
    respond = (response) => {
      steps.push('received');
      sendJson(response, 202, RECORD);
    };
    const onPermit = async (): Promise<void> => {
      steps.push('intent begun');
      await new Promise((resolve) => setTimeout(resolve, 20));
      steps.push('intent written');
    };
    await clientWith({ budget }).submit(DATASET, {}, { ...CALL, onPermit });
    expect(steps).toEqual(['taken', 'intent begun', 'intent written', 'received']);
  });

  it('keeps the call off the wire when it fails, and its error is passed on', async () => {
    const lost = new LostLeaseError('another worker has it');
    const error = await failureOf(clientWith().submit(DATASET, {}, { ...CALL, onPermit: () => Promise.reject(lost) }));
    expect(error).toBe(lost);
    expect(service.received).toEqual([]);
  });

  it('does not run when there is no permit in time', async () => {
    const budget = new InMemoryBudget({ clock: systemClock, callsPerMinute: { submit: 0, read: 0 } });
    let runs = 0;
    const onPermit = async (): Promise<void> => void runs++;
    const error = await failureOf(clientWith({ budget }).submit(DATASET, {}, { ...CALL, maxWaitMs: 0, onPermit }));
    expect(error).toMatchObject({ code: 'rate_limited', context: { dataset: 'keyword_rankings', connection: 'main' } });
    expect(runs).toBe(0);
    expect(service.received).toEqual([]);
  });
});

describe('a permit that grows old before the first byte', () => {
  /** A client that reads the age of permits from `clock`. */
  function clientAgeing(clock: { nowMs: number }, budget: CallBudget, httpAgent?: Dispatcher): ServiceClient {
    const connection = {
      name: 'main',
      baseUrl: service.url,
      auth: { kind: 'token', token: new Secret('t') },
      headers: {},
      callsPerMinute: { submit: 1, read: 1 },
      budgetId: 'x',
    } as const;
    const limiters = createLimiters({ budgetOf: () => budget, clock: systemClock, monotonicMs: () => clock.nowMs });
    const limiter = limiters.limiterFor(connection);
    const client = createServiceClient({
      connection,
      proxies: NO_PROXIES,
      limiter,
      clock: systemClock,
      ...(httpAgent ? { httpAgent } : {}),
    });
    toClose.push(client);
    return client;
  }

  /** Permits all, and writes down when it was asked. */
  function budgetAsked(clock: { nowMs: number }): { budget: CallBudget; askedAtMs: number[] } {
    const askedAtMs: number[] = [];
    const takeSlots: CallBudget['takeSlots'] = async (_kind, count) => {
      askedAtMs.push(clock.nowMs);
      return { taken: count, waitMs: 0 };
    };
    return { budget: { ...BOUNDLESS_BUDGET, takeSlots }, askedAtMs };
  }

  it('is thrown away unused; the call takes a fresh one, for which onPermit runs again', async () => {
    const clock = { nowMs: 0 };
    const { budget, askedAtMs } = budgetAsked(clock);
    let runs = 0;
    const onPermit = async (): Promise<void> => {
      if (++runs === 1) clock.nowMs += PERMIT_VALID_MS + 1;
    };
    await clientAgeing(clock, budget).submit(DATASET, {}, { ...CALL, onPermit });
    expect(askedAtMs).toEqual([0, PERMIT_VALID_MS + 1]);
    expect({ runs, received: service.received.length }).toEqual({ runs: 2, received: 1 });
  });

  it('is used up to the end of its validity', async () => {
    const clock = { nowMs: 0 };
    const { budget, askedAtMs } = budgetAsked(clock);
    const onPermit = async (): Promise<void> => {
      clock.nowMs += PERMIT_VALID_MS;
    };
    await clientAgeing(clock, budget).submit(DATASET, {}, { ...CALL, onPermit });
    expect(askedAtMs).toEqual([0]);
    expect(service.received).toHaveLength(1);
  });

  it('is checked once the connection stands, and the fresh permit uses that connection', async () => {
    const clock = { nowMs: 0 };
    const { budget, askedAtMs } = budgetAsked(clock);
    const connect = buildConnector({});
    let handshakes = 0;
    const agent = new Pool(service.url, {
      connect: (options, callback) =>
        connect(options, (...result) => {
          handshakes++;
          clock.nowMs += 1_000;
          callback(...result);
        }),
    });
    toClose.push({ close: () => agent.destroy() });
    await clientAgeing(clock, budget, agent).poll(DATASET, 'e1', CALL);
    expect(askedAtMs).toEqual([0, 1_000]);
    expect({ handshakes, received: service.received.length }).toEqual({ handshakes: 1, received: 1 });
  });

  it('gives up when every permit grows old, and has sent nothing', async () => {
    const clock = { nowMs: 0 };
    const budget: CallBudget = {
      ...BOUNDLESS_BUDGET,
      takeSlots: async (_kind, count) => {
        await new Promise((resolve) => setImmediate(resolve));
        clock.nowMs += PERMIT_VALID_MS + 1;
        return { taken: count, waitMs: 0 };
      },
    };
    const error = await failureOf(clientAgeing(clock, budget).poll(DATASET, 'e1', CALL));
    expect(error).toBeInstanceOf(ServiceUnavailableError);
    expect(error).toMatchObject({ isOutcomeUnknown: false });
    expect(service.received).toEqual([]);
  });
});

describe('what the budget hears', () => {
  const pausing = (): InMemoryBudget =>
    new InMemoryBudget({ clock: systemClock, callsPerMinute: { submit: 100, read: 100 }, pauseMs: 250 });

  it('is nothing while all goes well', async () => {
    const budget = pausing();
    const client = clientWith({ budget });
    for (const status of [200, 400, 404, 500]) {
      respond = (response) => sendJson(response, status, status === 200 ? RECORD : {});
      await failureOf(client.poll(DATASET, 'e1', CALL));
    }
    expect(budget.reports).toEqual([]);
  });

  it('is the pause of a 429, before another call can go, and the end of the pause with the first answer after it', async () => {
    const budget = pausing();
    const client = clientWith({ budget });
    respond = (response) => sendJson(response, 429, {});
    await failureOf(client.poll(DATASET, 'e1', CALL));
    expect(budget.reports).toEqual(['rate_limited undefined']);
    expect(await failureOf(client.submit(DATASET, {}, { ...CALL, maxWaitMs: 0 }))).toMatchObject({ code: 'rate_limited', context: {} });
    expect(service.received).toHaveLength(1);
    respond = (response) => sendJson(response, 200, RECORD);
    await client.poll(DATASET, 'e1', CALL);
    await client.poll(DATASET, 'e1', CALL);
    expect(budget.reports).toEqual(['rate_limited undefined', 'accepted']);
  });

  it('is what Retry-After said', async () => {
    const budget = pausing();
    respond = (response) => sendJson(response, 429, {}, { 'retry-after': '1' });
    await failureOf(clientWith({ budget }).poll(DATASET, 'e1', CALL));
    expect(budget.reports).toEqual(['rate_limited 1000']);
  });

  it('is a refused credential (401), and the end of the refusal when a probe is answered', async () => {
    const budget = pausing();
    const client = clientWith({ budget });
    respond = (response) => sendJson(response, 401, {});
    await failureOf(client.poll(DATASET, 'e1', CALL));
    expect(await failureOf(client.poll(DATASET, 'e1', { ...CALL, maxWaitMs: 0 }))).toMatchObject({
      code: 'rate_limited',
      message: expect.stringMatching(/refused the credential \(401\).*send SIGHUP to each process/),
    });
    respond = (response) => sendJson(response, 200, RECORD);
    // On a busy machine the permit of a probe may go stale unused.
    await until('the answer to a probe', async () => {
      budget.probe();
      return (await failureOf(client.poll(DATASET, 'e1', { ...CALL, maxWaitMs: 0 }))) === undefined;
    });
    expect(budget.reports).toEqual(['unauthorized', 'accepted']);
    expect(service.received).toHaveLength(2);
  });

  it.each([403, 408, 500, 502, 302])('is not the end of a pause when a gateway answers %d', async (status) => {
    const budget = pausing();
    const client = clientWith({ budget });
    respond = (response) => sendJson(response, 429, {}, { 'retry-after': '0' });
    await failureOf(client.poll(DATASET, 'e1', CALL));
    respond = (response) => sendJson(response, status, {});
    await failureOf(client.poll(DATASET, 'e1', CALL));
    expect(budget.reports).toEqual(['rate_limited undefined']);
  });
});

describe('cancelling', () => {
  it('ends a poll under way after the grace, and closes its connection', async () => {
    const stop = new AbortController();
    const arrived = gate();
    respond = () => arrived.open();
    const poll = failureOf(clientWith({ options: { cancelGraceMs: 20 } }).poll(DATASET, 'e1', { ...CALL, signal: stop.signal }));
    await arrived.opened;
    stop.abort();
    expect(await poll).toBeInstanceOf(CancelledError);
    await service.allClosed();
  });

  it('lets a page under way finish within the grace, so that the service is not asked for it twice at once', async () => {
    const stop = new AbortController();
    respond = (response) => {
      stop.abort();
      setTimeout(() => sendJson(response, 200, RECORD), 30);
    };
    const page = clientWith().paginate(DATASET, { executionId: 'e1', nextPageId: 'p1', pageSize: 1000 }, { ...CALL, signal: stop.signal });
    await expect(page).resolves.toMatchObject({ nextPageId: null });
  });

  it('waits for a submit that was sent, since only its answer tells the executionId', async () => {
    const stop = new AbortController();
    respond = (response) => {
      stop.abort();
      setTimeout(() => sendJson(response, 202, { executionId: 'e7', executionState: 'IN_PROGRESS' }), 60);
    };
    const submit = clientWith({ options: { cancelGraceMs: 1 } }).submit(DATASET, {}, { ...CALL, signal: stop.signal });
    await expect(submit).resolves.toMatchObject({ executionId: 'e7' });
  });

  it('keeps a submit off the wire when it comes before the first byte', async () => {
    const stop = new AbortController();
    const submit = clientWith().submit(DATASET, {}, { ...CALL, signal: stop.signal, onPermit: async () => stop.abort() });
    expect(await failureOf(submit)).toBeInstanceOf(CancelledError);
    expect(service.received).toEqual([]);
  });

  it('keeps a call off the wire when it comes while the connection is being made, however that ends', async () => {
    const stop = new AbortController();
    const connect = buildConnector({});
    const connecting = gate();
    const connected = gate();
    const agent = new Pool(service.url, {
      connect: (options, callback) =>
        connect(options, (...result) => {
          connecting.open();
          void connected.opened.then(() => callback(...result));
        }),
    });
    toClose.push({ close: () => agent.destroy() });
    const client = clientWith({ httpAgent: agent });
    const poll = failureOf(client.poll(DATASET, 'e1', { ...CALL, signal: stop.signal }));
    await connecting.opened;
    stop.abort();
    expect(await poll).toBeInstanceOf(CancelledError);
    connected.open();
    await client.paginate(DATASET, { executionId: 'e1', nextPageId: 'p1', pageSize: 10 }, CALL);
    expect(service.received.map(({ body }) => JSON.parse(body))).toEqual([{ executionId: 'e1', nextPageId: 'p1', pageSize: 10 }]);
  });

  it('works for dozens of calls on one signal without a warning', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', onWarning);
    const stop = new AbortController();
    const client = clientWith();
    await Promise.all(Array.from({ length: 60 }, () => client.poll(DATASET, 'e1', { ...CALL, signal: stop.signal })));
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });
});

describe('the observer', () => {
  it('hears of every call that was tried, by kind and outcome, with times', async () => {
    const heard: [string, string][] = [];
    const client = clientWith({
      observer: {
        onCall: ({ kind }, outcome, waitedMs, durationMs) => {
          expect(waitedMs).toBeGreaterThanOrEqual(0);
          expect(durationMs).toBeGreaterThan(0);
          heard.push([kind, outcome]);
        },
      },
    });
    const answers: [number, unknown][] = [
      [200, RECORD],
      [429, {}],
      [400, {}],
      [500, {}],
      [200, {}],
      [401, {}],
    ];
    for (const [status, body] of answers) {
      respond = (response) => sendJson(response, status, body);
      await failureOf(client.poll(DATASET, 'e1', CALL));
    }
    respond = (response) => sendJson(response, 202, RECORD);
    await client.submit(DATASET, {}, CALL);
    expect(heard).toEqual([
      ['read', 'ok'],
      ['read', 'rate_limited'],
      ['read', 'rejected'],
      ['read', 'service_unavailable'],
      ['read', 'protocol'],
      ['read', 'unauthorized'],
      ['submit', 'ok'],
    ]);
  });

  it('hears nothing of a call that never got a permit', async () => {
    const heard: string[] = [];
    const budget = new InMemoryBudget({ clock: systemClock, callsPerMinute: { submit: 0, read: 0 } });
    const client = clientWith({ budget, observer: { onCall: (_operation, outcome) => void heard.push(outcome) } });
    await failureOf(client.poll(DATASET, 'e1', { ...CALL, maxWaitMs: 0 }));
    expect(heard).toEqual([]);
  });
});

describe('concurrency', () => {
  it('is bounded by the limiter, with a connection for each call', async () => {
    let inFlight = 0;
    let most = 0;
    const full = gate();
    respond = async (response) => {
      most = Math.max(most, ++inFlight);
      if (inFlight === 7) setTimeout(full.open, 50);
      await full.opened;
      inFlight--;
      sendJson(response, 200, RECORD);
    };
    const client = clientWith({ maxConcurrent: { submit: 1, read: 7 } });
    await Promise.all(Array.from({ length: 40 }, () => client.poll(DATASET, 'e1', CALL)));
    expect(most).toBe(7);
    expect(new Set(service.received.map(({ remotePort }) => remotePort)).size).toBeLessThanOrEqual(7);
  });
});

// Every way a call can fail, against a real server: the kind of error, whether its outcome is known, what it says.
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RateLimitedError, RejectedError, ServiceUnavailableError, UnauthorizedError } from '../../src/core/errors.ts';
import type { ServiceCall } from '../../src/service/call-service.ts';
import type { ServiceClient } from '../../src/service/client.ts';
import { type FakeService, type Respond, sendJson, startFakeService } from '../support/fake-service.ts';
import { createSelfSignedCertificate } from '../support/self-signed-certificate.ts';
import { createTestClient, SIGNATURE_AUTH } from '../support/service-client.ts';
import { failureOf } from './answering-service.ts';

const DATASET = { name: 'ai_search_citations' };
const CALL: ServiceCall = { priority: 5, context: { job: 'acme', window: '2026-11-01..2026-11-07' } };
/** Friday, 6 November 2026, 08:49:37 GMT */
const NOW = { now: () => new Date(Date.UTC(2026, 10, 6, 8, 49, 37)), sleep: async () => {} };
const MAX_RESPONSE_BYTES = 20_000;

let respond: Respond;
let service: FakeService;
let client: ServiceClient;
const toClose: { close(): Promise<void> }[] = [];

beforeEach(async () => {
  service = await startFakeService((response, request) => respond(response, request));
  client = createTestClient(service.url, {
    clock: NOW,
    options: {
      headersTimeoutMs: 200,
      bodyTimeoutMs: 200,
      connectTimeoutMs: 300,
      maxResponseBytes: MAX_RESPONSE_BYTES,
    },
  });
  toClose.push(service, client);
});
afterEach(async () => {
  for (const closable of toClose.splice(0).reverse()) await closable.close();
});

const submitTo = (target: ServiceClient): Promise<unknown> => failureOf(target.submit(DATASET, { account_id: 1 }, CALL));
const pollOf = (target: ServiceClient): Promise<unknown> => failureOf(target.poll(DATASET, 'e1', CALL));

/** A client of an address that may have nothing to do with the fake service. */
function clientOf(baseUrl: string): ServiceClient {
  const other = createTestClient(baseUrl, { options: { connectTimeoutMs: 300 } });
  toClose.push(other);
  return other;
}

describe('400', () => {
  it('shows the service code and message, and what to do', async () => {
    respond = (response) => sendJson(response, 400, { error: 'INVALID_PARAMETERS', message: 'start date must be before end date' });
    const error = await submitTo(client);
    expect(error).toBeInstanceOf(RejectedError);
    expect(error).toMatchObject({
      serviceCode: 'INVALID_PARAMETERS',
      retryable: false,
      message:
        'main: submit of ai_search_citations: the service rejected the request (400 INVALID_PARAMETERS): start date must be before end date. ' +
        'Correct the filters, account or period of the job.',
      context: { job: 'acme', window: '2026-11-01..2026-11-07', dataset: 'ai_search_citations', connection: 'main', status: 400 },
    });
  });

  it.each([
    ['without a code', { message: 'no such locode' }, '(400): no such locode. Correct'],
    ['of another name', { errorMessage: 'no such locode' }, '(400): no such locode. Correct'],
    ['inside', { error: { code: 17, message: 'no such locode' } }, '(400): 17: no such locode. Correct'],
    ['in a list', { errors: [{ detail: 'no such locode' }, { detail: 'nor device' }] }, '(400): no such locode; nor device. Correct'],
  ])('shows a message %s', async (_where, body, shown) => {
    respond = (response) => sendJson(response, 400, body);
    expect((await submitTo(client)) as Error).toMatchObject({ code: 'rejected', message: expect.stringContaining(shown) as string });
  });

  it('shows the beginning of any other body', async () => {
    respond = (response) => {
      response.writeHead(400).end(`<h1>Bad\u0007 request</h1>${'x'.repeat(10_000)}`);
    };
    const error = await pollOf(client);
    expect(error).toBeInstanceOf(RejectedError);
    expect((error as RejectedError).serviceCode).toBeUndefined();
    expect((error as RejectedError).message).toContain('(400: "Bad request xxx');
    expect((error as RejectedError).message.length).toBeLessThan(350);
  });
});

describe('other refusals', () => {
  it.each([402, 404, 405, 409, 410, 413, 415, 422])('%d is a rejection', async (status) => {
    respond = (response) => sendJson(response, status, { error: 'NOT_FOUND', message: 'no such execution' });
    expect(await pollOf(client)).toMatchObject({ code: 'rejected', retryable: false, serviceCode: 'NOT_FOUND', context: { status } });
  });

  it.each([401, 403])('%d is about the credential', async (status) => {
    respond = (response) => {
      response.writeHead(status).end('Forbidden: token expired');
    };
    const error = await pollOf(client);
    expect(error).toBeInstanceOf(UnauthorizedError);
    expect((error as UnauthorizedError).message).toContain(`(${status}: "Forbidden: token expired")`);
  });

  it.each([
    ['seconds', { 'retry-after': '17' }, 17_000],
    ['a date', { date: 'Fri, 06 Nov 2026 10:49:37 GMT', 'retry-after': 'Fri, 06 Nov 2026 10:50:07 GMT' }, 30_000],
    ['nonsense', { 'retry-after': 'later' }, undefined],
    ['nothing', {}, undefined],
  ])('429 with %s as Retry-After', async (_what, headers, retryAfterMs) => {
    respond = (response) => {
      response.writeHead(429, headers as Record<string, string>).end();
    };
    const error = await submitTo(client);
    expect(error).toBeInstanceOf(RateLimitedError);
    expect((error as RateLimitedError).retryAfterMs).toBe(retryAfterMs);
  });

  it.each([408, 425, 500, 502, 503, 504, 599])(
    '%d means that the service cannot answer now, and that nobody knows what it did',
    async (status) => {
      respond = (response) => {
        response.writeHead(status, { 'retry-after': '5' }).end('<html><title>Bad Gateway</title></html>');
      };
      const error = await submitTo(client);
      expect(error).toBeInstanceOf(ServiceUnavailableError);
      expect(error).toMatchObject({ isOutcomeUnknown: true, retryable: true, retryAfterMs: 5_000, context: { status } });
      expect((error as Error).message).toContain(`(${status}: "Bad Gateway"). Whether the service began the query is not known.`);
    },
  );

  it.each([
    [301, false],
    [302, false],
    [303, true],
    [307, false],
    [308, false],
    [304, true],
  ])('%d is not followed, and its target is shown without its query', async (status, isOutcomeUnknown) => {
    respond = (response) => {
      response.writeHead(status, { location: 'https://login.example.com/in?apiKey=leak&sig=leak#leak' }).end();
    };
    const error = await submitTo(client);
    expect(error).toMatchObject({ code: 'service_unavailable', isOutcomeUnknown });
    expect((error as Error).message).toContain(`redirect (${status}) to https://login.example.com/in instead of`);
    expect((error as Error).message).not.toContain('leak');
    expect(service.received).toHaveLength(1);
  });
});

describe('an answer that cannot be read', () => {
  const cases: [string, Respond, RegExp][] = [
    ['HTML with 200', (response) => void response.end('<html>Welcome</html>'), /answered 200, but the body is not JSON.*"Welcome"/],
    ['an empty 200', (response) => void response.end(), /the body is empty/],
    [
      'JSON cut off by the end of the connection',
      (response) => void response.writeHead(200, { connection: 'close' }).end('{"executionState":"COMP'),
      /not JSON, or was cut off/,
    ],
    [
      'a body shorter than announced',
      (response) => {
        response.writeHead(200, { 'content-length': '100' }).write('{"execution');
        setImmediate(() => response.destroy());
      },
      /closed the connection before its answer was complete|shorter or longer/,
    ],
    [
      'a chunked body without its end',
      (response) => {
        response.writeHead(200).write('{"executionState":"IN_PROGRESS"}');
        setImmediate(() => response.destroy());
      },
      /not valid HTTP, or was cut off/,
    ],
    [
      'a connection closed without an answer',
      (response) => void response.destroy(),
      /closed the connection before its answer was complete/,
    ],
    ['a connection reset without an answer', (response) => void (response.socket as Socket).resetAndDestroy(), /reset the connection/],
    [
      'a connection reset in the middle of the body',
      (response) => {
        response.writeHead(200, { 'content-length': '100' }).write('{"execution', () => (response.socket as Socket).resetAndDestroy());
      },
      /reset the connection|shorter or longer/,
    ],
    ['no headers in time', () => {}, /did not begin to answer in time/],
    ['a body that stops', (response) => void response.writeHead(200).write('{"exec'), /stopped in the middle of its answer/],
    [
      'a body that grows too large',
      (response) => void response.writeHead(200).end(' '.repeat(MAX_RESPONSE_BYTES + 1)),
      /larger than the allowed 20000 bytes; a smaller page_size makes smaller pages/,
    ],
    [
      'a small body that becomes too large when decompressed',
      (response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(' '.repeat(MAX_RESPONSE_BYTES + 1))),
      /larger than the allowed 20000 bytes/,
    ],
    [
      'a damaged compressed body',
      (response) =>
        void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"executionState":"IN_PROGRESS"}').subarray(0, 20)),
      /the gzip body is damaged or was cut off/,
    ],
    [
      'an encoding that was not offered',
      (response) => void response.writeHead(200, { 'content-encoding': 'zstd' }).end('xxxx'),
      /not offered/,
    ],
    ['something that is not HTTP', (response) => void response.socket?.end('SSH-2.0-OpenSSH_9.2\r\n'), /not valid HTTP, or was cut off/],
  ];

  it.each(cases)('%s', async (_what, answer, message) => {
    respond = answer;
    const error = await submitTo(client);
    expect(error).toBeInstanceOf(ServiceUnavailableError);
    expect(error).toMatchObject({ isOutcomeUnknown: true, retryable: true, context: { job: 'acme', dataset: 'ai_search_citations' } });
    expect((error as Error).message).toMatch(message);
    expect((error as Error).message).toContain('Whether the service began the query is not known.');
  });

  it.each([
    ['a body that drips for ever', submitTo, { totalTimeoutMs: 300 }, { isOutcomeUnknown: true }, 'no complete answer within 300 ms'],
    [
      'the answer to a poll that comes too slowly, long before a submit would be given up',
      pollOf,
      { pace: { afterMs: 200, spanMs: 100, bytesPerSecond: 1000 } },
      { retryable: true },
      'no complete answer within 200 ms, and it comes at less than 1000 bytes a second',
    ],
  ])('%s', async (_what, call, options, expected, message) => {
    const impatient = createTestClient(service.url, { options });
    toClose.push(impatient);
    respond = (response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write(' '), 40);
      response.once('close', () => clearInterval(drip));
    };
    const error = await call(impatient);
    expect(error).toMatchObject({ code: 'service_unavailable', ...expected });
    expect((error as Error).message).toContain(message);
    await service.allClosed();
  });

  it('leaves the client usable', async () => {
    for (const [, answer] of cases.slice(3, 8)) {
      respond = answer;
      expect(await pollOf(client)).toBeInstanceOf(ServiceUnavailableError);
    }
    respond = (response) => sendJson(response, 202, { executionState: 'IN_PROGRESS' });
    await expect(client.poll(DATASET, 'e1', CALL)).resolves.toMatchObject({ state: 'in_progress' });
  });
});

describe('a service that cannot be reached, so that nothing was sent', () => {
  const expectUnsent = (error: unknown, message: RegExp): void => {
    expect(error).toBeInstanceOf(ServiceUnavailableError);
    expect(error).toMatchObject({ isOutcomeUnknown: false, retryable: true });
    expect((error as Error).message).toMatch(message);
    expect((error as Error).message).toMatch(/Nothing was sent\.$/);
  };

  it('refused connections', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    await once(closed, 'close');
    const error = await submitTo(clientOf(`http://127.0.0.1:${port}`));
    expectUnsent(error, new RegExp(`127\\.0\\.0\\.1:${port}: nothing listens there.*\\(ECONNREFUSED\\)`));
  });

  it('an unknown name', async () => {
    expectUnsent(await submitTo(clientOf('http://service.invalid')), /service\.invalid: .*DNS/);
  });

  it('a certificate of an unknown issuer', async () => {
    const secure = await startFakeService(
      (response) => sendJson(response, 202, { executionState: 'IN_PROGRESS', executionId: 'e1' }),
      createSelfSignedCertificate(),
    );
    toClose.push(secure);
    expectUnsent(await submitTo(clientOf(secure.url)), /its certificate is self-signed.*\(DEPTH_ZERO_SELF_SIGNED_CERT\)/);
    expect(secure.received).toEqual([]);
  });

  it('a server that does not speak TLS', async () => {
    expectUnsent(await submitTo(clientOf(service.url.replace('http:', 'https:'))), /does not speak TLS as expected/);
    expect(service.received).toEqual([]);
  });

  it('a handshake that never ends', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket.on('error', () => {}))).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    expectUnsent(await submitTo(clientOf(`https://127.0.0.1:${port}`)), /did not accept the connection in time/);
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
});

describe('with key and signature', () => {
  it('errors are the same', async () => {
    const signing = createTestClient(service.url, { auth: SIGNATURE_AUTH });
    toClose.push(signing);
    respond = (response) => sendJson(response, 400, { error: 'INVALID_PARAMETERS', message: 'no' });
    expect(await submitTo(signing)).toBeInstanceOf(RejectedError);
  });
});

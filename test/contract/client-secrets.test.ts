// Credentials: on every request, and nowhere else. The fake service does its worst and echoes all it was sent.
import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeError, SearchmillError } from '../../src/core/errors.ts';
import type { ServiceCall } from '../../src/service/call-service.ts';
import type { ServiceClient } from '../../src/service/client.ts';
import { type FakeService, type ReceivedRequest, type Respond, sendJson, startFakeService } from '../support/fake-service.ts';
import {
  API_KEY,
  createTestClient,
  GATEWAY_HEADER,
  GATEWAY_KEY,
  SHARED_SECRET,
  SIGNATURE_AUTH,
  TOKEN,
  TOKEN_AUTH,
} from '../support/service-client.ts';

const DATASET = { name: 'keyword_rankings' };
const CALL: ServiceCall = { priority: 5, context: {} };
const RECORD = { executionId: 'e1', executionState: 'COMPLETED', results: [], schema: [], nextPageId: null };

let respond: Respond;
let service: FakeService;
let client: ServiceClient;

beforeEach(async () => {
  service = await startFakeService((response, request) => respond(response, request));
});
afterEach(async () => {
  await client.close();
  await service.close();
});

const md5 = (text: string): string => createHash('md5').update(text, 'utf8').digest('hex');

describe('with a token', () => {
  it('every request carries it as a bearer header, again after a failure, and has no query', async () => {
    client = createTestClient(service.url, { auth: TOKEN_AUTH });
    let answers = 0;
    respond = (response) => (answers++ === 1 ? sendJson(response, 500, {}) : sendJson(response, 200, RECORD));
    await client.submit(DATASET, {}, CALL);
    await client.poll(DATASET, 'e1', CALL).catch(() => {});
    await client.poll(DATASET, 'e1', CALL);
    await client.paginate(DATASET, { executionId: 'e1', nextPageId: 'p1', pageSize: 10 }, CALL);
    expect(service.received.map(({ headers }) => headers.authorization)).toEqual(new Array(4).fill(`Bearer ${TOKEN}`));
    for (const { url } of service.received) expect(url).toBe('/data-api/v1/async/keyword_rankings');
  });
});

describe('with headers of the connection', () => {
  it('every request carries them beside the credential, and a header that Searchmill sets stays as it is', async () => {
    client = createTestClient(service.url, { auth: SIGNATURE_AUTH, headers: GATEWAY_HEADER });
    respond = (response) => sendJson(response, 200, RECORD);
    await client.submit(DATASET, {}, CALL);
    await client.poll(DATASET, 'e1', CALL);
    await client.paginate(DATASET, { executionId: 'e1', nextPageId: 'p1', pageSize: 10 }, CALL);
    expect(service.received).toHaveLength(3);
    for (const { headers, url } of service.received) {
      expect(headers).toMatchObject({ 'x-api-gateway-key': GATEWAY_KEY, 'content-type': 'application/json' });
      expect(url).not.toContain(GATEWAY_KEY);
    }
  });
});

describe('with key and secret', () => {
  it('every request is signed for its own second, again after a failure, and has no Authorization header', async () => {
    let nowMs = Date.UTC(2026, 0, 5, 12, 0, 0, 900);
    const clock = { now: () => new Date(nowMs), sleep: async () => {} };
    client = createTestClient(service.url, { auth: SIGNATURE_AUTH, clock });
    let answers = 0;
    respond = (response) => {
      nowMs += 1_000;
      if (answers++ === 1) response.destroy();
      else sendJson(response, 200, RECORD);
    };
    await client.submit(DATASET, {}, CALL);
    await client.poll(DATASET, 'e1', CALL).catch(() => {});
    await client.poll(DATASET, 'e1', CALL);
    await client.paginate(DATASET, { executionId: 'e1', nextPageId: 'p1', pageSize: 10 }, CALL);
    const first = Date.UTC(2026, 0, 5, 12) / 1_000;
    expect(service.received).toHaveLength(4);
    for (const [at, { url, headers }] of service.received.entries()) {
      const { pathname, searchParams } = new URL(url, service.url);
      expect(pathname).toBe('/data-api/v1/async/keyword_rankings');
      expect(Object.fromEntries(searchParams)).toEqual({ apiKey: API_KEY, sig: md5(`${API_KEY}${SHARED_SECRET}${first + at}`) });
      expect(headers.authorization).toBeUndefined();
      expect(JSON.stringify(headers)).not.toContain(API_KEY);
    }
  });
});

/** What the service may say: everything it was sent, and the secret it knows, in every form a page may have. */
function echo({ url, headers }: ReceivedRequest): string {
  const forms = [TOKEN, API_KEY, SHARED_SECRET, GATEWAY_KEY].flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret),
    secret.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
  ]);
  return `${forms.join(' ')} ${headers.authorization} ${headers['x-api-gateway-key']} ${url} ${new URL(url, 'http://x').searchParams.get('sig')}`;
}

const worstCases: [string, Respond][] = [
  ...[400, 401, 403, 404, 429, 500, 502, 503].flatMap((status): [string, Respond][] => [
    [`${status} as text`, (response, request) => void response.writeHead(status).end(echo(request))],
    [
      `${status} as JSON`,
      (response, request) => sendJson(response, status, { error: echo(request), message: echo(request), requestId: echo(request) }),
    ],
  ]),
  ['200 as text', (response, request) => void response.end(echo(request))],
  [
    '200 as JSON that is not a record',
    (response, request) => sendJson(response, 200, { executionState: echo(request), requestId: echo(request) }),
  ],
  [
    'FAILED',
    (response, request) =>
      sendJson(response, 200, { executionState: 'FAILED', error: echo(request), message: echo(request), requestId: echo(request) }),
  ],
  ...[200, 400].map((status): [string, Respond] => [
    `${status} FAILED with messages inside, and some that are none`,
    (response, request) => {
      const inside = { code: echo(request), errorMessage: echo(request), details: [{ [echo(request)]: echo(request) }] };
      sendJson(response, status, { executionState: 'FAILED', error: inside, errors: [inside, echo(request)] });
    },
  ]),
  [
    '400 with messages inside',
    (response, request) => sendJson(response, 400, { errors: [{ detail: echo(request) }, { [echo(request)]: echo(request) }] }),
  ],
  [
    'a redirect',
    (response, request) =>
      void response
        .writeHead(307, { location: `https://x.example/${encodeURIComponent(echo(request))}?${echo(request).replaceAll(/[^ -~]| /g, '')}` })
        .end(),
  ],
  ['a status line that is none', (response, request) => void response.socket?.end(`HTTP/1.1 ${echo(request)}\r\n\r\n`)],
  ['a header that is none', (response, request) => void response.socket?.end(`HTTP/1.1 200 OK\r\n${echo(request)}\r\n\r\n`)],
  [
    'a chunk that is none',
    (response, request) => void response.socket?.end(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${echo(request)}`),
  ],
  ['a body cut off', (response, request) => void response.socket?.end(`HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n${echo(request)}`)],
  [
    'an unknown encoding',
    (response, request) => void response.writeHead(200, { 'content-encoding': echo(request).replaceAll(/[^!-~]/g, '') }).end('x'),
  ],
];

describe.each([
  ['token', TOKEN_AUTH],
  ['signature', SIGNATURE_AUTH],
] as const)('no part of an error holds a credential (%s)', (_kind, auth) => {
  it.each(worstCases)('%s', async (_name, answer) => {
    client = createTestClient(service.url, { auth, headers: GATEWAY_HEADER });
    respond = answer;
    // A submit or poll that is answered FAILED returns; what it returns is shown as well.
    const returned = (answer: unknown): never => {
      throw Object.assign(new SearchmillError('protocol', false, 'returned'), { answer });
    };
    const calls = [
      async () => returned(await client.submit(DATASET, {}, CALL)),
      () => client.paginate(DATASET, { executionId: 'e1', nextPageId: 'p1', pageSize: 10 }, CALL),
      async () => returned(await client.poll(DATASET, 'e1', CALL)),
    ];
    for (const call of calls) {
      const error: unknown = await call().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(SearchmillError);
      const all = [
        inspect(error, { depth: 20, showHidden: true, getters: true }),
        JSON.stringify(error),
        describeError(error),
        String((error as Error).stack),
      ].join('\n');
      const signatures = service.received.map(({ url }) => new URL(url, 'http://x').searchParams.get('sig') ?? 'none');
      const forms = [TOKEN, API_KEY, SHARED_SECRET, GATEWAY_KEY, ...signatures].flatMap((secret) => [
        secret,
        encodeURIComponent(secret),
        encodeURIComponent(encodeURIComponent(secret)),
        JSON.stringify(secret).slice(1, -1),
        secret.slice(0, 12),
      ]);
      const isToken = auth.kind === 'token';
      const ours = forms.filter((form) => form.startsWith('gate') || form.startsWith('tok') === isToken);
      for (const form of ours) if (form !== 'none') expect(all).not.toContain(form);
    }
    expect(service.received).toHaveLength(3);
  });
});

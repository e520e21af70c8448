// Bodies that are meant to exhaust their reader, from a real server: each is an error that ends after some tries, or rows.
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BufferPool } from '../../src/codec/buffer-pool.ts';
import { createDecoder } from '../../src/codec/decode.ts';
import { createRowsDecoder } from '../../src/codec/decode-bytes.ts';
import { areSpooled, closeRows } from '../../src/codec/page-rows.ts';
import { MEBIBYTE } from '../../src/core/byte-sizes.ts';
import { ProtocolError, RejectedError, ServiceUnavailableError } from '../../src/core/errors.ts';
import type { PollAnswer } from '../../src/service/answers.ts';
import type { ServiceCall } from '../../src/service/call-service.ts';
import type { ServiceClient } from '../../src/service/client.ts';
import { type FakeService, startFakeService } from '../support/fake-service.ts';
import { createTestClient } from '../support/service-client.ts';
import { everyType, rowOf, schemaOf } from '../unit/codec/copy-rows.ts';

const buffers = new BufferPool();

const DATASET = { name: 'ai_search_citations' };
const CALL: ServiceCall = { priority: 5, context: {} };

let respond: (response: ServerResponse) => void;
let service: FakeService;
let client: ServiceClient;
beforeAll(async () => {
  service = await startFakeService((response) => respond(response));
  client = createTestClient(service.url);
});
afterAll(async () => {
  await client.close();
  await service.close();
});

/** The poll that is answered so, plain or compressed. */
function poll(status: number, body: string, isCompressed = false, by = client): Promise<PollAnswer> {
  respond = (response) => {
    const headers = isCompressed ? { 'content-encoding': 'gzip' } : {};
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(isCompressed ? gzipSync(body) : body);
  };
  return by.poll(DATASET, 'e1', CALL);
}

const deep = (levels: number, inside = ''): string => `${'['.repeat(levels)}${inside}${']'.repeat(levels)}`;
const zeros = (bytes: number): string => `[${'0,'.repeat(bytes / 2)}0]`;
const record = (results: string, more = ''): string =>
  `{"executionId":"e1","executionState":"COMPLETED"${more},"results":${results},"schema":${JSON.stringify(schemaOf(everyType))},"nextPageId":null}`;
const GOOD_ROW = JSON.stringify(rowOf(everyType));
const LONG_ROW = `["${'x'.repeat(17_000_000)}"]`;
/** So many good rows that the answer goes into a file. */
const MANY_ROWS = `${GOOD_ROW},`.repeat((5 * MEBIBYTE) / GOOD_ROW.length);

describe('an answer is a protocol error', () => {
  it.each([
    ['a bomb', () => record('[]', `,"x":${zeros(20 * MEBIBYTE)}`), /grows to more than \d+ when it is decompressed/, true],
    ['no record, and large', () => zeros(5 * MEBIBYTE), /is not made of rows/],
    ['a large section before its rows', () => record(`[${GOOD_ROW}]`, `,"x":${zeros(5 * MEBIBYTE)}`), /is not made of rows/],
    ['a large section behind its rows', () => `${record(`[${GOOD_ROW}]`).slice(0, -1)},"x":${zeros(5 * MEBIBYTE)}}`, /is not made of rows/],
    ['a section of very many values', () => record(`[${GOOD_ROW}]`, `,"x":${zeros(2 * MEBIBYTE)}`), /has more than 500000 values/],
    ['a million rows without values', () => record(`[${'[],'.repeat(1_000_000)}[]]`), /has more than 500000 values/],
    ['too many rows without values', () => record(`[${'[],'.repeat(200_000)}[]]`), /200001 rows in \d+ bytes, which cannot be rows/],
    [
      'rows of nothing that are as wide as the first one',
      () => record(`[${JSON.stringify(Array(1_000).fill(null))}${',0'.repeat(400_000)}]`),
      /400001 rows in/,
    ],
    [
      'a schema of many columns',
      () => record(`[${GOOD_ROW}]`, `,"schema":[${'{},'.repeat(200_000)}{}]`).replace(/,"schema":\[\{"name.*?\]/, ''),
      /schema: expected an array of at most 1000/,
    ],
    ['nested deep', () => deep(20_000), /nested more than 500 levels deep/],
    ['a record with a deep field', () => record('[]', `,"message":${deep(20_000)}`), /nested more than 500 levels deep/],
    [
      'rows with a deep field behind them',
      () => `${record(`[${MANY_ROWS}${GOOD_ROW}]`).slice(0, -1)},"x":${deep(20_000)}}`,
      /is not made of rows/,
    ],
    [
      'a failed query with a deep message',
      () => `{"executionState":"FAILED","message":${deep(20_000)}}`,
      /nested more than 500 levels deep/,
    ],
    ['a count that is a list', () => record('[]', `,"totalRowCount":${deep(501)}`), /nested more than 500 levels deep/],
    ['a token that is too long', () => record('[]').replace('"nextPageId":null', `"nextPageId":"${'t'.repeat(8_193)}"`), /nextPageId: /],
    ['a token with a NUL', () => record('[]').replace('"nextPageId":null', '"nextPageId":"t\\u0000"'), /nextPageId: /],
    ['an executionId that is too long', () => record('[]').replace('"e1"', `"${'e'.repeat(1_000_000)}"`), /executionId: /],
    ['an executionId that is half a pair', () => record('[]').replace('"e1"', '"e\\ud800"'), /executionId: /],
    ['a state of a megabyte', () => record('[]').replace('COMPLETED', 'C'.repeat(MEBIBYTE)), /executionState: /],
  ] as readonly [string, () => string, RegExp, boolean?][])('that is %s', async (_what, makeBody, message, isCompressed = false) => {
    const error = await poll(200, makeBody(), isCompressed).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ProtocolError);
    expect((error as Error).message).toMatch(message);
    expect((error as Error).message.length).toBeLessThan(600);
  });

  it('that takes a submit under an executionId that is too long: the error is lasting, since each attempt spends a submit', async () => {
    respond = (response) => response.writeHead(202).end(`{"executionState":"IN_PROGRESS","executionId":"${'e'.repeat(8_193)}"}`);
    const error = await client.submit(DATASET, {}, CALL).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'protocol', isLasting: true });
  });

  it('but not for its requestId, which may be of any length', async () => {
    const answer = await poll(202, `{"executionState":"IN_PROGRESS","requestId":"${'r'.repeat(MEBIBYTE)}"}`);
    expect(answer).toMatchObject({ state: 'in_progress', requestId: expect.stringMatching(/^r{99}…$/) });
  });
});

describe('only the beginning of the body of an error is read', () => {
  it.each([
    ['a bomb', 500, `{"message":"down","x":${zeros(20 * MEBIBYTE)}}`, true, ServiceUnavailableError, '"message":"down"'],
    ['megabytes', 500, `{"message":"down","x":${zeros(5 * MEBIBYTE)}}`, false, ServiceUnavailableError, '"message":"down"'],
    ['megabytes', 400, `{"error":"BAD","message":"${'no '.repeat(MEBIBYTE)}"}`, false, RejectedError, '"error":"BAD"'],
    ['deep', 400, deep(7_000, '"no"'), false, RejectedError, '[[['],
    ['deep within', 400, `{"error":"BAD","message":${deep(5_000, '"no"')}}`, false, RejectedError, 'BAD'],
    ['deep, and too much', 503, deep(20_000), false, ServiceUnavailableError, '[[['],
  ] as const)('%s, with %d', async (_what, status, body, isCompressed, kind, shown) => {
    const error = await poll(status, body, isCompressed).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(kind);
    expect((error as Error).message).toContain(shown);
    expect((error as Error).message.length).toBeLessThan(900);
  });

  it('and the connection is closed instead of reading on', async () => {
    let written = 0;
    const ended = new Promise<void>((resolve) => {
      respond = (response) => {
        response.writeHead(500).once('close', resolve);
        const more = (): void => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536, 'x'))) written += 65_536;
          written += 65_536;
        };
        response.on('drain', more);
        more();
      };
    });
    await expect(client.poll(DATASET, 'e1', CALL)).rejects.toBeInstanceOf(ServiceUnavailableError);
    await ended;
    expect(written).toBeLessThan(64 * MEBIBYTE);
  });
});

describe('a row that alone is over the limit of a page', () => {
  const limits = { maxResponseBytes: 400_000, maxRowBytes: 20_000 };
  const page = (row: string): string =>
    record(`[${GOOD_ROW},${row},${GOOD_ROW}]`, ',"totalRowCount":3').replace('"nextPageId":null', '"nextPageId":"t2"');

  it.each([false, true])('is cut, and the page is read to its token (compressed: %s)', async (isCompressed) => {
    const strict = createTestClient(service.url, { options: limits });
    const row = JSON.stringify(['x, "y" ]'.repeat(100_000)]);
    const answer = await poll(200, page(row), isCompressed, strict);
    if (answer.state !== 'completed') return expect.fail(answer.state);
    expect(answer.page).toMatchObject({ nextPageId: 't2', totalRowCount: 3n });
    expect(answer.page.rows.length).toBe(3);
    closeRows(answer.page.rows);
    await strict.close();
  });

  it('counts with its beginning only: many rows are still over the limit, and the error says what to set', async () => {
    const strict = createTestClient(service.url, { options: limits });
    const rows = Array(40)
      .fill(`["${'x'.repeat(15_000)}"]`)
      .join();
    const error = await poll(200, page(rows), false, strict).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ServiceUnavailableError);
    expect((error as Error).message).toMatch(
      /larger than the allowed 400000 bytes; a smaller page_size makes smaller pages, and narrower filters/,
    );
    await strict.close();
  });
});

describe('only the unreadable row is put into quarantine, as it came', () => {
  it.each([
    ['nested deep', deep(20_000)],
    ['an object, nested deep', `{"x":${deep(20_000)}}`],
    ['with a deep value in a text column', GOOD_ROW.replace(/"[^"]*"/, deep(20_000))],
    ['with very many values', `[${'{},'.repeat(150_000)}0]`],
    ['of very many levels', deep(150_000)],
    // Its beginning is kept.
    ['of 17 MB', LONG_ROW, LONG_ROW.slice(0, 65_536)],
  ])('%s', async (_what, row, beginning?: string) => {
    const kept = beginning === undefined ? row : JSON.stringify(beginning);
    for (const rows of [`[${row},${GOOD_ROW}]`, `[${GOOD_ROW},${row}]`, `[${MANY_ROWS}${row},${GOOD_ROW}]`]) {
      const answer = await poll(200, record(rows));
      if (answer.state !== 'completed') return expect.fail(answer.state);
      const decodeRows = createRowsDecoder(everyType, createDecoder(everyType, schemaOf(everyType)), buffers);
      const found: string[] = [];
      let staged = 0;
      const read = answer.page.rows;
      for await (const part of areSpooled(read) ? read.parts() : [read]) {
        const decoded = decodeRows(part, 1);
        staged += decoded.staged;
        found.push(...decoded.rejected.map(({ raw }) => raw));
      }
      closeRows(read);
      expect(found.map((raw) => raw === kept)).toEqual([true]);
      expect(staged).toBe(read.length - 1);
    }
  });
});

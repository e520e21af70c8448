// What the client makes of the service's answers: states, statuses, bodies.

import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { parsedRows } from '../../src/codec/page-rows.ts';
import { ExecutionFailedError, ProtocolError, SearchmillError } from '../../src/core/errors.ts';
import type { ServiceCall } from '../../src/service/call-service.ts';
import { sendJson } from '../support/fake-service.ts';
import { createTestClient } from '../support/service-client.ts';
import { failureOf, useAnsweringService } from './answering-service.ts';

const DATASET = { name: 'keyword_rankings' };
const CALL: ServiceCall = { priority: 5, context: { job: 'acme', execution: '42' } };
const SCHEMA = [{ name: 'account_id', type: 'integer' }];
const ROWS = [['1'], ['2']];

const fake = useAnsweringService();

const answerWith = (status: number, body: unknown): void => {
  fake.respond = (response) => sendJson(response, status, body);
};

const IN_PROGRESS = { executionId: 'e1', executionState: 'IN_PROGRESS', requestId: 'r1', results: [], schema: [], nextPageId: null };
const COMPLETED = {
  executionId: 'e1',
  executionState: 'COMPLETED',
  requestId: 'r1',
  results: ROWS,
  schema: SCHEMA,
  nextPageId: 'p2',
  totalRowCount: 4,
};
const FAILED = { executionId: 'e1', executionState: 'FAILED', requestId: 'r1', error: 'TIMEOUT', message: 'it took too long' };

const PAGE = {
  rows: parsedRows(ROWS),
  schema: SCHEMA,
  nextPageId: 'p2',
  totalRowCount: 4n,
  requestId: 'r1',
  bytes: JSON.stringify(COMPLETED).length,
  waitMs: expect.any(Number),
  networkMs: expect.any(Number),
};

/** Statuses at which a record is believed, and those that speak about the call instead. */
const BELIEVED = [200, 201, 202, 400, 404, 500, 503];
const ABOUT_THE_CALL = [
  [401, 'unauthorized'],
  [403, 'unauthorized'],
  [429, 'rate_limited'],
  [302, 'service_unavailable'],
] as const;

describe('a state in lower case', () => {
  it('is read as in upper case, by submits (with the executionId), polls and pages', async () => {
    answerWith(202, { ...IN_PROGRESS, executionState: 'in_progress' });
    expect(await fake.client.submit(DATASET, { account_id: 1 }, CALL)).toEqual({ state: 'accepted', executionId: 'e1', requestId: 'r1' });
    expect(await fake.client.poll(DATASET, 'e1', CALL)).toEqual({ state: 'in_progress', requestId: 'r1' });
    answerWith(200, { ...COMPLETED, executionState: 'Completed' });
    expect(await fake.client.poll(DATASET, 'e1', CALL)).toMatchObject({ state: 'completed', page: PAGE });
    answerWith(200, { ...FAILED, executionState: 'failed' });
    expect(await fake.client.poll(DATASET, 'e1', CALL)).toMatchObject({ state: 'failed', message: 'TIMEOUT: it took too long' });
  });
});

describe('poll goes by executionState, whatever the HTTP status', () => {
  it.each(BELIEVED)('IN_PROGRESS with %d', async (status) => {
    answerWith(status, IN_PROGRESS);
    await expect(fake.client.poll(DATASET, 'e1', CALL)).resolves.toEqual({ state: 'in_progress', requestId: 'r1' });
  });

  it.each(BELIEVED)('COMPLETED with %d', async (status) => {
    answerWith(status, COMPLETED);
    await expect(fake.client.poll(DATASET, 'e1', CALL)).resolves.toEqual({ state: 'completed', page: PAGE });
  });

  it.each(BELIEVED)('FAILED with %d', async (status) => {
    answerWith(status, FAILED);
    await expect(fake.client.poll(DATASET, 'e1', CALL)).resolves.toEqual({
      state: 'failed',
      message: 'TIMEOUT: it took too long',
      requestId: 'r1',
    });
  });

  it.each([
    ['errorMessage', { errorMessage: 'it took too long' }, 'it took too long'],
    ['an error with a message', { error: { code: 'TIMEOUT', message: 'it took too long' } }, 'TIMEOUT: it took too long'],
    ['a list of errors', { errors: [{ message: 'too long' }, { message: 'too wide' }] }, 'too long; too wide'],
  ])('FAILED with %s', async (_where, fields, message) => {
    for (const status of BELIEVED) {
      answerWith(status, { executionState: 'FAILED', ...fields });
      await expect(fake.client.poll(DATASET, 'e1', CALL)).resolves.toMatchObject({ state: 'failed', message });
      await expect(fake.client.submit(DATASET, {}, CALL)).resolves.toMatchObject({ state: 'failed', message });
      expect(await failureOf(fake.client.paginate(DATASET, { executionId: 'e1', nextPageId: 'p1', pageSize: 1000 }, CALL))).toMatchObject({
        code: 'execution_failed',
        message: expect.stringContaining(message) as string,
      });
    }
  });

  it('FAILED without any reason', async () => {
    answerWith(500, { executionState: 'FAILED' });
    await expect(fake.client.poll(DATASET, 'e1', CALL)).resolves.toEqual({ state: 'failed', message: null, requestId: null });
  });

  describe.each(ABOUT_THE_CALL)('except at %d, which is about the call', (status, code) => {
    it.each([IN_PROGRESS, COMPLETED, FAILED])('$executionState', async (record) => {
      answerWith(status, record);
      expect(await failureOf(fake.client.poll(DATASET, 'e1', CALL))).toMatchObject({
        code,
        context: { status, requestId: 'r1', job: 'acme', execution: '42' },
      });
    });
  });
});

describe('submit', () => {
  it.each(BELIEVED)('accepts IN_PROGRESS with %d', async (status) => {
    answerWith(status, IN_PROGRESS);
    await expect(fake.client.submit(DATASET, { account_id: 1 }, CALL)).resolves.toEqual({
      state: 'accepted',
      executionId: 'e1',
      requestId: 'r1',
    });
  });

  it('accepts COMPLETED, even without results: polling gives them', async () => {
    answerWith(200, { executionId: 'e1', executionState: 'COMPLETED' });
    await expect(fake.client.submit(DATASET, {}, CALL)).resolves.toEqual({ state: 'accepted', executionId: 'e1', requestId: null });
  });

  it.each(BELIEVED)('reports FAILED with %d, with the reason and the executionId', async (status) => {
    answerWith(status, FAILED);
    await expect(fake.client.submit(DATASET, {}, CALL)).resolves.toEqual({
      state: 'failed',
      executionId: 'e1',
      message: 'TIMEOUT: it took too long',
      requestId: 'r1',
    });
  });

  it.each([
    ['no executionId', { executionState: 'IN_PROGRESS' }],
    ['an empty one', { executionState: 'IN_PROGRESS', executionId: '' }],
    ['one that is no string', { executionState: 'IN_PROGRESS', executionId: 12 }],
    ['one with NUL', { executionState: 'IN_PROGRESS', executionId: 'e\u0000' }],
    ['a state it does not know', { executionState: 'QUEUED', executionId: 'e1' }],
    ['no record at all', []],
  ])('leaves the outcome unknown when the answer has %s', async (_what, body) => {
    answerWith(202, body);
    const error = await failureOf(fake.client.submit(DATASET, {}, CALL));
    expect(error).toBeInstanceOf(ProtocolError);
    expect(error).toMatchObject({ isOutcomeUnknown: true, retryable: true });
  });
});

describe('paginate', () => {
  it.each(BELIEVED)('takes a COMPLETED page with %d', async (status) => {
    answerWith(status, COMPLETED);
    await expect(fake.client.paginate(DATASET, { executionId: 'e1', nextPageId: 'p1', pageSize: 1000 }, CALL)).resolves.toEqual(PAGE);
  });

  it.each(BELIEVED)('FAILED with %d ends the execution', async (status) => {
    answerWith(status, FAILED);
    expect(await failureOf(fake.client.paginate(DATASET, { executionId: 'e1', nextPageId: 'p1', pageSize: 1000 }, CALL))).toBeInstanceOf(
      ExecutionFailedError,
    );
  });

  it.each(BELIEVED)('IN_PROGRESS with %d is against the protocol', async (status) => {
    answerWith(status, IN_PROGRESS);
    expect(await failureOf(fake.client.paginate(DATASET, { executionId: 'e1', nextPageId: 'p1', pageSize: 1000 }, CALL))).toBeInstanceOf(
      ProtocolError,
    );
  });
});

describe('a page', () => {
  it('may be empty and name a next one', async () => {
    answerWith(200, { ...COMPLETED, results: [] });
    await expect(fake.client.paginate(DATASET, { executionId: 'e1', nextPageId: 'p1', pageSize: 1000 }, CALL)).resolves.toMatchObject({
      rows: parsedRows([]),
      nextPageId: 'p2',
    });
  });

  it('is refused without results', async () => {
    answerWith(200, { ...COMPLETED, results: undefined });
    expect(await failureOf(fake.client.poll(DATASET, 'e1', CALL))).toBeInstanceOf(ProtocolError);
    expect(await failureOf(fake.client.paginate(DATASET, { executionId: 'e1', nextPageId: 'p1', pageSize: 1000 }, CALL))).toBeInstanceOf(
      ProtocolError,
    );
  });

  it.each([undefined, null, []])('with the schema %j names no columns: those of the page before it hold', async (schema) => {
    answerWith(200, { ...COMPLETED, schema });
    await expect(fake.client.paginate(DATASET, { executionId: 'e1', nextPageId: 'p1', pageSize: 1000 }, CALL)).resolves.toMatchObject({
      rows: PAGE.rows,
      schema: [],
    });
    await expect(fake.client.poll(DATASET, 'e1', CALL)).resolves.toMatchObject({ page: { rows: PAGE.rows, schema: [] } });
  });

  it.each(['', '  '])('is the last with nextPageId %j', async (nextPageId) => {
    answerWith(200, { ...COMPLETED, nextPageId });
    await expect(fake.client.poll(DATASET, 'e1', CALL)).resolves.toMatchObject({ page: { nextPageId: null } });
  });

  it.each(['nextPageId', 'executionId'])('is refused with NUL in its %s, which the ledger cannot store', async (field) => {
    answerWith(200, { ...COMPLETED, [field]: 'e1\u0000' });
    expect(await failureOf(fake.client.poll(DATASET, 'e1', CALL))).toBeInstanceOf(ProtocolError);
    expect(await failureOf(fake.client.paginate(DATASET, { executionId: 'e1', nextPageId: 'p1', pageSize: 1000 }, CALL))).toBeInstanceOf(
      ProtocolError,
    );
  });

  it('is refused when it belongs to another execution', async () => {
    answerWith(200, { ...COMPLETED, executionId: 'someone-else' });
    expect(await failureOf(fake.client.poll(DATASET, 'e1', CALL))).toBeInstanceOf(ProtocolError);
    expect(await failureOf(fake.client.paginate(DATASET, { executionId: 'e1', nextPageId: 'p1', pageSize: 1000 }, CALL))).toBeInstanceOf(
      ProtocolError,
    );
  });

  it('has an exact row count beyond what JavaScript numbers hold', async () => {
    fake.respond = (response) => {
      response.end(JSON.stringify(COMPLETED).replace('"totalRowCount":4', '"totalRowCount":9007199254740993'));
    };
    await expect(fake.client.poll(DATASET, 'e1', CALL)).resolves.toMatchObject({ page: { totalRowCount: 9_007_199_254_740_993n } });
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
  ])('may be compressed by %s; its size is that of the text', async (encoding, compress) => {
    fake.respond = (response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(compress(JSON.stringify(COMPLETED)));
    };
    await expect(fake.client.poll(DATASET, 'e1', CALL)).resolves.toEqual({ state: 'completed', page: PAGE });
    expect(fake.service.received[0]?.headers['accept-encoding']).toContain(encoding);
  });
});

describe('requests', () => {
  it('go to the dataset under the base URL, as JSON, with the body of their kind', async () => {
    answerWith(200, COMPLETED);
    const below = createTestClient(`${fake.service.url}/gateway/`);
    await below.submit(DATASET, { account_id: 7, devices: ['DESKTOP'] }, CALL);
    await below.poll({ name: 'ai_search_brands' }, 'e1', CALL);
    await below.paginate(DATASET, { executionId: 'e1', nextPageId: 'p1', pageSize: 250 }, CALL);
    await below.close();
    expect(fake.service.received.map(({ method, url, body }) => [method, url, JSON.parse(body)])).toEqual([
      ['POST', '/gateway/data-api/v1/async/keyword_rankings', { account_id: 7, devices: ['DESKTOP'] }],
      ['POST', '/gateway/data-api/v1/async/ai_search_brands', { executionId: 'e1' }],
      ['POST', '/gateway/data-api/v1/async/keyword_rankings', { executionId: 'e1', nextPageId: 'p1', pageSize: 250 }],
    ]);
    for (const { headers } of fake.service.received)
      expect(headers).toMatchObject({ 'content-type': 'application/json', accept: 'application/json' });
  });

  it('reuse a connection for reads and open a new one for each submit', async () => {
    answerWith(200, COMPLETED);
    for (let round = 0; round < 3; round++) {
      await fake.client.poll(DATASET, 'e1', CALL);
      await fake.client.submit(DATASET, {}, CALL);
    }
    const portsOf = (at: number) =>
      new Set(fake.service.received.filter((_, index) => index % 2 === at).map(({ remotePort }) => remotePort)).size;
    expect({ reads: portsOf(0), submits: portsOf(1) }).toEqual({ reads: 1, submits: 3 });
  });

  it('throw only errors of the class SearchmillError', async () => {
    for (const body of [null, 0, 'x', [], {}, { executionState: null }, { executionState: 'COMPLETED', results: 1 }]) {
      for (const status of [200, 204, 400, 418, 500, 599]) {
        answerWith(status, body);
        const failure = await failureOf(fake.client.poll(DATASET, 'e1', CALL));
        expect(failure, `${status} ${JSON.stringify(body)}`).toBeInstanceOf(SearchmillError);
      }
    }
  });
});

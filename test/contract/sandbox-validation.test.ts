// Service specification: "Submit body, by operation", "Shared body shapes", "Errors".
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../sandbox/server.ts';
import { DATASETS } from '../../src/datasets/index.ts';
import { errorBodySchema } from '../../src/service/wire.ts';
import { call, question, startTinySandbox, submit, TOKEN } from './sandbox-calls.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startTinySandbox({ limits: { submit: 100_000, read: 100_000 } });
});
afterAll(() => sandbox.close());

async function expectRefused(operation: string, body: unknown, message: RegExp): Promise<void> {
  const reply = await call(sandbox, operation, body);
  expect(reply.status).toBe(400);
  expect(errorBodySchema.parse(reply.body)).toEqual({ error: 'INVALID_PARAMETERS', message: expect.stringMatching(message) });
}

const WRONG_VALUES: Readonly<Record<string, readonly unknown[]>> = {
  integer: ['5', 1.5, true, null, [5]],
  string: [5, true, null, ['a']],
  boolean: ['true', 1, null],
  integers: [5, '5', ['5'], [1.5], [null], null],
  strings: ['a', [5], [null], null],
};

describe.each(DATASETS)('$name', (dataset) => {
  const { name, period, filters } = dataset;

  test('requires the account and both ends of the period, and says which is missing', async () => {
    for (const field of ['account_id', period.start, period.end]) {
      const { [field]: _, ...body } = question(name);
      await expectRefused(name, body, new RegExp(`^${field} is required$`));
    }
  });

  test('requires nothing else', async () => {
    expect((await call(sandbox, name, question(name))).status).toBe(202);
  });

  test.each(filters)('takes $name as $type only', async (filter) => {
    for (const value of WRONG_VALUES[filter.type] ?? []) {
      await expectRefused(name, question(name, { [filter.name]: value }), new RegExp(`^${filter.name}\\b`));
    }
  });

  test('refuses fields that only other operations have', async () => {
    const others = DATASETS.flatMap((other) => [...other.filters.map((filter) => filter.name), other.period.start, other.period.end]);
    const own = new Set([...filters.map((filter) => filter.name), period.start, period.end]);
    const foreign = [...new Set(others)].filter((field) => !own.has(field));
    expect(foreign.length).toBeGreaterThan(0);
    for (const field of foreign)
      await expectRefused(name, question(name, { [field]: 'x' }), new RegExp(`^${field} is not a field of ${name}$`));
  });

  test('wants dates of the calendar, the end after the start', async () => {
    for (const date of ['2026-02-30', '2026-11-8', '20261108', '2026-11-08T00:00:00Z', '', 20261108]) {
      await expectRefused(name, { ...question(name), [period.start]: date }, new RegExp(`^${period.start} must be`));
    }
    for (const end of ['2026-11-08', '2026-11-07']) {
      await expectRefused(
        name,
        { ...question(name), [period.end]: end },
        new RegExp(`^${period.end} ${end} must come after ${period.start}`),
      );
    }
  });

  test('treats an empty list as no filter', async () => {
    const empty = Object.fromEntries(filters.filter(({ type }) => type.endsWith('s')).map((filter) => [filter.name, []]));
    expect([...sandbox.rowsOf(name, question(name, empty))]).toEqual([...sandbox.rowsOf(name, question(name))]);
  });
});

describe('submit bodies', () => {
  test('an account that does not exist is refused', async () => {
    await expectRefused('ai_search_brands', { ...question('ai_search_brands'), account_id: 1 }, /^account_id 1 is not an account/);
    await expectRefused('ai_search_brands', { ...question('ai_search_brands'), account_id: '12345' }, /^account_id must be an integer$/);
  });

  test('the best rank may not be below the worst, and ranks begin at 1', async () => {
    await expectRefused('keyword_rankings', question('keyword_rankings', { min_rank: 5, max_rank: 4 }), /min_rank 5 .* max_rank 4/);
    await expectRefused('keyword_rankings', question('keyword_rankings', { min_rank: 0 }), /^min_rank must be at least 1$/);
    expect((await call(sandbox, 'keyword_rankings', question('keyword_rankings', { min_rank: 4, max_rank: 4 }))).status).toBe(202);
  });

  test('a limit is at least 1', async () => {
    await expectRefused('ai_search_response', question('ai_search_response', { limit: 0 }), /^limit must be at least 1$/);
  });

  test('prompt groups match any of them; another way of matching is refused', async () => {
    expect((await call(sandbox, 'ai_search_brands', question('ai_search_brands', { prompts_groups_match: 'any' }))).status).toBe(202);
    await expectRefused('ai_search_brands', question('ai_search_brands', { prompts_groups_match: 'all' }), /^prompts_groups_match/);
  });

  test('values outside the shown vocabularies are accepted', async () => {
    const body = question('keyword_rankings', { devices: ['TABLET'], result_types: ['HOLOGRAM'], collection_frequency: 'DAILY' });
    expect((await call(sandbox, 'keyword_rankings', body)).status).toBe(202);
  });

  test('all mistakes are reported at once', async () => {
    const body = { account_id: '1', start_date: 'soon', devices: ['DESKTOP', 3], colour: 'red' };
    const reply = await call(sandbox, 'keyword_rankings', body);
    for (const field of ['account_id', 'start_date', 'end_date', 'devices[1]', 'colour']) expect(reply.body.message).toContain(field);
  });

  test('fields with the names of object internals are unknown fields', async () => {
    const body = JSON.stringify(question('keyword_rankings')).replace('{', '{"__proto__":{"x":1},');
    const reply = await call(sandbox, 'keyword_rankings', body);
    expect(reply.status).toBe(400);
  });
});

describe('body shapes', () => {
  test('a body must be a JSON object', async () => {
    await expectRefused('keyword_rankings', '', /body is required/);
    await expectRefused('keyword_rankings', '{', /not JSON/);
    for (const body of ['[]', 'null', '"x"', '5']) await expectRefused('keyword_rankings', body, /JSON object/);
  });

  test('the content type must be application/json, whatever its parameters', async () => {
    const send = (contentType: string) =>
      call(sandbox, 'keyword_rankings', question('keyword_rankings'), { headers: { ...TOKEN, 'content-type': contentType } });
    expect((await send('application/json; charset=utf-8')).status).toBe(202);
    expect((await send('Application/JSON')).status).toBe(202);
    for (const contentType of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp']) {
      const reply = await send(contentType);
      expect(reply.status).toBe(400);
      expect(reply.body.message).toMatch(/content type must be application\/json/);
    }
  });

  test('a body above one megabyte is refused', async () => {
    const prompts = Array.from({ length: 2000 }, () => 'x'.repeat(1000));
    await expectRefused('ai_search_brands', question('ai_search_brands', { prompts }), /too large/);
  });

  test('an executionId makes a poll, which takes nothing else', async () => {
    const executionId = await submit(sandbox, 'keyword_rankings', question('keyword_rankings'));
    await expectRefused('keyword_rankings', { ...question('keyword_rankings'), executionId }, /account_id is not a field of a poll body/);
    await expectRefused('keyword_rankings', { executionId, pageSize: 10 }, /pageSize is not a field of a poll body/);
    for (const wrong of [null, 5, ['x'], {}])
      await expectRefused('keyword_rankings', { executionId: wrong }, /^executionId must be a string$/);
  });

  test('a nextPageId makes a page request, which needs its executionId', async () => {
    const executionId = await submit(sandbox, 'keyword_rankings', question('keyword_rankings'));
    await expectRefused('keyword_rankings', { nextPageId: 'x' }, /^executionId is required$/);
    await expectRefused(
      'keyword_rankings',
      { nextPageId: 'x', ...question('keyword_rankings') },
      /executionId is required.*start_date is not a field/,
    );
    await expectRefused('keyword_rankings', { executionId, nextPageId: null }, /^nextPageId must be a string$/);
    await expectRefused('keyword_rankings', { executionId, nextPageId: 5 }, /^nextPageId must be a string$/);
  });

  test('a pageSize alone makes no page request', async () => {
    await expectRefused(
      'keyword_rankings',
      question('keyword_rankings', { pageSize: 10 }),
      /^pageSize is not a field of keyword_rankings$/,
    );
  });

  test('a page has 1 to 1000 rows', async () => {
    const executionId = await submit(sandbox, 'keyword_rankings', question('keyword_rankings'));
    for (const pageSize of [0, -1, 1001, 1.5, '10', null]) {
      await expectRefused('keyword_rankings', { executionId, nextPageId: 'x', pageSize }, /^pageSize must be/);
    }
  });
});

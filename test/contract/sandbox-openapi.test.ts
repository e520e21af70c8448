// The document at /openapi.json: whole by structure, and true of what is served.
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Sandbox } from '../../sandbox/server.ts';
import { operationPath } from '../../src/datasets/dataset.ts';
import { DATASETS } from '../../src/datasets/index.ts';
import { call, question, startTinySandbox, submit } from './sandbox-calls.ts';

/** Any part of the document; a missing part, or one of what is no object, reads as undefined. */
type Json = { readonly [key: string]: Json | undefined };

let sandbox: Sandbox;
let document: Json;
beforeAll(async () => {
  sandbox = await startTinySandbox({ limits: { submit: 3, read: 100 } });
  document = (await (await fetch(`${sandbox.url}/openapi.json`)).json()) as Json;
});
afterAll(() => sandbox.close());

function everyObject(value: unknown, visit: (object: Json) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) visit(value as Json);
  for (const inner of Object.values(value)) everyObject(inner, visit);
}

function resolve(reference: string): Json | undefined {
  return reference
    .replace('#/', '')
    .split('/')
    .reduce<Json | undefined>((at, key) => at?.[key], document);
}

/** Checks a value against a schema of the document; references stand only at its top. */
function expectValid(schemaName: string, value: unknown): void {
  const schema = z.fromJSONSchema(document.components?.schemas?.[schemaName] as Parameters<typeof z.fromJSONSchema>[0]);
  const parsed = schema.safeParse(value);
  expect(parsed.error?.issues ?? []).toEqual([]);
}

test('it is OpenAPI 3.1 with the version of the interface, and says where it is served', () => {
  expect(document.openapi).toMatch(/^3\.1\.\d+$/);
  expect(document.info?.version).toBe('1.0.0');
  expect(document.info?.title).toEqual(expect.any(String));
  expect(document.servers).toEqual([{ url: sandbox.url }]);
});

test('it has exactly the seven operations, each a POST', () => {
  expect(new Set(Object.keys(document.paths ?? {}))).toEqual(new Set(DATASETS.map(operationPath)));
  for (const path of Object.values(document.paths ?? {})) expect(Object.keys(path ?? {})).toEqual(['post']);
});

test('every reference resolves', () => {
  let references = 0;
  everyObject(document, ({ $ref: reference }) => {
    if (typeof reference !== 'string') return;
    references++;
    expect(resolve(reference), reference).toBeDefined();
  });
  expect(references).toBeGreaterThan(40);
});

test('either the token alone is enough, or key and signature together', () => {
  expect(document.security).toEqual([{ token: [] }, { apiKey: [], signature: [] }]);
  const schemes = document.components?.securitySchemes;
  expect(schemes?.token).toMatchObject({ type: 'http', scheme: 'bearer' });
  expect(schemes?.apiKey).toMatchObject({ type: 'apiKey', in: 'query', name: 'apiKey' });
  expect(schemes?.signature).toMatchObject({ type: 'apiKey', in: 'query', name: 'sig' });
});

describe.each(DATASETS)('$name', (dataset) => {
  const { name, period, filters, columns } = dataset;

  test('its operation has the tag, the three body shapes and all six answers of the specification', () => {
    const operation = document.paths?.[operationPath(dataset)]?.post;
    expect(operation?.operationId).toBe(name);
    expect(operation?.tags).toEqual([dataset.tag]);
    expect(Object.keys(operation?.responses ?? {})).toEqual(['200', '202', '400', '401', '429', '500']);
    expect(operation?.requestBody).toMatchObject({ required: true });
    const shapes = operation?.requestBody?.content?.['application/json']?.schema?.oneOf as unknown as Json[];
    expect(shapes.map(({ $ref }) => $ref)).toEqual(
      [`${name}_submit`, 'Poll', 'Paginate'].map((schema) => `#/components/schemas/${schema}`),
    );
  });

  test('its submit schema has the fields of the dataset, and no others', () => {
    const schema = document.components?.schemas?.[`${name}_submit`];
    expect(Object.keys(schema?.properties ?? {})).toEqual([
      'account_id',
      period.start,
      period.end,
      ...filters.map((filter) => filter.name),
    ]);
    expect(schema?.required).toEqual(['account_id', period.start, period.end]);
    expect(schema?.additionalProperties).toBe(false);
    expectValid(`${name}_submit`, question(name));
  });

  test('its page schema has the columns in order, each a string or null', () => {
    const row = document.components?.schemas?.[`${name}_page`]?.properties?.results?.items;
    const values = row?.prefixItems as unknown as { title: string; type: string[] }[];
    expect(values.map(({ title }) => title)).toEqual(columns.map((column) => column.name));
    for (const { type } of values) expect(type).toEqual(['string', 'null']);
  });
});

/** A body of a link, with the values of an answer in place of its expressions. */
function linkedBody(link: Json | undefined, body: object): object {
  const entries = Object.entries(link?.requestBody ?? {}).map(([name, expression]) => {
    const [, field = ''] = /^\$response\.body#\/(\w+)$/.exec(String(expression)) ?? [];
    return [name, (body as Record<string, unknown>)[field]];
  });
  return Object.fromEntries(entries);
}

test.each(DATASETS)('the examples of $name are accepted, and the links lead from submit to the pages', async (dataset) => {
  const own = await startTinySandbox({ sizes: { keywords: 200, prompts: 200 } });
  try {
    const served = (await (await fetch(`${own.url}/openapi.json`)).json()) as Json;
    const operation = served.paths?.[operationPath(dataset)]?.post;
    const examples = Object.entries(operation?.requestBody?.content?.['application/json']?.examples ?? {});
    expect(examples.map(([name]) => name)).toContain('week');
    for (const [name, example] of examples) {
      const accepted = await call(own, dataset.name, example?.value);
      expect(accepted.status, `${name}: ${accepted.body.message}`).toBe(202);
      const { poll } = operation?.responses?.['202']?.links ?? {};
      expect(poll?.operationId).toBe(dataset.name);
      let first = accepted;
      while (first.status === 202) first = await call(own, dataset.name, linkedBody(poll, first.body));
      expect(first.status).toBe(200);
      if (name !== 'week') continue;
      expect(first.body.results.length).toBeGreaterThan(0);
      const { page } = operation?.responses?.['200']?.links ?? {};
      expect(page?.operationId).toBe(dataset.name);
      expect(first.body.nextPageId).toEqual(expect.any(String));
      expect((await call(own, dataset.name, linkedBody(page, first.body))).status).toBe(200);
    }
  } finally {
    await own.close();
  }
});

test('any method but POST is refused as such, also those that fetch does not send', async () => {
  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request(`${sandbox.url}/data-api/v1/async/keyword_rankings`, { method }, resolve).on('error', reject).end();
    });
    answer.resume();
    expect([method, answer.statusCode, answer.headers.allow]).toEqual([method, 405, 'POST']);
  }
});

test('answers are as the document says', async () => {
  const accepted = await call(sandbox, 'keyword_rankings', question('keyword_rankings'));
  expectValid('InProgress', accepted.body);
  const page = await call(sandbox, 'keyword_rankings', { executionId: accepted.body.executionId });
  const schema = document.components?.schemas?.keyword_rankings_page;
  expect(Object.keys(page.body)).toEqual(schema?.required);
  expect(page.body.schema).toEqual(schema?.properties?.schema?.const);
  expectValid('Error', (await call(sandbox, 'keyword_rankings', {})).body);
  expectValid('Error', (await call(sandbox, 'keyword_rankings', {}, { headers: {} })).body);
  await submit(sandbox, 'keyword_rankings', question('keyword_rankings'));
  const limited = await call(sandbox, 'keyword_rankings', question('keyword_rankings'));
  expect(limited.status).toBe(429);
  expectValid('Error', limited.body);
});

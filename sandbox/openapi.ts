// The sandbox's own description, OpenAPI 3.1: generated from the dataset definitions and the schemas that check request bodies, so it always
// matches what is served.
import { z } from 'zod';
import type { IsoDate } from '../src/core/weeks.ts';
import { type Column, type Dataset, operationPath } from '../src/datasets/dataset.ts';
import { DATASETS } from '../src/datasets/index.ts';
import { API_KEY_PARAMETER, type EXECUTION_STATES, errorBodySchema, JSON_CONTENT_TYPE, SIGNATURE_PARAMETER } from '../src/service/wire.ts';
import type { RecordForm } from './protocol/answers.ts';
import type { GatewayHeader } from './protocol/credentials.ts';
import { paginateSchema, pollSchema } from './protocol/reading.ts';
import { submitSchema } from './queries/submit-body.ts';

type Json = Readonly<Record<string, unknown>>;

/** The sandbox settings that affect its description. */
export type DescribedSettings = Readonly<{ records: RecordForm; gatewayHeader: GatewayHeader | undefined }>;

/** A question that has an answer now: an account, and the days of a week. */
export type GoodQuestion = Readonly<{ accountId: number; start: IsoDate; end: IsoDate }>;

/** `serverUrl` is the address at which this sandbox was reached; the examples are about `question`. */
export function createOpenApiDocument(serverUrl: string, { records, gatewayHeader }: DescribedSettings, question: GoodQuestion): Json {
  const alsoDemanded = gatewayHeader ? { gateway: [] } : {};
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: {
      title: 'Search Data Query Service (Searchmill sandbox)',
      version: '1.0.0',
      description:
        'Asynchronous queries over search-visibility data: submit, poll until COMPLETED, then read page by page. ' +
        'Served by a sandbox with an invented company; no real data.',
    },
    servers: [{ url: serverUrl }],
    tags: [...new Set(DATASETS.map(({ tag }) => tag))].map((name) => ({ name })),
    paths: Object.fromEntries(DATASETS.map((dataset) => [operationPath(dataset), { post: describeOperation(dataset, question) }])),
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        apiKey: { type: 'apiKey', in: 'query', name: API_KEY_PARAMETER },
        signature: {
          type: 'apiKey',
          in: 'query',
          name: SIGNATURE_PARAMETER,
          description: 'MD5 of API key, shared secret and Unix seconds, as 32 lower-case hexadecimal digits; made anew for every request.',
        },
        ...(gatewayHeader ? { gateway: { type: 'apiKey', in: 'header', name: gatewayHeader.name } } : {}),
      },
      schemas: {
        Poll: jsonSchema(pollSchema),
        Paginate: jsonSchema(paginateSchema),
        InProgress: describeInProgress(records),
        Error: jsonSchema(errorBodySchema),
        ...Object.fromEntries(
          DATASETS.flatMap((dataset) => [
            [`${dataset.name}_submit`, jsonSchema(submitSchema(dataset))],
            [`${dataset.name}_page`, describePage(dataset, records)],
          ]),
        ),
      },
    },
    // Either the token alone, or key and signature together.
    security: [
      { token: [], ...alsoDemanded },
      { apiKey: [], signature: [], ...alsoDemanded },
    ],
  };
}

/** Where an answer leads: calls that it has the arguments of. */
const POLL = { executionId: '$response.body#/executionId' };
const PAGE = { ...POLL, nextPageId: '$response.body#/nextPageId' };

function describeOperation(dataset: Dataset, question: GoodQuestion): Json {
  const { name, title, tag, grain } = dataset;
  return {
    operationId: name,
    summary: title,
    description: grain,
    tags: [tag],
    requestBody: {
      required: true,
      content: {
        [JSON_CONTENT_TYPE]: {
          schema: { oneOf: [reference(`${name}_submit`), reference('Poll'), reference('Paginate')] },
          examples: examplesOf(dataset, question),
        },
      },
    },
    responses: {
      200: {
        ...answer('The query has completed: a page of rows.', `${name}_page`),
        links: { page: { operationId: name, description: 'The next page, if nextPageId has a value.', requestBody: PAGE } },
      },
      202: {
        ...answer('The query was accepted or is still running.', 'InProgress'),
        links: { poll: { operationId: name, description: 'The first page, or that it is still running.', requestBody: POLL } },
      },
      400: answer('The request is not valid.', 'Error'),
      401: answer('Credentials are missing or not valid.', 'Error'),
      429: {
        ...answer('Too many requests.', 'Error'),
        headers: { 'Retry-After': { description: 'Seconds until a request may succeed.', schema: { type: 'integer', minimum: 1 } } },
      },
      500: answer('The service failed.', 'Error'),
    },
  };
}

/** Submits that are accepted: of everything, and with a known value of each filter that has some. */
function examplesOf({ period, filters }: Dataset, { accountId, start, end }: GoodQuestion): Json {
  const whole = { account_id: accountId, [period.start]: start, [period.end]: end };
  const chosen = filters.flatMap(({ name, type, known = [] }) =>
    known.slice(0, 1).map((value) => [name, type === 'strings' ? [value] : value]),
  );
  return {
    week: { summary: 'The newest week', value: whole },
    ...(chosen.length > 0 && { filtered: { summary: 'A part of it', value: { ...whole, ...Object.fromEntries(chosen) } } }),
  };
}

function answer(description: string, schema: string): Json {
  return { description, content: { [JSON_CONTENT_TYPE]: { schema: reference(schema) } } };
}

function reference(schema: string): Json {
  return { $ref: `#/components/schemas/${schema}` };
}

function describeInProgress(form: RecordForm): Json {
  const none = { type: 'array', maxItems: 0 };
  const absent = { results: none, schema: none, nextPageId: { type: 'null' }, totalRowCount: { type: 'null' } };
  return describeRecord(['IN_PROGRESS'], form === 'documented' ? {} : absent);
}

function describePage({ columns }: Dataset, form: RecordForm): Json {
  const row = { type: 'array', prefixItems: columns.map(describeValue), minItems: columns.length, maxItems: columns.length };
  const schema = {
    type: 'array',
    const: columns.map(({ name, wire }) => ({ name, type: wire })),
  };
  const results = { type: 'array', items: row };
  const totalRowCount = { type: 'integer', format: 'int64', minimum: 0 };
  if (form === 'documented') {
    const nextPageId = { type: 'string', description: 'Token of the next page; not there when this is the last.' };
    return describeRecord(['COMPLETED'], { results, schema, totalRowCount }, { nextPageId });
  }
  const nextPageId = { type: ['string', 'null'], description: 'Token of the next page; null when this is the last.' };
  return describeRecord(['COMPLETED'], { results, schema, nextPageId, totalRowCount });
}

/** All values are strings on the wire, or null. */
function describeValue({ name, wire, comment }: Column): Json {
  return { title: name, description: `${comment} (${wire})`, type: ['string', 'null'], ...(wire === 'date' ? { format: 'date' } : {}) };
}

function describeRecord(states: readonly (typeof EXECUTION_STATES)[number][], always: Json, sometimes: Json = {}): Json {
  const required = {
    executionId: { type: 'string' },
    executionState: { type: 'string', enum: states },
    requestId: { type: 'string' },
    ...always,
  };
  return { type: 'object', properties: { ...required, ...sometimes }, required: Object.keys(required) };
}

function jsonSchema(schema: z.ZodType): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema);
  return rest;
}

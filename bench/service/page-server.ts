// The service for benchmarks, in its own process and as cheap as possible, so that the client is measured. Unlike the sandbox, it has no limits and
// no filters, and every query is finished at once. It records when it was called.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { addDays } from '../../src/core/weeks.ts';
import { createPageMaker, type PageMaker } from './pages.ts';
import { answerRows, rankingRows, type Slice } from './rows.ts';

export type ServiceOptions = Readonly<{
  rows: 'rankings' | 'answers';
  /** Length of an answer's text, for rows of answers only. */
  answerCharacters?: number;
  rowsPerQuery: number;
  /** Rows per page except the last one; the job must request the same number. */
  pageSize: number;
  /** Slices whose pages are made before the first call; other pages are made on demand. */
  prepared?: readonly Slice[];
  /** Delay before a page is sent, in milliseconds; undefined: none. */
  pageMs?: number | undefined;
}>;

/** Times of calls, in milliseconds since 1970. */
export type CallRecord = {
  /** By credential. */
  submits: Record<string, number[]>;
  reads: Record<string, number[]>;
  /** Time of the first read of each query, by executionId. */
  firstReads: Record<string, number>;
};

/** `prepared` are the pages of the answer that is not restated. */
type Pages = Readonly<{ maker: PageMaker; prepared: readonly Buffer[] }>;
type Query = Readonly<{ pages: Pages; version: number }>;
type CallBody = Readonly<{
  executionId?: string;
  nextPageId?: string;
  account_id?: number;
  start_date?: string;
  time_period_start?: string;
}>;

const options = JSON.parse(process.argv[2] ?? '{}') as ServiceOptions;
const kind = options.rows === 'answers' ? answerRows(options.answerCharacters ?? 0) : rankingRows;
const schema = JSON.stringify(kind.dataset.columns.map(({ name, wire }) => ({ name, type: wire })));

const pagesBySlice = new Map<string, Pages>();
const queries = new Map<string, Query>();
const record: CallRecord = { submits: {}, reads: {}, firstReads: {} };
let version = 0;

function openPages(slice: Slice, isPrepared: boolean): Pages {
  const maker = createPageMaker(kind, slice, { rows: options.rowsPerQuery, pageSize: options.pageSize });
  const pages = { maker, prepared: isPrepared ? Array.from({ length: maker.pages }, (_, page) => maker.makePage(page, 0)) : [] };
  pagesBySlice.set(nameOf(slice), pages);
  return pages;
}

function nameOf({ accountId, week }: Slice): string {
  return `${accountId}/${week.start}`;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'GET') return control(request.url ?? '', response);
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = JSON.parse(Buffer.concat(chunks).toString()) as CallBody;
  const times = body.executionId === undefined ? record.submits : record.reads;
  const now = performance.timeOrigin + performance.now();
  const credential = request.headers.authorization ?? '';
  times[credential] ??= [];
  times[credential].push(now);
  if (body.executionId === undefined) return submit(response, body);
  record.firstReads[body.executionId] ??= now;
  if (options.pageMs !== undefined) await setTimeout(options.pageMs);
  read(response, body.executionId, Number(body.nextPageId ?? 0));
}

/** Control requests of the benchmark: /record, or /restate/<version>. */
function control(path: string, response: ServerResponse): void {
  const restated = /^\/restate\/(\d)$/.exec(path)?.[1];
  if (restated !== undefined) version = Number(restated);
  send(response, 200, [Buffer.from(JSON.stringify(record))]);
}

function submit(response: ServerResponse, body: CallBody): void {
  const start = body.start_date ?? body.time_period_start ?? '';
  const slice = { accountId: body.account_id ?? 0, week: { start, end: addDays(start, 6) } };
  const executionId = `${nameOf(slice)}/${queries.size}`;
  // Pages are made now, because loads are timed from the first read.
  queries.set(executionId, { pages: pagesBySlice.get(nameOf(slice)) ?? openPages(slice, false), version });
  send(response, 202, [
    Buffer.from(JSON.stringify({ executionId, executionState: 'IN_PROGRESS', requestId: 'r', results: [], schema: [], nextPageId: null })),
  ]);
}

function read(response: ServerResponse, executionId: string, page: number): void {
  const query = queries.get(executionId);
  if (!query) {
    send(response, 400, [Buffer.from('{"error":"INVALID_PARAMETERS","message":"no such executionId"}')]);
    return;
  }
  const { maker, prepared } = query.pages;
  const rows = (query.version === 0 && prepared[page]) || maker.makePage(page, query.version);
  const nextPageId = page + 1 < maker.pages ? String(page + 1) : null;
  send(response, 200, [
    Buffer.from(`{"executionId":${JSON.stringify(executionId)},"executionState":"COMPLETED","requestId":"r","results":[`),
    rows,
    Buffer.from(`],"schema":${schema},"nextPageId":${JSON.stringify(nextPageId)},"totalRowCount":${options.rowsPerQuery}}`),
  ]);
}

function send(response: ServerResponse, status: number, parts: readonly Buffer[]): void {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': length });
  // A single write to the socket for all parts.
  response.cork();
  for (const part of parts) response.write(part);
  response.end();
}

for (const slice of options.prepared ?? []) openPages(slice, true);

// Ctrl-C in a terminal reaches the whole process group; the benchmark decides when to end.
process.on('SIGINT', () => undefined);
process.once('disconnect', () => process.exit());

const server = createServer((request, response) => {
  answer(request, response).catch(() => response.destroy());
});
// A worker may be idle between two pages for longer than Node's default of 5 s.
server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));

// The service for benchmarks, in a process of its own and as cheap as it can be, so that what is measured is the client. Not
// the sandbox: no limits, no filters, every query is finished at once. Writes down when it was called.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { addDays } from '../../src/core/weeks.ts';
import type { Answer, CallRecord, Question, ServiceWish } from './messages.ts';
import { createPageMaker, type PageMaker } from './pages.ts';
import { answerRows, rankingRows, type Topic } from './rows.ts';

/** `made` are those of the answer that is not restated. */
type Pages = Readonly<{ maker: PageMaker; made: readonly Buffer[] }>;
type Query = Readonly<{ pages: Pages; version: number }>;
type CallBody = Readonly<{
  executionId?: string;
  nextPageId?: string;
  account_id?: number;
  start_date?: string;
  time_period_start?: string;
}>;

const wish = JSON.parse(process.argv[2] ?? '{}') as ServiceWish;
const kind = wish.rows === 'answers' ? answerRows(wish.answerCharacters ?? 0) : rankingRows;
const schema = JSON.stringify(kind.dataset.columns.map(({ name, wire }) => ({ name, type: wire })));

const pagesByTopic = new Map<string, Pages>();
const queries = new Map<string, Query>();
const record: CallRecord = { submits: {}, reads: {}, firstReads: {} };
let version = 0;

function openPages(topic: Topic, isMadeBefore: boolean): Pages {
  const maker = createPageMaker(kind, topic, { rows: wish.rowsPerQuery, pageSize: wish.pageSize });
  const made = isMadeBefore ? Array.from({ length: maker.pages }, (_, page) => maker.makePage(page, 0)) : [];
  const pages = { maker, made };
  pagesByTopic.set(nameOf(topic), pages);
  return pages;
}

function nameOf({ accountId, week }: Topic): string {
  return `${accountId}/${week.start}`;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = JSON.parse(Buffer.concat(chunks).toString()) as CallBody;
  const credential = request.headers.authorization ?? '';
  const now = performance.timeOrigin + performance.now();
  if (body.executionId === undefined) {
    note(record.submits, credential, now);
    submit(response, body);
  } else {
    note(record.reads, credential, now);
    record.firstReads[body.executionId] ??= now;
    if (wish.pageMs !== undefined) await setTimeout(wish.pageMs);
    read(response, body.executionId, Number(body.nextPageId ?? 0));
  }
}

function note(times: Record<string, number[]>, credential: string, now: number): void {
  times[credential] ??= [];
  times[credential].push(now);
}

function submit(response: ServerResponse, body: CallBody): void {
  const start = body.start_date ?? body.time_period_start ?? '';
  const topic = { accountId: body.account_id ?? 0, week: { start, end: addDays(start, 6) } };
  const executionId = `${nameOf(topic)}/${queries.size}`;
  // Now, as loads are timed from the first read.
  queries.set(executionId, { pages: pagesByTopic.get(nameOf(topic)) ?? openPages(topic, false), version });
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
  const { maker, made } = query.pages;
  const rows = (query.version === 0 && made[page]) || maker.makePage(page, query.version);
  const nextPageId = page + 1 < maker.pages ? String(page + 1) : null;
  send(response, 200, [
    Buffer.from(`{"executionId":${JSON.stringify(executionId)},"executionState":"COMPLETED","requestId":"r","results":[`),
    rows,
    Buffer.from(`],"schema":${schema},"nextPageId":${JSON.stringify(nextPageId)},"totalRowCount":${wish.rowsPerQuery}}`),
  ]);
}

function send(response: ServerResponse, status: number, parts: readonly Buffer[]): void {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': length });
  // One write to the socket for all parts.
  response.cork();
  for (const part of parts) response.write(part);
  response.end();
}

function tell(message: Answer): void {
  process.send?.(message);
}

for (const topic of wish.madeBefore ?? []) openPages(topic, true);

process.on('message', (question: Question) => {
  if (question.ask === 'restate') {
    version = question.version;
    tell({ kind: 'restated' });
  } else {
    tell({ kind: 'record', record });
  }
});
// Ctrl-C in a terminal reaches the whole process group; the benchmark decides when to end.
process.on('SIGINT', () => undefined);
process.once('disconnect', () => process.exit());

const server = createServer((request, response) => {
  answer(request, response).catch(() => response.destroy());
});
// A worker may be idle for longer than Node's 5 s between two pages.
server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  tell({ kind: 'ready', port: typeof address === 'object' ? (address?.port ?? 0) : 0 });
});

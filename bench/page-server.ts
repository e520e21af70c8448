// The service for benchmarks, as cheap as it can be: every answer is made once, at start, and then served from memory by a
// process of its own, so that what is measured is the client. Not the sandbox: no limits, no filters, no states to speak of.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { keywordRankings } from '../src/datasets/keyword-rankings.ts';
import { wideRow } from './wide-rows.ts';

type Wish = Readonly<{ rows: number; pageSize: number; weeks: readonly { start: string; end: string }[] }>;

const wish = JSON.parse(process.argv[2] ?? '{}') as Wish;
const schema = keywordRankings.columns.map(({ name, wire }) => ({ name, type: wire }));

/** Pages of a week, as bytes ready to send, by number. */
const pagesByWeek = new Map(wish.weeks.map((week) => [week.start, makePages(week)]));

function makePages(week: { start: string; end: string }): Buffer[] {
  const pages: Buffer[] = [];
  const count = Math.ceil(wish.rows / wish.pageSize);
  for (let page = 0; page < count; page += 1) {
    const results: string[][] = [];
    for (let row = page * wish.pageSize; row < Math.min(wish.rows, (page + 1) * wish.pageSize); row += 1)
      results.push(wideRow(row, week.start, week.end));
    const nextPageId = page + 1 < count ? `${week.start}/${page + 1}` : null;
    pages.push(
      Buffer.from(
        JSON.stringify({
          executionId: week.start,
          executionState: 'COMPLETED',
          requestId: 'r',
          results,
          schema,
          nextPageId,
          totalRowCount: wish.rows,
        }),
      ),
    );
  }
  return pages;
}

let calls = 0;
let bytes = 0;

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'GET') {
    send(response, 200, Buffer.from(JSON.stringify({ calls, bytes, cpu: process.cpuUsage() })));
    return;
  }
  let text = '';
  for await (const chunk of request) text += String(chunk);
  const body = JSON.parse(text) as { executionId?: string; nextPageId?: string; start_date?: string };
  calls += 1;
  if (body.executionId === undefined) {
    send(
      response,
      202,
      Buffer.from(
        JSON.stringify({
          executionId: body.start_date,
          executionState: 'IN_PROGRESS',
          requestId: 'r',
          results: [],
          schema: [],
          nextPageId: null,
        }),
      ),
    );
    return;
  }
  const page = pagesByWeek.get(body.executionId)?.[Number(body.nextPageId?.split('/')[1] ?? 0)];
  if (page) send(response, 200, page);
  else send(response, 400, Buffer.from('{"error":"INVALID_PARAMETERS","message":"no such page"}'));
}

function send(response: ServerResponse, status: number, body: Buffer): void {
  bytes += body.length;
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
}

const server = createServer((request, response) => {
  answer(request, response).catch(() => response.destroy());
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  const sample = pagesByWeek.values().next().value?.[0]?.length ?? 0;
  process.stdout.write(
    `${JSON.stringify({ port: typeof address === 'object' ? address?.port : 0, bytesPerRow: Math.round(sample / wish.pageSize) })}\n`,
  );
});
process.once('disconnect', () => process.exit());

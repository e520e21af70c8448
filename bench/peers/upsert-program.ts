// Peer: what a competent programmer writes by hand. Pages are fetched one after another over a kept-alive connection, parsed, and upserted by one
// prepared statement with many rows, each page in its own transaction. It runs in its own process, like ours.
import pg from 'pg';
import { Pool } from 'undici';
import { identityColumns, operationPath } from '../../src/datasets/dataset.ts';
import { type Row, rankingRows, type Slice } from '../service/rows.ts';
import { completeRow, LINE_COLUMNS, TABLE } from './row-lines.ts';

export type UpsertOptions = Readonly<{ baseUrl: string; slice: Slice; pageSize: number; pages: number }>;

type PageBody = Readonly<{ executionId: string; results: readonly Row[]; nextPageId: string | null }>;

const KEY = ['account_id', 'time_period_start', '_key', '_occurrence'];
const identity = new Set([...KEY, ...identityColumns(rankingRows.dataset).map(({ name }) => name), '_loaded_at']);
const assignments = LINE_COLUMNS.filter((name) => !identity.has(name)).map((name) => `${name} = excluded.${name}`);

function upsertOf(rows: number): pg.QueryConfig {
  const width = LINE_COLUMNS.length;
  const tuples = Array.from({ length: rows }, (_, row) => `(${LINE_COLUMNS.map((_, i) => `$${row * width + i + 1}`).join(', ')})`);
  return {
    name: `upsert-${rows}`,
    text: `INSERT INTO ${TABLE} (${LINE_COLUMNS.join(', ')}) VALUES ${tuples.join(', ')}
           ON CONFLICT (${KEY.join(', ')}) DO UPDATE SET ${assignments.join(', ')}`,
  };
}

const options = JSON.parse(process.argv[2] ?? '{}') as UpsertOptions;
const service = new Pool(options.baseUrl, { connections: 1, pipelining: 1 });
const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
await client.connect();

async function call(body: unknown): Promise<PageBody> {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer upsert' };
  const path = operationPath(rankingRows.dataset);
  const answer = await service.request({ method: 'POST', path, headers, body: JSON.stringify(body) });
  return (await answer.body.json()) as PageBody;
}

const { accountId, week } = options.slice;
const { executionId } = await call({ account_id: accountId, start_date: week.start, end_date: week.end });
const statements = new Map<number, pg.QueryConfig>();
const started = performance.now();
let page: PageBody | undefined = await call({ executionId });
for (let count = 1; page; count += 1) {
  const loadedAt = new Date().toISOString();
  const length = page.results.length;
  const statement = statements.get(length) ?? upsertOf(length);
  statements.set(length, statement);
  await client.query('BEGIN');
  await client.query(
    statement,
    page.results.flatMap((row) => completeRow(row, loadedAt)),
  );
  await client.query('COMMIT');
  const { nextPageId }: PageBody = page;
  page = nextPageId === null || count === options.pages ? undefined : await call({ executionId, nextPageId, pageSize: options.pageSize });
}
process.stdout.write(String((performance.now() - started) / 1000));
await client.end();
await service.close();

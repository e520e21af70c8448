// A page that is over the limit because of one row. The limits are small ones.
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { drive, pipelineOn } from '../../support/drive.ts';
import { startFakeService } from '../../support/fake-service.ts';
import { jobOf, publishedRows, useLedger } from '../../support/ledger.ts';
import { createTestClient } from '../../support/service-client.ts';
import { planWindow } from '../../support/window-steps.ts';
import { schemaOf, wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const MAX_ROW_BYTES = 10_000;
const MAX_RESPONSE_BYTES = 200_000;

it.each([
  ['plain', (text: string): Buffer => Buffer.from(text)],
  ['gzip', gzipSync],
])('a week is published without a row that is larger than a page may be, which is in quarantine (%s)', async (encoding, encode) => {
  const { pool } = ledger;
  const base = jobOf({ maxSubmits: 1, maxRejectedShare: 0.5 });
  const job = { ...base, connection: base.name };
  const row = (query: string, title: string): unknown[] => wireRow(job, { query, title });
  const pages = [[row('a', ''), row('long', 'x" ]'.repeat(100_000)), row('b', '')], [row('c', '')]];
  const service = await startFakeService((response, { body }) => {
    const { executionId, nextPageId } = JSON.parse(body) as { executionId?: string; nextPageId?: string };
    const page = nextPageId === undefined ? 0 : Number(nextPageId);
    const record =
      executionId === undefined
        ? { executionId: 'e1', executionState: 'IN_PROGRESS' }
        : {
            executionId: 'e1',
            executionState: 'COMPLETED',
            totalRowCount: 4,
            schema: schemaOf(job.dataset),
            results: pages[page],
            nextPageId: page === 0 ? '1' : null,
          };
    response.writeHead(executionId === undefined ? 202 : 200, encoding === 'plain' ? {} : { 'content-encoding': encoding });
    response.end(encode(JSON.stringify(record)));
  });
  const client = createTestClient(service.url, { options: { maxRowBytes: MAX_ROW_BYTES, maxResponseBytes: MAX_RESPONSE_BYTES } });
  await planWindow(pool, job);
  await drive(pool, pipelineOn(pool, client), job.name);
  await client.close();
  await service.close();

  expect((await publishedRows(pool, job, ['query'])).map(({ query }) => query)).toEqual(['a', 'b', 'c']);
  const { rows } = await pool.query(
    `SELECT e.state, e.rows_received::integer AS received, q.page, q.position, q.reason, left(q.raw, 2) AS beginning
       FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id JOIN searchmill.quarantined_rows q ON q.execution_id = e.id
      WHERE s.job = $1`,
    [job.name],
  );
  const reason = /^the row has 50\d{4} bytes, and rows of more than 10000 are not read; its beginning is kept$/;
  expect(rows).toEqual([
    { state: 'published', received: 4, page: 1, position: 2, reason: expect.stringMatching(reason) as string, beginning: '"[' },
  ]);
});

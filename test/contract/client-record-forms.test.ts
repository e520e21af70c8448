// The client reads a query to its end whether records leave out what they lack, as public documentation shows them, or
// have empty arrays and null in its place, as the service specification says.
import { expect, onTestFinished, test } from 'vitest';
import { RECORD_FORMS } from '../../sandbox/protocol/answers.ts';
import { datasetNamed } from '../../src/datasets/index.ts';
import type { ServiceCall } from '../../src/service/call-service.ts';
import { readPages } from '../../src/service/pages.ts';
import { readRows } from '../support/page-rows.ts';
import { API_KEY, createTestClient, SHARED_SECRET, SIGNATURE_AUTH } from '../support/service-client.ts';
import { question, StandingClock, startTinySandbox } from './sandbox-calls.ts';

const CALL: ServiceCall = { priority: 5, context: {} };

test.each(RECORD_FORMS)('records in the form %s are polled, read page by page, and end at the last page', async (records) => {
  const clock = new StandingClock();
  const credentials = [{ apiKey: API_KEY, sharedSecret: SHARED_SECRET }];
  const sandbox = await startTinySandbox({ clock, queryMs: 1000, records, credentials, sizes: { keywords: 40 } });
  const client = createTestClient(sandbox.url, { auth: SIGNATURE_AUTH, clock });
  onTestFinished(async () => {
    await client.close();
    await sandbox.close();
  });
  const dataset = datasetNamed('keyword_rankings');
  const body = question(dataset.name);
  const accepted = await client.submit(dataset, body, CALL);
  if (accepted.state !== 'accepted') throw new Error(`the submit was answered ${accepted.state}`);
  const { executionId } = accepted;
  expect(await client.poll(dataset, executionId, CALL)).toMatchObject({ state: 'in_progress' });
  clock.advance(2000);
  while ((await client.poll(dataset, executionId, CALL)).state === 'in_progress') await new Promise(setImmediate);

  const rows: unknown[] = [];
  let pages = 0;
  const wanted = { dataset, executionId, cursor: null, rowsBefore: 0, pageSize: 300, call: CALL };
  for await (const page of readPages(client, wanted)) {
    pages++;
    rows.push(...(await readRows(page.rows)));
  }
  expect(pages).toBeGreaterThan(2);
  expect(rows).toEqual([...sandbox.rowsOf(dataset.name, body)]);
});

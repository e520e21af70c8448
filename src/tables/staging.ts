// Staging: one table per execution that receives its pages.

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { COPY_HEADER, COPY_TRAILER } from '../codec/copy-rows.ts';
import { stagingColumns } from '../codec/decode.ts';
import { KIBIBYTE } from '../core/byte-sizes.ts';
import { StoreError } from '../core/errors.ts';
import type { Dataset } from '../datasets/dataset.ts';
import type { Client } from '../postgres/pool.ts';
import { describeGivenAway } from '../postgres/schema/rights.ts';
import { execute, executeTemplate, template } from '../postgres/statements.ts';
import { asStoreError } from '../postgres/store-errors.ts';

/** Size of a COPY message. The server keeps one in memory; larger ones do not fit its processor's cache. */
const MESSAGE_BYTES = 64 * KIBIBYTE;

/** Qualified name of an execution's staging table. */
export function stagingTable(executionId: number): string {
  return `searchmill_staging.execution_${executionId}`;
}

/** Removes an execution's staging table, if it exists. Waits for its readers. */
export async function dropStaging(client: Client, executionId: number): Promise<void> {
  await executeTemplate(client, 'staging/drop', { staging: stagingTable(executionId) });
}

/** Creates an execution's staging table, usable by any login of the service that continues the load. */
export async function createStaging(client: Client, dataset: Dataset, executionId: number): Promise<void> {
  // Fixed-length values come first: the server accesses them faster there.
  const ordered = [...dataset.columns].sort((a, b) => Number(a.pg === 'text') - Number(b.pg === 'text'));
  const columns = ordered.map(({ name, pg: type }) => `${pg.escapeIdentifier(name)} ${type}`);
  const staging = stagingTable(executionId);
  await executeTemplate(client, 'staging/create', { staging, columns: columns.join(', ') });
  const [taker] = (await execute(client, 'database/find-taker', { name: `execution_${executionId}` })).rows;
  if (taker) throw new StoreError(describeGivenAway(staging, taker), { retryable: false });
  await executeTemplate(client, 'staging/set-replica-identity', { staging });
  await execute(client, 'staging/share', { executionId });
}

/** Opens an empty staging table for an execution that has ended, whether or not a sweep has removed the old one. */
export async function openStagingAgain(client: Client, dataset: Dataset, executionId: number): Promise<void> {
  const { rows } = await execute(client, 'tables/exists', {
    schema: 'searchmill_staging',
    name: `execution_${executionId}`,
  });
  if (rows[0]?.found) await executeTemplate(client, 'staging/empty', { staging: stagingTable(executionId) });
  else await createStaging(client, dataset, executionId);
}

/** Adds rows in the decoder's format to an execution's staging table. Throws StoreError. */
export async function copyRows(
  client: Client,
  dataset: Dataset,
  executionId: number,
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
): Promise<void> {
  const { text } = template('staging/copy', {
    staging: stagingTable(executionId),
    columns: stagingColumns(dataset)
      .map(([name]) => pg.escapeIdentifier(name))
      .join(', '),
  });
  try {
    await pipeline(Readable.from(framed(chunks), { highWaterMark: 1 }), client.query(copyFrom(text)));
  } catch (error) {
    throw asStoreError(error);
  }
}

async function* framed(chunks: AsyncIterable<Buffer> | Iterable<Buffer>): AsyncGenerator<Buffer> {
  yield COPY_HEADER;
  for await (const chunk of chunks) for (let at = 0; at < chunk.length; at += MESSAGE_BYTES) yield chunk.subarray(at, at + MESSAGE_BYTES);
  yield COPY_TRAILER;
}

// Staging: one table per execution that takes its pages. Rows and the cursor behind them are committed together, so after
// any crash the next worker finds exactly the pages before the cursor.

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import type { Dataset } from '../datasets/dataset.ts';
import { type Drift, type RejectedRow, type SchemaEntry, stagingColumns } from './decode.ts';
import { type Lease, requireLease } from './executions.ts';
import type { Client, Pool } from './pool.ts';
import { execute, executeTemplate, quoteIdentifier, template } from './statements.ts';
import { asStoreError } from './store-errors.ts';
import { inTransaction } from './transaction.ts';

/** Qualified name of an execution's staging table. */
export function stagingTable(executionId: number): string {
  return `searchmill_staging.execution_${executionId}`;
}

/** One decoded page with what the ledger says about it. */
export type DecodedBatch = Readonly<{
  /** Pages committed before this one. */
  pagesBefore: number;
  nextCursor: string | null;
  copyText: string;
  received: number;
  staged: number;
  rejected: readonly RejectedRow[];
  schema: readonly SchemaEntry[];
  drift: readonly Drift[];
  bytes: number;
  totalRowCount: bigint | null;
  /** Calls that fetched it. */
  pageCalls: number;
  pollCalls: number;
  waitMs: number;
  networkMs: number;
  decodeMs: number;
}>;

/**
 * Commits one page: its rows, its quarantine, its drift and the cursor, in one transaction. The first page makes the
 * staging table. Returns milliseconds spent. Throws LostLeaseError (nothing written), StoreError.
 */
export async function commitPage(
  pool: Pool,
  dataset: Dataset,
  lease: Lease,
  batch: DecodedBatch,
  leaseMs: number,
  signal?: AbortSignal,
): Promise<number> {
  const started = performance.now();
  const page = batch.pagesBefore + 1;
  await inTransaction(
    pool,
    async (client) => {
      if (batch.pagesBefore === 0) {
        await dropStaging(client, lease.id);
        await createStaging(client, dataset, lease.id);
      }
      // Rows first, so that the execution's row is locked for the shortest time; the fence decides whether they stay.
      if (batch.staged > 0) await copyRows(client, dataset, lease.id, batch.copyText);
      const { rowCount } = await execute(client, 'checkpoint', [
        lease.id,
        lease.leaseToken,
        batch.pagesBefore,
        page,
        batch.nextCursor,
        batch.received,
        batch.staged,
        batch.rejected.length,
        batch.bytes,
        batch.totalRowCount?.toString() ?? null,
        batch.pageCalls,
        batch.pollCalls,
        Math.round(batch.waitMs),
        Math.round(batch.networkMs),
        Math.round(batch.decodeMs),
        Math.round(performance.now() - started),
        leaseMs,
      ]);
      requireLease(rowCount, lease);
      if (batch.rejected.length > 0) {
        await execute(client, 'insert-quarantined', [
          lease.id,
          page,
          batch.rejected.map((row) => row.position),
          batch.rejected.map((row) => row.column),
          batch.rejected.map((row) => row.reason),
          batch.rejected.map((row) => row.raw),
          batch.schema.map((entry) => entry.name),
        ]);
      }
      if (batch.drift.length > 0) {
        await execute(client, 'insert-drift', [
          lease.id,
          page,
          batch.drift.map((drift) => drift.kind),
          batch.drift.map((drift) => drift.column),
          batch.drift.map((drift) => drift.detail),
        ]);
      }
    },
    signal,
  );
  return performance.now() - started;
}

/** Removes an execution's staging table, if there is one. */
export async function dropStaging(client: Client, executionId: number): Promise<void> {
  await executeTemplate(client, 'drop-staging', { staging: stagingTable(executionId) });
}

/** Columns that some page of the execution did not have. */
export async function readMissingColumns(db: Pool | Client, executionId: number): Promise<string[]> {
  const { rows } = await execute<{ column_name: string }>(db, 'read-missing-columns', [executionId]);
  return rows.map((row) => row.column_name);
}

/** Makes an execution's staging table, unless it is there. */
export async function createStaging(client: Client, dataset: Dataset, executionId: number): Promise<void> {
  const columns = dataset.columns.map((column) => `${quoteIdentifier(column.name)} ${column.pg}`).join(', ');
  await executeTemplate(client, 'create-staging', { staging: stagingTable(executionId), columns });
}

/** Adds lines of COPY text, as the decoder makes them, to an execution's staging table. Throws StoreError. */
export async function copyRows(client: Client, dataset: Dataset, executionId: number, copyText: string): Promise<void> {
  const sql = template('copy-staging', {
    staging: stagingTable(executionId),
    columns: stagingColumns(dataset).map(quoteIdentifier).join(', '),
  });
  try {
    // One chunk per page: a chunk per row is slower by an order of magnitude.
    await pipeline(Readable.from([Buffer.from(copyText, 'utf8')]), client.query(copyFrom(sql)));
  } catch (error) {
    throw asStoreError(error);
  }
}

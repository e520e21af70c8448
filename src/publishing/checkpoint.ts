// A checkpoint: rows and the cursor after them are committed together, so after any crash the next worker finds exactly the pages before the cursor.

import { BufferPool } from '../codec/buffer-pool.ts';
import type { DecodedRows, Drift, RejectedRow, SchemaEntry } from '../codec/decode.ts';
import { MEBIBYTE } from '../core/byte-sizes.ts';
import { LostLeaseError } from '../core/errors.ts';
import { sumOf } from '../core/numbers.ts';
import type { Dataset } from '../datasets/dataset.ts';
import { fenceOf, type Lease, requireLease } from '../ledger/executions.ts';
import { sweepAfterEnd } from '../ledger/leftover-staging.ts';
import type { Client, Pool } from '../postgres/pool.ts';
import { execute } from '../postgres/statements.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { copyRows, createStaging, dropStaging } from '../tables/staging.ts';
import { writeDrift, writeQuarantine } from './quarantine-and-drift.ts';

/** Parts of a page are copied together up to this size, including rejected rows. Each rejected row adds REJECTED_ROW_BYTES to its text. */
const MAX_PARTS_BYTES = 4 * MEBIBYTE;
const REJECTED_ROW_BYTES = 200;

/** Progress of a load after a commit. `announced`, decimal text, is the maximum expected rows; null when the service did not say. */
export type Progress = Readonly<{ rowsReceived: number; emptyPages: number; announced: string | null }>;

export type Committed = Readonly<{ isOutranked: boolean; progress: Progress }>;

/** One decoded page on its way to staging. */
export type DecodedPage = Readonly<{
  /** Number of the page, from 1. */
  page: number;
  nextCursor: string | null;
  /** Digest of the cursor after the latest page, up to this one, whose number is a power of two. */
  cursorAnchor: string | null;
  /** Its rows in COPY format, or a generator that decodes and counts them in parts while they are copied. */
  copyData: Buffer | (() => AsyncGenerator<DecodedRows>);
  received: number;
  staged: number;
  rejected: readonly RejectedRow[];
  /** Rows rejected by that generator. They go to quarantine at once, because all of them may not fit into memory. */
  rejectedMeanwhile?: number;
  /** Names of its columns as stored. */
  columnNames: readonly string[];
  drift: readonly Drift[];
  /** Its schema in the ledger's form, if it differs from that of the previous page. */
  newSchema?: readonly SchemaEntry[] | undefined;
  bytes: number;
  totalRowCount: bigint | null;
  /** Calls that fetched it, and the milliseconds spent waiting for the budget, on the network and decoding. */
  pageCalls: number;
  pollCalls: number;
  waitMs: number;
  networkMs: number;
  decodeMs: number;
}>;

/**
 * Commits consecutive pages in one transaction: their rows, quarantine and drift, their schema, and the cursor after the last one. The first
 * page creates the staging table. The commit does not wait for the disk: a server crash loses rows and cursor together, and the pages are
 * fetched again. Returns whether something more urgent waits, and the progress of the load.
 * Throws LostLeaseError (nothing written), StoreError.
 */
export async function commitPages(
  pool: Pool,
  dataset: Dataset,
  lease: Lease,
  { pages, leaseMs, signal }: Readonly<{ pages: readonly DecodedPage[]; leaseMs: number; signal?: AbortSignal | undefined }>,
): Promise<Committed> {
  const started = performance.now();
  const first = pages[0];
  const last = pages.at(-1);
  if (!first || !last) throw new TypeError('there are no pages to commit');
  const brought = pages.findLast((page) => page.newSchema)?.newSchema;
  const sum = (of: (page: DecodedPage) => number): number => Math.round(sumOf(pages, of));
  return inTransaction(
    pool,
    async (client) => {
      if (first.page === 1) {
        await dropStaging(client, lease.id);
        await createStaging(client, dataset, lease.id);
      }
      // Rows come first, so that the execution's row is locked as briefly as possible. The fence decides whether they stay.
      const decoded = pages.flatMap(({ staged, copyData }) => (staged > 0 && typeof copyData !== 'function' ? [copyData] : []));
      if (decoded.length > 0) await copyRows(client, dataset, lease.id, decoded);
      for (const page of pages) await copyInParts(client, dataset, lease, page);
      const checkpoint = await execute(client, 'transitions/checkpoint', {
        ...fenceOf(lease),
        pagesBefore: first.page - 1,
        pagesAfter: last.page,
        nextCursor: last.nextCursor,
        received: sum((page) => page.received),
        staged: sum((page) => page.staged),
        rejected: sum(countRejected),
        bytes: sum((page) => page.bytes),
        totalRowCount: pages.findLast((page) => page.totalRowCount !== null)?.totalRowCount?.toString(),
        pageCalls: sum((page) => page.pageCalls),
        pollCalls: sum((page) => page.pollCalls),
        waitMs: sum((page) => page.waitMs),
        networkMs: sum((page) => page.networkMs),
        decodeMs: sum((page) => page.decodeMs),
        copyMs: Math.round(performance.now() - started),
        leaseMs,
        rowSchema: brought && JSON.stringify(brought),
        cursorAnchor: last.cursorAnchor,
      });
      const { isOutranked, ...progress } = requireLease(checkpoint, lease);
      for (const page of pages) {
        await writeQuarantine(client, lease, page, page.rejected);
        await writeDrift(client, lease, page);
      }
      return { isOutranked, progress };
    },
    { signal, isDurable: false },
  ).catch(async (error: unknown) => {
    // A sweep waits for nobody, so after a cancellation it may have skipped the table that was being written here.
    if (error instanceof LostLeaseError) await sweepAfterEnd(pool, lease.id);
    throw error;
  });
}

export function countRejected({ rejected, rejectedMeanwhile = 0 }: DecodedPage): number {
  return rejected.length + rejectedMeanwhile;
}

/** Copies a page that comes in parts, several parts at a time, and writes their rejected rows to quarantine. */
async function copyInParts(client: Client, dataset: Dataset, lease: Lease, page: DecodedPage): Promise<void> {
  if (typeof page.copyData !== 'function') return;
  const parts = page.copyData();
  let copied: Buffer[] = [];
  let rejected: RejectedRow[] = [];
  let isLast = false;
  async function* takeParts(): AsyncGenerator<Buffer> {
    for (let bytes = 0; bytes < MAX_PARTS_BYTES; ) {
      const next = await parts.next();
      isLast = next.done === true;
      if (next.done) return;
      for (const row of next.value.rejected) {
        rejected.push(row);
        bytes += row.raw.length + REJECTED_ROW_BYTES;
      }
      bytes += next.value.copyData.length;
      copied.push(next.value.copyData);
      yield next.value.copyData;
    }
  }
  while (!isLast) {
    await copyRows(client, dataset, lease.id, takeParts());
    for (const buffer of copied) BufferPool.release(buffer);
    await writeQuarantine(client, lease, page, rejected);
    copied = [];
    rejected = [];
  }
}

/** Columns that at least one page of the execution lacked. */
export async function readMissingColumns(db: Pool | Client, executionId: number): Promise<string[]> {
  return (await execute(db, 'drift/read-missing-columns', { executionId })).rows.map(({ column }) => column);
}

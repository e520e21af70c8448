// load: pages strictly in order from the cursor in the ledger. Reading and copying overlap: while pages are being copied
// to staging, the next ones are fetched and decoded, and all that are ready then are committed together with the cursor
// behind them. After any crash the next worker finds that cursor and goes on there.
// Source: service specification, "Flow rules" 3 and "Paginate body".
import { MINUTE } from '../core/clock.ts';
import { pageMemory } from '../core/page-memory.ts';
import { forgetRows } from '../core/page-rows.ts';
import type { Dataset } from '../datasets/dataset.ts';
import { datasetNamed } from '../datasets/index.ts';
import type { Page } from '../service/answers.ts';
import type { ServiceClient } from '../service/client.ts';
import { readPages } from '../service/pages.ts';
import { createDecoder, type Decoder, isSameSchema } from '../warehouse/decode.ts';
import { createRowsDecoder, type DecodeRows } from '../warehouse/decode-bytes.ts';
import { contextOf, type Execution } from '../warehouse/executions.ts';
import { commitPages, type DecodedPage } from '../warehouse/staging.ts';
import type { PageShare } from './page-room.ts';
import type { Pipeline } from './pipeline.ts';
import { readAhead } from './read-ahead.ts';
import { Turns } from './turns.ts';

/** After this a load gives its place to others, and goes on later where it stopped; to what is more urgent at once. */
const TURN_MS = MINUTE;
/** At full speed so many pages come in this time that a checkpoint costs little; it is lost when a worker dies. */
const GATHER_MS = 50;
/** Decoding keeps the thread busy, and all loads of this process share it. */
const decodingTurns = new Turns();
let loadsBegun = 0;
/** Decoded pages that wait to be copied are bounded by their size, whatever their number: it bounds memory. */
const MOST_WAITING_BYTES = 4 * 1024 * 1024;

/**
 * Loads pages until the last is committed (returns true) or the turn is over (false). `firstPage` is set when a poll has
 * just brought it, and is in `room` already, which holds each page until it is committed. `lost` cuts everything, `calling` only what has not been read yet.
 * Throws what the client throws (CancelledError when `calling` aborts), LostLeaseError, StoreError.
 */
export async function loadPages(
  pipeline: Pipeline,
  client: ServiceClient,
  execution: Execution,
  remoteId: string,
  firstPage: Page | undefined,
  room: PageShare,
  { lost, calling }: { lost: AbortSignal; calling: AbortSignal },
): Promise<boolean> {
  const dataset = datasetNamed(execution.dataset);
  const log = pipeline.log.child(contextOf(execution));
  const started = performance.now();
  // When the turn is over, or the process should stop, only the reading ends: what has been read is still committed.
  let isOutranked = false;
  const isTurnOver = (): boolean => isOutranked || performance.now() - started > TURN_MS;
  const batches = readAhead(decodePages(client, execution, remoteId, firstPage, room, { calling, isTurnOver }), {
    // Of a page whose rows are all in quarantine nothing is copied, but it is there.
    sizeOf: (page) => Math.max(page.bytes, page.copyData.length),
    mostWaiting: MOST_WAITING_BYTES,
    gatherMs: GATHER_MS,
  });
  let isComplete = false;
  for await (const pages of batches) {
    ({ isOutranked } = await commitPages(pipeline.pool, dataset, execution, pages, pipeline.leaseMs, lost));
    for (const { page, received, rejected, bytes, copyData } of pages) {
      pageMemory.giveBack(copyData);
      room.giveBack(bytes);
      log.debug({ page, rows: received, rejected: rejected.length }, 'page committed');
      pipeline.observer.onPage?.(execution, { rows: received, rejected: rejected.length, bytes });
    }
    isComplete = pages.at(-1)?.nextCursor === null;
  }
  if (isComplete) pipeline.observer.onStage?.('load', dataset.name, performance.now() - started);
  return isComplete;
}

async function* decodePages(
  client: ServiceClient,
  execution: Execution,
  remoteId: string,
  firstPage: Page | undefined,
  room: PageShare,
  { calling, isTurnOver }: { calling: AbortSignal; isTurnOver: () => boolean },
): AsyncGenerator<DecodedPage, void, undefined> {
  const dataset = datasetNamed(execution.dataset);
  const pages = readPages(client, {
    dataset,
    executionId: remoteId,
    cursor: execution.nextCursor,
    rowsBefore: execution.rowsReceived,
    pageSize: execution.pageSize,
    room,
    call: { priority: pagePriority(execution), signal: calling, context: contextOf(execution) },
    firstPage,
    isEnough: isTurnOver,
  });
  let reader: PageReader | undefined;
  let number = execution.pages;
  const rank = [pagePriority(execution), loadsBegun++];
  for await (const page of pages) {
    await decodingTurns.take(rank);
    const started = performance.now();
    const known = reader && isSameSchema(reader.decoder.schema, page.schema) ? reader : undefined;
    reader = known ?? openReader(dataset, page.schema);
    number += 1;
    const received = page.rows.length;
    const { copyData, staged, rejected } = reader.decodeRows(page.rows, number);
    forgetRows(page.rows);
    yield {
      page: number,
      nextCursor: page.nextPageId,
      copyData,
      received,
      staged,
      rejected,
      columnNames: reader.decoder.columnNames,
      drift: known ? [] : reader.decoder.drift,
      bytes: page.bytes,
      totalRowCount: page.totalRowCount,
      pageCalls: number === 1 ? 0 : 1,
      pollCalls: number === 1 ? 1 : 0,
      waitMs: page.waitMs,
      networkMs: page.networkMs,
      decodeMs: performance.now() - started,
    };
  }
}

type PageReader = Readonly<{ decoder: Decoder; decodeRows: DecodeRows }>;

/** What decodes pages of one schema. */
function openReader(dataset: Dataset, schema: Page['schema']): PageReader {
  const decoder = createDecoder(dataset, schema);
  return { decoder, decodeRows: createRowsDecoder(dataset, decoder) };
}

/** Priorities 2 to 8 of the process's call queue: after polls, the newest week first. */
function pagePriority(execution: Execution): number {
  return Math.min(8, execution.priority * 2);
}

// load: pages strictly in order from the cursor in the ledger. Reading and copying overlap: while pages are being copied
// to staging, the next ones are fetched and decoded, and all that are ready then are committed together with the cursor
// behind them. After any crash the next worker finds that cursor and goes on there.
// Source: service specification, "Flow rules" 3 and "Paginate body".

import { createDecoder, type DecodedRows, type Decoder, isSameSchema, type SchemaEntry, storableSchema } from '../codec/decode.ts';
import { createRowsDecoder, type DecodeRows } from '../codec/decode-bytes.ts';
import { pageMemory } from '../codec/page-memory.ts';
import { areSpooled, closeRows, forgetRows, memoryOf, type PageRows, type SpooledRows } from '../codec/page-rows.ts';
import { MINUTE } from '../core/clock.ts';
import { ProtocolError } from '../core/errors.ts';
import type { Dataset } from '../datasets/dataset.ts';
import { datasetNamed } from '../datasets/index.ts';
import { rowLimitOf } from '../datasets/submit-body.ts';
import type { Page } from '../service/answers.ts';
import type { ServiceClient } from '../service/client.ts';
import { readPages } from '../service/pages.ts';
import { contextOf, type Execution } from '../warehouse/executions.ts';
import { commitPages, countRejected, type DecodedPage } from '../warehouse/staging.ts';
import { CircleWatch, checkProgress } from './endless.ts';
import type { PageShare } from './page-room.ts';
import type { Pipeline } from './pipeline.ts';
import { PriorityTurns, type Rank } from './priority-turns.ts';
import { readAhead } from './read-ahead.ts';
import type { Suspicion } from './suspects.ts';

/** After this a load gives its place to others, and goes on later where it stopped; to what is more urgent at once. */
const TURN_MS = MINUTE;
/** At full speed so many pages come in this time that a checkpoint costs little; it is lost when a worker dies. */
const GATHER_MS = 50;
/** Decoding keeps the thread busy, and all loads of this process share it. */
const decodingTurns = new PriorityTurns();
let loadsBegun = 0;
/** Decoded pages that wait to be copied are bounded by their size, whatever their number: it bounds memory. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

/**
 * Loads pages until the last is committed (returns true) or the turn is over (false). `firstPage` is set when a poll has
 * just brought it, and is in `room` already, which holds each page until it is committed. `lost` cuts everything, `calling`
 * only what has not been read yet. `suspicion` is left when something is committed.
 * Throws what the client throws (CancelledError when `calling` aborts), ProtocolError for rows whose columns no page has named and for
 * pages without end,
 * LostLeaseError, StoreError.
 */
export async function loadPages(
  pipeline: Pipeline,
  client: ServiceClient,
  execution: Execution,
  remoteId: string,
  firstPage: Page | undefined,
  room: PageShare,
  { lost, calling, suspicion }: { lost: AbortSignal; calling: AbortSignal; suspicion: Suspicion },
): Promise<boolean> {
  const dataset = datasetNamed(execution.dataset);
  const log = pipeline.log.child(contextOf(execution));
  const started = performance.now();
  // When the turn is over, or the process should stop, only the reading ends: what has been read is still committed.
  let isOutranked = false;
  const isTurnOver = (): boolean => suspicion.isSuspect || isOutranked || performance.now() - started > TURN_MS;
  // What is read ahead may wait for room that only a commit makes: when one fails, nobody may wait for what is read.
  const failed = new AbortController();
  const reading = AbortSignal.any([calling, failed.signal]);
  const decoded = decodePages(client, execution, remoteId, firstPage, room, {
    calling: reading,
    isTurnOver,
    onAnswered: suspicion.enter,
  });
  const batches = readAhead(decoded, {
    // Of a page whose rows are all in quarantine nothing is copied, but it is there.
    sizeOf: ({ heldBytes, copyData }) => (typeof copyData === 'function' ? heldBytes : Math.max(heldBytes, copyData.length)),
    // With all of the room taken nothing would be left to wait for.
    mostWaiting: Math.min(MAX_WAITING_BYTES, room.most / 2),
    gatherMs: GATHER_MS,
  });
  let isComplete = false;
  for await (const pages of batches) {
    try {
      const committed = await commitPages(pipeline.pool, dataset, execution, { pages, leaseMs: pipeline.leaseMs, signal: lost });
      isOutranked = committed.isOutranked;
      suspicion.leave();
      const last = pages.at(-1);
      isComplete = last?.nextCursor === null;
      if (!isComplete) checkProgress(committed.progress, last?.page ?? 0, contextOf(execution));
    } catch (error) {
      failed.abort();
      throw error;
    }
    for (const decodedPage of pages) {
      const { page, received, bytes, heldBytes, forget } = decodedPage;
      const rejected = countRejected(decodedPage);
      forget();
      room.giveBack(heldBytes);
      log.debug({ page, rows: received, rejected }, 'page committed');
      pipeline.observer.onPage?.(execution, { rows: received, rejected, bytes });
    }
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
  { calling, isTurnOver, onAnswered }: { calling: AbortSignal; isTurnOver: () => boolean; onAnswered: () => Promise<void> },
): AsyncGenerator<LoadedPage, void, undefined> {
  const dataset = datasetNamed(execution.dataset);
  const pages = readPages(client, {
    dataset,
    executionId: remoteId,
    cursor: execution.nextCursor,
    rowsBefore: execution.rowsReceived,
    rowLimit: rowLimitOf(execution.request),
    pageSize: execution.pageSize,
    room,
    call: { priority: pagePriority(execution), signal: calling, onAnswered, context: contextOf(execution) },
    firstPage,
    isEnough: isTurnOver,
  });
  let reader = execution.rowSchema ? openReader(dataset, execution.rowSchema) : undefined;
  let number = execution.pages;
  const circle = new CircleWatch(execution.cursorAnchor);
  const rank = [pagePriority(execution), loadsBegun++];
  for await (const page of pages) {
    await decodingTurns.take(rank);
    const started = performance.now();
    number += 1;
    if (page.nextPageId !== null) circle.add(number, page.nextPageId, contextOf(execution));
    const sent = storableSchema(page.schema);
    const isNew = sent.length > 0 && !(reader && isSameSchema(reader.decoder.schema, sent));
    if (isNew) reader = openReader(dataset, sent);
    if (!reader && page.rows.length > 0) {
      closeRows(page.rows);
      throw new ProtocolError(
        `page ${number} of ${dataset.name} has ${page.rows.length} rows, and neither it nor a page before it has a schema: their values have no names`,
        { context: contextOf(execution) },
      );
    }
    // A page without rows and schema says nothing about columns.
    const { decoder, decodeRows } = reader ?? openReader(dataset, []);
    const received = page.rows.length;
    const heldBytes = memoryOf(page);
    const rows = areSpooled(page.rows) ? decodeWhileCopied(page.rows, decodeRows, number, rank) : decodeNow(page.rows, decodeRows, number);
    yield Object.assign(rows, {
      page: number,
      nextCursor: page.nextPageId,
      cursorAnchor: circle.anchor,
      received,
      heldBytes,
      columnNames: decoder.columnNames,
      drift: isNew ? decoder.drift : [],
      newSchema: isNew ? sent : undefined,
      bytes: page.bytes,
      totalRowCount: page.totalRowCount,
      pageCalls: number === 1 ? 0 : 1,
      pollCalls: number === 1 ? 1 : 0,
      waitMs: page.waitMs,
      networkMs: page.networkMs,
      decodeMs: performance.now() - started,
    });
  }
}

/** A page of which `forget` gives back what it holds, and `heldBytes` of room. */
type LoadedPage = DecodedPage & Readonly<{ heldBytes: number; forget: () => void }>;
type LoadedRows = Pick<DecodedPage, 'copyData' | 'staged' | 'rejected' | 'rejectedMeanwhile'> & Readonly<{ forget: () => void }>;

function decodeNow(rows: PageRows, decodeRows: DecodeRows, page: number): LoadedRows {
  const decoded = decodeRows(rows, page);
  forgetRows(rows);
  return { ...decoded, forget: () => pageMemory.giveBack(decoded.copyData) };
}

/** Of rows that do not fit into memory, part after part; its time counts as copying. */
function decodeWhileCopied(rows: SpooledRows, decodeRows: DecodeRows, page: number, rank: Rank): LoadedRows {
  const counts = { staged: 0, rejected: [], rejectedMeanwhile: 0 };
  async function* copyData(): AsyncGenerator<DecodedRows> {
    let before = 0;
    for await (const part of rows.parts()) {
      await decodingTurns.take(rank);
      const decoded = decodeRows(part, page, before);
      before += part.length;
      forgetRows(part);
      counts.staged += decoded.staged;
      counts.rejectedMeanwhile += decoded.rejected.length;
      yield decoded;
    }
  }
  return Object.assign(counts, { copyData, forget: () => rows.close() });
}

type PageReader = Readonly<{ decoder: Decoder; decodeRows: DecodeRows }>;

/** What decodes pages of one schema. */
function openReader(dataset: Dataset, schema: readonly SchemaEntry[]): PageReader {
  const decoder = createDecoder(dataset, schema);
  return { decoder, decodeRows: createRowsDecoder(dataset, decoder) };
}

/** Priorities 2 to 8 of the process's call queue: after polls, the newest week first. */
function pagePriority(execution: Execution): number {
  return Math.min(8, execution.priority * 2);
}

// load: reads pages strictly in order from the cursor in the ledger. Reading and copying overlap: while pages are copied to
// staging, the next ones are fetched and decoded. All pages that are ready are then committed together with the cursor after
// the last of them. After a crash the next worker continues at that cursor.
// Source: service specification, "Flow rules" 3 and "Paginate body".

import { BufferPool } from '../codec/buffer-pool.ts';
import {
  createDecoder,
  type DecodedRows,
  type Decoder,
  type Drift,
  isSameSchema,
  type SchemaEntry,
  storableSchema,
} from '../codec/decode.ts';
import { createRowsDecoder, type DecodeRows } from '../codec/decode-bytes.ts';
import { areSpooled, closeRows, type PageRows, type SpooledRows } from '../codec/page-rows.ts';
import { MEBIBYTE } from '../core/byte-sizes.ts';
import { MINUTE } from '../core/clock.ts';
import { joinSignals } from '../core/deadline.ts';
import { ProtocolError } from '../core/errors.ts';
import { sumOf } from '../core/numbers.ts';
import type { Dataset } from '../datasets/dataset.ts';
import { datasetNamed } from '../datasets/index.ts';
import { rowLimitOf } from '../datasets/submit-body.ts';
import { contextOf, type Execution } from '../ledger/executions.ts';
import { commitPages, countRejected, type DecodedPage } from '../publishing/checkpoint.ts';
import type { Page } from '../service/answers.ts';
import type { ServiceClient } from '../service/client.ts';
import { type PagesWanted, readPages } from '../service/pages.ts';
import { CircleWatch, checkProgress } from './endless.ts';
import type { Copied, Pipeline } from './pipeline.ts';
import { readAhead } from './read-ahead.ts';
import type { Suspicion } from './suspects.ts';

/** A load gives up its slot after this time, or earlier when a more urgent one waits. It continues later from its cursor. */
const TURN_MS = MINUTE;
/** Pages that arrive within this time share one checkpoint, to reduce its cost. A worker that dies loses this much work. */
const GATHER_MS = 50;
/** Most bytes of decoded pages of one load that wait to be copied. When the pool's share in use reaches the limit below, one page waits. */
const MAX_WAITING_BYTES = 4 * MEBIBYTE;
const MAX_SHARE_TO_READ_AHEAD = 0.5;

/**
 * What a load reads from. `firstPage` is set when a poll has just returned it. `lost` aborts everything; `calling` aborts only
 * calls, so pages that were read are still committed. `suspicion.leave` is called after each commit.
 */
export type LoadSource = Readonly<{
  client: ServiceClient;
  remoteId: string;
  firstPage?: Page | undefined;
  lost: AbortSignal;
  calling: AbortSignal;
  suspicion: Suspicion;
}>;

/**
 * Loads pages until the last one is committed (returns true) or the turn is over (returns false). Closes the files of all pages,
 * including `firstPage`.
 * Throws what the client throws (CancelledError when `calling` aborts), ProtocolError when no page had a schema for the rows and
 * when the pages would never end, LostLeaseError, StoreError.
 */
export async function loadPages(pipeline: Pipeline, execution: Execution, source: LoadSource): Promise<boolean> {
  const files: SpooledRows[] = [];
  const keepFile = ({ rows }: Page): void => {
    if (areSpooled(rows)) files.push(rows);
  };
  if (source.firstPage) keepFile(source.firstPage);
  try {
    return await readAndCommit(pipeline, execution, source, keepFile);
  } finally {
    for (const rows of files) rows.close();
  }
}

async function readAndCommit(
  pipeline: Pipeline,
  execution: Execution,
  source: LoadSource,
  onFetched: (page: Page) => void,
): Promise<boolean> {
  const { calling, lost, suspicion } = source;
  const dataset = datasetNamed(execution.dataset);
  const log = pipeline.log.child(contextOf(execution));
  const started = performance.now();
  // When the turn is over, only reading stops: pages that were read are still committed.
  let isOutranked = false;
  const isEnough = (): boolean => suspicion.isSuspect || isOutranked || performance.now() - started > TURN_MS;
  // A call may wait long for its permit. When a commit fails, the fetch in progress is aborted.
  const failed = new AbortController();
  using reading = joinSignals(calling, failed.signal);
  const batches = readAhead(decodePages(pipeline, execution, { ...source, calling: reading.signal }, { isEnough, onFetched }), {
    // A page whose rows are all quarantined has nothing to copy, but its bytes still count.
    sizeOf: ({ bytes, copyData }) => (typeof copyData === 'function' ? bytes : Math.max(bytes, copyData.length)),
    maxWaiting: () => (pipeline.shared.buffers.shareInUse < MAX_SHARE_TO_READ_AHEAD ? MAX_WAITING_BYTES : 0),
    gatherMs: GATHER_MS,
  });
  let isComplete = false;
  for await (const pages of batches) {
    const copying = performance.now();
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
    pipeline.observer.onCopied?.(execution, sumUp(pages), performance.now() - copying);
    for (const decodedPage of pages) {
      const { page, received, bytes, release } = decodedPage;
      const rejected = countRejected(decodedPage);
      release();
      log.debug({ page, rows: received, rejected }, 'page committed');
      pipeline.observer.onPage?.(execution, { rows: received, rejected, bytes });
    }
  }
  if (isComplete) pipeline.observer.onStage?.('load', execution, performance.now() - started);
  return isComplete;
}

const sumUp = (pages: readonly LoadedPage[]): Copied => ({
  pages: pages.length,
  rows: sumOf(pages, ({ received }) => received),
  bytes: sumOf(pages, ({ bytes }) => bytes),
  decodeMs: Math.round(sumOf(pages, ({ decodeMs }) => decodeMs)),
});

async function* decodePages(
  { shared: { buffers, decodingTurns } }: Pipeline,
  execution: Execution,
  { client, remoteId, firstPage, calling, suspicion }: LoadSource,
  wishes: Pick<PagesWanted, 'isEnough' | 'onFetched'>,
): AsyncGenerator<LoadedPage, void, undefined> {
  const dataset = datasetNamed(execution.dataset);
  const pages = readPages(client, {
    ...wishes,
    dataset,
    executionId: remoteId,
    cursor: execution.nextCursor,
    rowsBefore: execution.rowsReceived,
    rowLimit: rowLimitOf(execution.request),
    pageSize: execution.pageSize,
    call: { priority: pagePriority(execution), signal: calling, onAnswered: suspicion.enter, context: contextOf(execution) },
    firstPage,
  });
  let reader = execution.rowSchema ? openReader(dataset, execution.rowSchema, buffers) : undefined;
  let number = execution.pages;
  const circle = new CircleWatch(execution.cursorAnchor);
  const takeTurn = decodingTurns.enter(pagePriority(execution));
  for await (const page of pages) {
    await takeTurn();
    const started = performance.now();
    number += 1;
    if (page.nextPageId !== null) circle.add(number, page.nextPageId, contextOf(execution));
    const sent = storableSchema(page.schema);
    const isNew = sent.length > 0 && !(reader && isSameSchema(reader.decoder.schema, sent));
    if (isNew) reader = openReader(dataset, sent, buffers);
    if (!reader && page.rows.length > 0) {
      throw new ProtocolError(
        `page ${number} of ${dataset.name} has ${page.rows.length} rows, but neither it nor an earlier page has a schema, so the columns are unknown`,
        { context: contextOf(execution) },
      );
    }
    // A page with neither rows nor a schema is decoded with an empty schema.
    const { decoder, decodeRows } = reader ?? openReader(dataset, [], buffers);
    const received = page.rows.length;
    const rows = areSpooled(page.rows)
      ? decodeWhileCopied(page.rows, decodeRows, number, takeTurn)
      : decodeNow(page.rows, decodeRows, number);
    yield Object.assign(rows, {
      page: number,
      nextCursor: page.nextPageId,
      cursorAnchor: circle.anchor,
      received,
      columnNames: decoder.columnNames,
      drift: [...(isNew ? decoder.drift : []), ...driftOfCount(page)],
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

/** An unreadable totalRowCount does not fail the load, but the audit cannot check completeness then, so it is reported as drift. */
function driftOfCount({ unreadableRowCount }: Page): Drift[] {
  if (unreadableRowCount === undefined) return [];
  const detail = `totalRowCount is ${JSON.stringify(unreadableRowCount)}, which is not a count of rows: the received rows are not compared with it`;
  return [{ kind: 'changed_type', column: 'totalRowCount', detail }];
}

/** `release` frees the page's memory or file once the page is committed. */
type LoadedPage = DecodedPage & Readonly<{ release: () => void }>;
type LoadedRows = Pick<DecodedPage, 'copyData' | 'staged' | 'rejected' | 'rejectedMeanwhile'> & Readonly<{ release: () => void }>;

function decodeNow(rows: PageRows, decodeRows: DecodeRows, page: number): LoadedRows {
  const decoded = decodeRows(rows, page);
  closeRows(rows);
  return { ...decoded, release: () => BufferPool.release(decoded.copyData) };
}

/** Decodes rows from a file in parts while they are copied. The time counts as copying. */
function decodeWhileCopied(rows: SpooledRows, decodeRows: DecodeRows, page: number, takeTurn: () => Promise<void>): LoadedRows {
  const counts = { staged: 0, rejected: [], rejectedMeanwhile: 0 };
  async function* copyData(): AsyncGenerator<DecodedRows> {
    let before = 0;
    for await (const part of rows.parts()) {
      await takeTurn();
      const decoded = decodeRows(part, page, before);
      before += part.length;
      closeRows(part);
      counts.staged += decoded.staged;
      counts.rejectedMeanwhile += decoded.rejected.length;
      yield decoded;
    }
  }
  return Object.assign(counts, { copyData, release: () => rows.close() });
}

type PageReader = Readonly<{ decoder: Decoder; decodeRows: DecodeRows }>;

/** Creates the decoder for pages of one schema. */
function openReader(dataset: Dataset, schema: readonly SchemaEntry[], buffers: BufferPool): PageReader {
  const decoder = createDecoder(dataset, schema);
  return { decoder, decodeRows: createRowsDecoder(dataset, decoder, buffers) };
}

/** Priority 2 to 8 in the process's call queue: after polls, and the newest week first. */
function pagePriority(execution: Execution): number {
  return Math.min(8, execution.priority * 2);
}

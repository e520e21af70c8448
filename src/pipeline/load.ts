// load: pages strictly in order from the cursor in the ledger, each decoded and committed to staging with the cursor
// behind it. The next page is fetched while this one is being copied; after any crash the next worker finds the cursor
// and goes on there. Source: service specification, "Flow rules" 3 and "Paginate body".
import { MINUTE } from '../core/clock.ts';
import type { Dataset } from '../datasets/dataset.ts';
import { datasetNamed } from '../datasets/index.ts';
import type { Page } from '../service/answers.ts';
import type { ServiceClient } from '../service/client.ts';
import { readPages } from '../service/pages.ts';
import { createDecoder, type Decoder, isSameSchema } from '../warehouse/decode.ts';
import { contextOf, type Execution } from '../warehouse/executions.ts';
import { commitPage } from '../warehouse/staging.ts';
import type { Pipeline } from './pipeline.ts';

/** After this a load gives its place to what is more urgent, and goes on later where it stopped. */
const TURN_MS = MINUTE;

/**
 * Loads pages until the last is committed (returns true), or until the turn is over or the process should stop (false).
 * `first` is the first page when a poll has just brought it. Throws what the client throws, LostLeaseError, StoreError.
 */
export async function loadPages(
  pipeline: Pipeline,
  client: ServiceClient,
  execution: Execution,
  remoteId: string,
  first: Page | undefined,
  lost: AbortSignal,
): Promise<boolean> {
  const dataset = datasetNamed(execution.dataset);
  const log = pipeline.log.child(contextOf(execution));
  const started = performance.now();
  const pages = readPages(client, {
    dataset,
    executionId: remoteId,
    cursor: execution.nextCursor,
    pageSize: execution.pageSize,
    call: { priority: pagePriority(execution), signal: AbortSignal.any([lost, pipeline.stopping]), context: contextOf(execution) },
    firstPage: first,
  });
  let decoder: Decoder | undefined;
  let pagesBefore = execution.pages;
  let askedAt = performance.now();
  for await (const page of pages) {
    const decodeStarted = performance.now();
    const isNewSchema = decoder === undefined || !isSameSchema(decoder.schema, page.schema);
    decoder = isNewSchema ? createDecoder(dataset, page.schema) : (decoder as Decoder);
    const decoded = decoder.decodePage(page.rows, pagesBefore + 1);
    const decodeMs = performance.now() - decodeStarted;
    await commitPage(
      pipeline.pool,
      dataset,
      execution,
      {
        ...decoded,
        pagesBefore,
        nextCursor: page.nextPageId,
        received: page.rows.length,
        schema: page.schema,
        drift: isNewSchema ? decoder.drift : [],
        bytes: page.bytes,
        totalRowCount: page.totalRowCount,
        pageCalls: pagesBefore === 0 ? 0 : 1,
        pollCalls: pagesBefore === 0 ? 1 : 0,
        waitMs: 0,
        networkMs: decodeStarted - askedAt,
        decodeMs,
      },
      pipeline.leaseMs,
      lost,
    );
    pagesBefore += 1;
    log.debug({ page: pagesBefore, rows: page.rows.length, rejected: decoded.rejected.length }, 'page committed');
    pipeline.observer.onPage?.(execution, { rows: page.rows.length, rejected: decoded.rejected.length, bytes: page.bytes });
    if (page.nextPageId === null) {
      reportLoaded(pipeline, dataset, performance.now() - started);
      return true;
    }
    if (pipeline.stopping.aborted || performance.now() - started > TURN_MS) return false;
    askedAt = performance.now();
  }
  return true;
}

/** Priorities 2 to 8 of the process's call queue: after polls, the newest week first. */
function pagePriority(execution: Execution): number {
  return Math.min(8, execution.priority * 2);
}

function reportLoaded(pipeline: Pipeline, dataset: Dataset, elapsedMs: number): void {
  pipeline.observer.onStage?.('load', dataset.name, elapsedMs);
}

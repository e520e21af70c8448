// The pages of a completed execution, strictly in order, one request at a time: the next page is fetched while the consumer works on the
// current one. Source: service specification, "Paginate body" ("pagination is sequential").
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { watchAbort } from '../core/abort-watch.ts';
import { CancelledError, ExecutionFailedError, ProtocolError } from '../core/errors.ts';
import type { Dataset } from '../datasets/dataset.ts';
import type { Page } from './answers.ts';
import type { ServiceCall } from './call-service.ts';
import type { ServiceClient } from './client.ts';

/** Maximum page tokens remembered per run, as digests; 20,000 pages are 20 million rows and 2 MB. */
const MAX_REMEMBERED_TOKENS = 20_000;

export type PageSource = Pick<ServiceClient, 'poll' | 'paginate'>;

export type PagesWanted = Readonly<{
  dataset: Pick<Dataset, 'name'>;
  executionId: string;
  /** Where to start: a page token, or null for the first page, which the poll returns. */
  cursor: string | null;
  /** The page at `cursor` if already fetched, for example by the poll that found the query completed. */
  firstPage?: Page | undefined;
  /** Rows of the pages before the cursor: compared with the service's total, they identify the last page, after which no call follows. */
  rowsBefore: number;
  /** The requested maximum of rows; the service's total may be higher. */
  rowLimit?: number | undefined;
  /** Rows per page, 1 to 1000; the service chooses the size of the first page. */
  pageSize: number;
  /** Called for each fetched page, whether or not it is yielded. */
  onFetched?: ((page: Page) => void) | undefined;
  /** Options of the calls; `onPermit` is not used. */
  call: ServiceCall;
  /** True when no further page is wanted. A page that already has its permit is still read: fetching it again would cost another. */
  isEnough?: (() => boolean) | undefined;
}>;

type Fetched = Readonly<{ page: Page }> | Readonly<{ error: unknown }>;

/**
 * Yields the pages in order, each once. The next page is fetched as soon as the current one is handed over, never more than one ahead, and
 * not after `isEnough`; an error of that fetch is thrown when its page is requested. When the consumer stops early, the fetch in flight is
 * cancelled, and it has ended before the generator returns.
 * @throws ProtocolError when a page points to one that was read already, before that page is yielded, so that no
 * checkpoint holds such a cursor; ExecutionFailedError; and what poll and paginate throw.
 */
export async function* readPages(client: PageSource, wanted: PagesWanted): AsyncGenerator<Page, void, undefined> {
  const stop = new AbortController();
  if (wanted.call.signal?.aborted) throw new CancelledError();
  const stopWatching = watchAbort(wanted.call.signal, () => stop.abort());
  const isEnough = wanted.isEnough ?? (() => false);
  let hasPermit = false;
  const onPermit = async (): Promise<void> => {
    hasPermit = true;
  };
  const call = { ...wanted.call, signal: stop.signal, onPermit };
  const fetch = (cursor: string | null, followedBy: number): Promise<Fetched> =>
    fetchPage(client, { ...wanted, call: { ...call, followedBy } }, cursor).then(
      (page) => {
        wanted.onFetched?.(page);
        return { page };
      },
      (error: unknown) => ({ error }),
    );
  const seen = new SeenTokens();
  if (wanted.cursor !== null) seen.add(wanted.cursor);
  let fetching: Promise<Fetched> | undefined = wanted.firstPage ? Promise.resolve({ page: wanted.firstPage }) : fetch(wanted.cursor, 0);
  let read = wanted.rowsBefore;
  try {
    while (fetching !== undefined) {
      const fetched: Fetched = await fetching;
      fetching = undefined;
      if ('error' in fetched) throw fetched.error;
      const { page } = fetched;
      read += page.rows.length;
      if (page.nextPageId !== null) {
        if (!seen.add(page.nextPageId)) throw repeatedToken(wanted);
        hasPermit = false;
        if (!isEnough()) fetching = fetch(page.nextPageId, countPages(page.totalRowCount, read, wanted) - 1);
        // Lets the request be sent before the consumer blocks the thread with this page.
        await nextTurn();
      }
      yield page;
      if (!hasPermit && isEnough()) return;
    }
  } finally {
    stopWatching();
    stop.abort();
    await fetching;
  }
}

/** Number of pages after `read` rows, at least 1; two when the service gives no total. */
function countPages(total: bigint | null, read: number, { rowLimit, pageSize }: PagesWanted): number {
  return total === null ? 2 : Math.max(1, Math.ceil((Math.min(Number(total), rowLimit ?? Number.POSITIVE_INFINITY) - read) / pageSize));
}

async function fetchPage(client: PageSource, { dataset, executionId, pageSize, call }: PagesWanted, cursor: string | null): Promise<Page> {
  if (call.signal?.aborted) throw new CancelledError();
  if (cursor !== null) return client.paginate(dataset, { executionId, nextPageId: cursor, pageSize }, call);
  const answer = await client.poll(dataset, executionId, call);
  if (answer.state === 'completed') return answer.page;
  const context = { ...call.context, dataset: dataset.name, ...(answer.requestId === null ? {} : { requestId: answer.requestId }) };
  if (answer.state === 'failed') {
    throw new ExecutionFailedError(`the query of ${dataset.name} ended in FAILED: ${answer.message ?? 'without a reason'}`, { context });
  }
  throw new ProtocolError(`the service reports IN_PROGRESS for an execution of ${dataset.name} whose pages were being read`, { context });
}

function repeatedToken({ dataset, call }: PagesWanted): ProtocolError {
  return new ProtocolError(`a page of ${dataset.name} points back to a page that was already read; reading on would never end`, {
    context: { ...call.context, dataset: dataset.name },
    isLasting: true,
  });
}

/** A short digest of a page token, which may be long. Equal tokens have equal digests. */
export function digestToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url').slice(0, 22);
}

/** The tokens of a run; beyond the limit the oldest are forgotten. */
class SeenTokens {
  readonly #digests = new Set<string>();

  /** Returns false when the token was already present. */
  add(token: string): boolean {
    const digest = digestToken(token);
    if (this.#digests.has(digest)) return false;
    this.#digests.add(digest);
    const [oldest] = this.#digests;
    if (this.#digests.size > MAX_REMEMBERED_TOKENS && oldest !== undefined) this.#digests.delete(oldest);
    return true;
  }
}

// A survey (searchmill probe) sends the service one small query of a dataset and records answers with their times, headers and states, one page of rows, and
// the behaviour of a second page. None of it is printed as it is; see report.ts.
import type { IncomingHttpHeaders } from 'node:http';
import { areSpooled, closeRows, type PageRows, rowAt, type SpooledRows } from '../codec/page-rows.ts';
import { type Clock, MINUTE, SECOND } from '../core/clock.ts';
import { SearchmillError } from '../core/errors.ts';
import type { Window } from '../core/weeks.ts';
import { buildSubmitBody, type Question } from '../datasets/submit-body.ts';
import type { Page } from '../service/answers.ts';
import type { CallObserver } from '../service/call-service.ts';
import type { ServiceClient } from '../service/client.ts';
import type { OperationName } from '../service/operation.ts';
import type { WireColumn } from '../service/wire.ts';

export type HeardCall = Readonly<{
  call: OperationName;
  /** Null when no answer came. */
  status: number | null;
  headers: IncomingHttpHeaders;
  /** Body of the answer, if it is an execution record. */
  record: unknown;
  durationMs: number;
}>;

export type Heard = Readonly<{
  question: Question;
  calls: readonly HeardCall[];
  /** From the submit to the first completed answer. */
  readyMs: number | null;
  schema: readonly WireColumn[];
  rows: readonly unknown[];
  pages: readonly Pick<Page, 'nextPageId' | 'totalRowCount' | 'schema'>[];
  /** Number of rows per page. */
  pageRows: readonly number[];
  problem: Readonly<{ code: string; message: string }> | null;
}>;

/** Page size requested for the second page, to see whether the service respects it. */
export const SMALL_PAGE = 10;
const PRIORITY = 9;
const MAX_WAIT_MS = 5 * MINUTE;
const LOOK_AGAIN_MS = 2 * SECOND;
const MAX_LOOKS = 150;

export type ProbeSettings = Readonly<{
  /** Creates a client that reports its calls to the observer. */
  openClient: (observer: CallObserver) => ServiceClient;
  clock: Clock;
  /** Monotonic clock in milliseconds; default performance.now(). */
  monotonicMs?: () => number;
  window: Window;
  signal: AbortSignal;
}>;

/** Never rejects for what the service does: the probe reports that. Throws CancelledError, and bugs. */
export async function probeDataset(question: Question, settings: ProbeSettings): Promise<Heard> {
  const { openClient, clock, window, signal, monotonicMs = () => performance.now() } = settings;
  const calls: HeardCall[] = [];
  let answered: Omit<HeardCall, 'call' | 'durationMs'> | undefined;
  const client = openClient({
    onAnswer: (_, answer) => {
      answered = answer;
    },
    onCall: ({ name }, _outcome, _waitedMs, durationMs) => {
      calls.push({ call: name, durationMs, ...(answered ?? { status: null, headers: {}, record: undefined }) });
      answered = undefined;
    },
  });
  const { dataset } = question;
  const call = { priority: PRIORITY, maxWaitMs: MAX_WAIT_MS, signal, context: {} };
  const pages: Page[] = [];
  const rows: unknown[] = [];
  let readyMs: number | null = null;
  let problem: Heard['problem'] = null;
  try {
    const submitted = await client.submit(dataset, buildSubmitBody(question, window), call);
    if (submitted.state === 'failed') problem = { code: 'execution_failed', message: submitted.message ?? 'without a reason' };
    else {
      const beganAt = monotonicMs();
      const first = await waitForPage(submitted.executionId);
      readyMs = Math.round(monotonicMs() - beganAt);
      if (first) {
        rows.push(...(await takeRows(first.rows)));
        pages.push(first);
        if (first.nextPageId !== null) {
          const body = { executionId: submitted.executionId, nextPageId: first.nextPageId, pageSize: SMALL_PAGE };
          const second = await client.paginate(dataset, body, call);
          closeRows(second.rows);
          pages.push(second);
        }
      }
    }
  } catch (error) {
    if (!(error instanceof SearchmillError) || signal.aborted) throw error;
    problem = { code: error.code, message: error.message };
  } finally {
    await client.close();
  }
  return {
    question,
    calls,
    readyMs,
    schema: pages[0]?.schema ?? [],
    rows,
    pages,
    pageRows: pages.map((page) => page.rows.length),
    problem,
  };

  async function waitForPage(executionId: string): Promise<Page | undefined> {
    for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
      const answer = await client.poll(dataset, executionId, call);
      if (answer.state === 'completed') return answer.page;
      if (answer.state === 'failed') {
        problem = { code: 'execution_failed', message: answer.message ?? 'without a reason' };
        return undefined;
      }
      await clock.sleep(LOOK_AGAIN_MS, signal);
    }
    problem = { code: 'not_complete', message: `it was not complete after ${MAX_LOOKS} polls` };
    return undefined;
  }
}

async function takeRows(rows: PageRows | SpooledRows): Promise<unknown[]> {
  const taken: unknown[] = [];
  for await (const part of areSpooled(rows) ? rows.parts() : [rows]) {
    for (let at = 0; at < part.length; at += 1) taken.push(rowAt(part, at));
  }
  closeRows(rows);
  return taken;
}

// Plain calls to a sandbox, as a client author would write them first, and a clock that stands still until it is told.

import type { SandboxOptions } from '../../sandbox/options.ts';
import { type Sandbox, startSandbox } from '../../sandbox/server.ts';
import type { Clock } from '../../src/core/clock.ts';
import { findDataset } from '../../src/datasets/index.ts';

export type Row = readonly (string | null)[];
export type Reply = Readonly<{ status: number; headers: Headers; body: ReplyBody }>;
/** Everything any answer may have in it. */
export type ReplyBody = Readonly<{
  executionId: string;
  executionState: string;
  requestId: string;
  results: readonly Row[];
  schema: readonly { name: string; type: string }[];
  /** Not there on the last page and while IN_PROGRESS, or null where records have the specification's form. */
  nextPageId?: string | null;
  totalRowCount: number | null;
  error: string;
  message: string;
}>;

/** How a page of an answer is named; absent and null: there is no further one. */
export type NextPageId = ReplyBody['nextPageId'];

export const TOKEN = { authorization: 'Bearer sandbox-token' };

/** A Wednesday; the newest whole week is 2026-11-08..2026-11-14. */
export const NOON = new Date('2026-11-18T12:00:00Z');

/** Time passes only in `advance`, which also wakes those whose sleep is over. */
export class StandingClock implements Clock {
  #nowMs: number;
  readonly #sleepers = new Set<{ untilMs: number; wake: () => void }>();

  constructor(start: Date = NOON) {
    this.#nowMs = start.getTime();
  }

  now(): Date {
    return new Date(this.#nowMs);
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.#sleepers.add({ untilMs: this.#nowMs + ms, wake: resolve }));
  }

  advance(ms: number): void {
    this.#nowMs += ms;
    for (const sleeper of this.#sleepers) {
      if (sleeper.untilMs > this.#nowMs) continue;
      this.#sleepers.delete(sleeper);
      sleeper.wake();
    }
  }
}

/** A tiny sandbox whose queries are done at once and whose clock stands still, unless told otherwise. */
export function startTinySandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  return startSandbox({ size: 'tiny', queryMs: 0, clock: new StandingClock(), ...options });
}

export type CallOptions = Readonly<{ headers?: Record<string, string>; query?: string; signal?: AbortSignal }>;

/** POSTs a body, an object as JSON and a string as it is. */
export async function call(sandbox: Sandbox, operation: string, body: unknown, options: CallOptions = {}): Promise<Reply> {
  const response = await fetch(`${sandbox.url}/data-api/v1/async/${operation}${options.query ?? ''}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(options.headers ?? TOKEN) },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(options.signal ? { signal: options.signal } : {}),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as ReplyBody };
}

/** A submit body over whole weeks, the last of them 2026-11-08..2026-11-14. */
export function question(
  operation: string,
  filters: Readonly<Record<string, unknown>> = {},
  start = '2026-11-08',
): Record<string, unknown> {
  const period = findDataset(operation)?.period ?? { start: 'start_date', end: 'end_date' };
  return { account_id: 12345, [period.start]: start, [period.end]: '2026-11-14', ...filters };
}

/** Submits, and returns the execution's id. Throws when it is not accepted. */
export async function submit(sandbox: Sandbox, operation: string, body: unknown, options?: CallOptions): Promise<string> {
  const reply = await call(sandbox, operation, body, options);
  if (reply.status !== 202) throw new Error(`${operation} answered ${reply.status}: ${reply.body.message}`);
  return reply.body.executionId;
}

/** The answer to a poll of an execution whose time is over: asks until its rows are counted, too. */
export async function firstPage(sandbox: Sandbox, operation: string, executionId: string): Promise<Reply> {
  for (;;) {
    const reply = await call(sandbox, operation, { executionId });
    if (reply.status !== 202) return reply;
  }
}

/** Submits and reads every page. Throws on any answer that is not 200. */
export async function readAll(sandbox: Sandbox, operation: string, body: unknown, pageSize?: number): Promise<Row[]> {
  const executionId = await submit(sandbox, operation, body);
  let reply = await firstPage(sandbox, operation, executionId);
  const rows: Row[] = [];
  for (;;) {
    if (reply.status !== 200) throw new Error(`${operation} answered ${reply.status}: ${reply.body.message}`);
    rows.push(...reply.body.results);
    const { nextPageId } = reply.body;
    if (typeof nextPageId !== 'string') return rows;
    reply = await call(sandbox, operation, { executionId, nextPageId, ...(pageSize ? { pageSize } : {}) });
  }
}

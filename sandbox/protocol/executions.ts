// Query executions: the question and its progress, never any rows. Source: service specification, "Query execution".
import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { EXECUTION_VALIDITY_MS } from '../../src/core/limits.ts';
import { RowCount } from '../queries/pages.ts';
import type { Plan } from '../queries/plan.ts';
import { rowLimit } from '../queries/plan-query.ts';
import type { Query } from '../queries/query.ts';
import type { Credential } from './credentials.ts';

export type Execution = {
  readonly id: string;
  readonly credential: Credential;
  readonly query: Query;
  /** Milliseconds since 1970. From then on the execution is COMPLETED, once its rows are counted. */
  readonly readyAtMs: number;
  /** End of its validity; a fault may move it forward. */
  expiresAtMs: number;
  /** Undefined while they are being counted. */
  totalRows: number | undefined;
  /** Error that stopped the count; every later request about the execution gets it. */
  failure: unknown;
  isPageInFlight: boolean;
  /** The token in the last answer; null when that was the last page. */
  newestPageId: string | null;
  /** The token of the last page request, which may be repeated. */
  lastPageId: string | null;
};

/** Number of cached plans. A plan can be derived from its query again at any time. */
const PLANS_KEPT = 32;
/** A small answer is counted before its submit is answered; counting a large one alternates with other requests. */
const FIRST_COUNT_MS = 20;
const COUNT_MS = 5;

export class Executions {
  readonly #executions = new Map<string, Execution>();
  readonly #plans = new Map<string, Plan>();
  readonly #planQuery: (query: Query) => Plan;
  readonly #most: number;
  readonly #closing = new AbortController();

  constructor(planQuery: (query: Query) => Plan, most: number) {
    this.#planQuery = planQuery;
    this.#most = most;
  }

  get size(): number {
    return this.#executions.size;
  }

  /**
   * Starts a query at `nowMs` that takes at least `durationMs`. Ids are random, so that those of an earlier sandbox are unknown. They have a
   * prefix and are not UUIDs, as publicly documented.
   */
  create(query: Query, credential: Credential, nowMs: number, durationMs: number): Execution {
    this.#forgetOldest(nowMs);
    const execution: Execution = {
      id: `sandbox:${randomBytes(15).toString('base64url')}`,
      credential,
      query,
      readyAtMs: nowMs + durationMs,
      expiresAtMs: nowMs + EXECUTION_VALIDITY_MS,
      totalRows: undefined,
      failure: undefined,
      isPageInFlight: false,
      newestPageId: null,
      lastPageId: null,
    };
    const count = new RowCount(this.planOf(execution), rowLimit(query));
    if (count.advance(FIRST_COUNT_MS, performanceNow)) execution.totalRows = count.total;
    else void this.#goOnCounting(execution, count);
    this.#executions.set(execution.id, execution);
    return execution;
  }

  find(id: string): Execution | undefined {
    return this.#executions.get(id);
  }

  /** All remembered executions, oldest first. */
  all(): Iterable<Execution> {
    return this.#executions.values();
  }

  /** Makes the id unknown, as if it had never existed. */
  forget(id: string): void {
    this.#executions.delete(id);
    this.#plans.delete(id);
  }

  planOf(execution: Execution): Plan {
    const plan = this.#plans.get(execution.id) ?? this.#planQuery(execution.query);
    // Moved to the end, so that the first one is the least recently used.
    this.#plans.delete(execution.id);
    this.#plans.set(execution.id, plan);
    for (const id of this.#plans.keys()) {
      if (this.#plans.size <= PLANS_KEPT) break;
      this.#plans.delete(id);
    }
    return plan;
  }

  /** Stops all counting. */
  close(): void {
    this.#closing.abort();
  }

  async #goOnCounting(execution: Execution, count: RowCount): Promise<void> {
    const { signal } = this.#closing;
    try {
      await nextTurn();
      while (!signal.aborted && !count.advance(COUNT_MS, performanceNow)) await nextTurn();
      if (!signal.aborted) execution.totalRows = count.total;
    } catch (error) {
      execution.failure = error;
    }
  }

  /** Executions are in order of creation, so expired ones are at the front. */
  #forgetOldest(nowMs: number): void {
    for (const [id, execution] of this.#executions) {
      if (execution.expiresAtMs > nowMs && this.#executions.size < this.#most) return;
      this.forget(id);
    }
  }
}

/** Real time, independent of the sandbox's clock: used to avoid blocking the process. */
function performanceNow(): number {
  return performance.now();
}

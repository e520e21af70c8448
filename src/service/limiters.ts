// One limiter per budget and kind in a process, however many connections share the budget.
import type { Connection } from '../config/settings.ts';
import type { Clock } from '../core/clock.ts';
import type { CallKind } from '../core/limits.ts';
import type { CallBudget } from './budget.ts';
import { PauseWatch } from './pause-watch.ts';
import { PermitPool } from './permit-pool.ts';

/** Maximum submits of one connection in flight in one process. */
export const SUBMITS_AT_ONCE = 4;
const DEFAULT_CONCURRENCY: Readonly<Record<CallKind, number>> = { submit: SUBMITS_AT_ONCE, read: 32 };

export type LimitersOptions = Readonly<{
  /** Returns the ledger's budget of a connection; called once per budgetId. */
  budgetOf: (connection: Connection) => CallBudget;
  clock: Clock;
  /** Maximum calls of one connection in flight in this process. */
  maxConcurrent?: Readonly<Record<CallKind, number>>;
  /** How many connections share a budget. Multiplies the limit on calls in flight, so that a hanging connection does not hold up the others. */
  countSharing?: (budgetId: string) => number;
  /** Monotonic clock in milliseconds; default performance.now(). */
  monotonicMs?: () => number;
}>;

/** Limits the calls of a connection: a queue per kind, and the pauses that both share. */
export type ConnectionLimiter = Readonly<Record<CallKind, PermitPool>> & Readonly<{ pauses: PauseWatch }>;

export interface Limiters {
  /** Returns the same limiter for connections with the same budgetId. */
  limiterFor(connection: Connection): ConnectionLimiter;
}

export function createLimiters({
  budgetOf,
  clock,
  maxConcurrent = DEFAULT_CONCURRENCY,
  countSharing = () => 1,
  monotonicMs,
}: LimitersOptions): Limiters {
  const byBudget = new Map<string, ConnectionLimiter>();
  return {
    limiterFor(connection) {
      const known = byBudget.get(connection.budgetId);
      if (known) return known;
      const pauses = new PauseWatch(budgetOf(connection), () => {
        limiter.submit.askAgain();
        limiter.read.askAgain();
      });
      const limiterOf = (kind: CallKind): PermitPool =>
        new PermitPool({
          kind,
          source: pauses,
          maxConcurrent: maxConcurrent[kind] * countSharing(connection.budgetId),
          clock,
          monotonicMs: monotonicMs ?? (() => performance.now()),
        });
      const limiter: ConnectionLimiter = { submit: limiterOf('submit'), read: limiterOf('read'), pauses };
      byBudget.set(connection.budgetId, limiter);
      return limiter;
    },
  };
}

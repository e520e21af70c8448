// Budgets for tests of the call log, and time that passes in the ledger without anybody waiting for it.
import type { Connection } from '../../../src/config/settings.ts';
import type { CallKind } from '../../../src/core/limits.ts';
import { Secret } from '../../../src/core/secret.ts';
import { createCallLog, registerConnections } from '../../../src/ledger/call-log.ts';
import type { Pool } from '../../../src/postgres/pool.ts';

export type CallLog = ReturnType<typeof createCallLog>;

let last = 0;

/** A connection with a budget of its own, or with the budget of another. */
export function connectionOf(callsPerMinute: Partial<Record<CallKind, number>> = {}, budgetId?: string): Connection {
  last += 1;
  return {
    name: `connection-${last}`,
    baseUrl: 'https://service.invalid',
    auth: { kind: 'token', token: new Secret('token') },
    headers: {},
    callsPerMinute: { submit: 5, read: 10, ...callsPerMinute },
    budgetId: budgetId ?? `budget-${last}`,
  };
}

/** Registers a connection and opens its call log; `budget` is its name in the ledger. */
export async function openBudget(
  pool: Pool,
  callsPerMinute: Partial<Record<CallKind, number>> = {},
): Promise<Connection & { budget: string; log: CallLog }> {
  const connection = connectionOf(callsPerMinute);
  const budget = (await registerConnections(pool, [connection]))(connection);
  // A jitter of one half changes nothing: pauses have their nominal length.
  return { ...connection, budget, log: createCallLog(pool, budget, () => 0.5) };
}

/** Moves everything a budget remembers `ms` milliseconds into the past. */
export async function letPass(pool: Pool, budget: string, ms: number): Promise<void> {
  const span = `${ms} milliseconds`;
  await pool.query('UPDATE searchmill.call_slots SET granted_at = granted_at - $2::interval WHERE budget_id = $1', [budget, span]);
  await pool.query(
    `UPDATE searchmill.budgets
        SET paused_until = paused_until - $2::interval, probe_at = probe_at - $2::interval,
            rate_limited_at = rate_limited_at - $2::interval, unauthorized_since = unauthorized_since - $2::interval
      WHERE id = $1`,
    [budget, span],
  );
}

/** Takes everything that can be had now. */
export async function takeAll(log: CallLog, kind: CallKind): Promise<number> {
  let taken = 0;
  for (let last = -1; last !== 0; taken += last) last = (await log.takeSlots(kind, 3)).taken;
  return taken;
}

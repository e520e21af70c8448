// The sliding log of calls, in the ledger: every call of every process on every machine takes a slot here. It uses one clock (the
// database's), nothing leaks when a process is killed, and losing Redis loses nothing. It matches the port CallBudget of
// src/service/budget.ts structurally; queue/service-clients.ts connects the two.

import { createHmac } from 'node:crypto';
import type { Connection } from '../config/settings.ts';
import { HOUR, MINUTE, type Random, SECOND } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import { ARRIVAL_MS, CALL_KINDS, type CallKind } from '../core/limits.ts';
import type { Pool } from '../postgres/pool.ts';
import { execute, type RowOf } from '../postgres/statements.ts';
import { inTransaction } from '../postgres/transaction.ts';

/**
 * A slot is reused only after a minute plus the time a process may take to use a permit and the network to carry the call. This makes
 * 98 % of the allowed rate usable.
 */
export const SLOT_GAP_MS: number = MINUTE + ARRIVAL_MS;
/** Minutes that `submits` take under a limit of `perMinute`, rounded up. */
export function submitMinutes(submits: number, perMinute: number): number {
  return Math.ceil((submits * SLOT_GAP_MS) / perMinute / MINUTE);
}
const FIRST_PAUSE_MS = 5 * SECOND;
const MAX_PAUSE_MS = 5 * MINUTE;
const FIRST_PROBE_MS = MINUTE;
/**
 * A 429 while our own log has room means that others spend the credential. Not counted as room: a service whose minute lasts up to 75 s
 * (by its clock, or by its window), and one whose limit is up to a tenth lower than the configured one.
 */
const LONGEST_MINUTE_MS = 75 * SECOND;
const STRICT_SHARE = 0.1;
/** Without such a 429 for that long, the next one is the first. */
export const SPENT_ELSEWHERE_MS: number = HOUR;
/** Wait when other calls were taking every free slot at the same moment. */
const CONTENDED_WAIT_MS = 20;

/** A slot that was taken: when, and when it was taken before that, to the microsecond. */
type Slot = Readonly<{ slot: number; takenAt: string; formerlyAt: string }>;
/** What the database cannot describe about the rows of `slots/take`. */
type TakenRow = RowOf<'slots/take'> & Readonly<{ slots: readonly Slot[] | null; paused_because: 'rate_limited' | 'unauthorized' | null }>;

/** Returns the name of a connection's budget in this ledger. The ledger's salt is needed to test guesses of a credential against it. */
export type NameBudget = (connection: Pick<Connection, 'budgetId'>) => string;

async function readBudgetNames(pool: Pool): Promise<NameBudget> {
  const { rows } = await execute(pool, 'budgets/read-salt');
  const salt = rows[0]?.salt;
  if (!salt) throw new ConfigurationError('the ledger has lost its searchmill.budget_salt; restore that row from a backup');
  return ({ budgetId }) => createHmac('sha256', salt).update(budgetId).digest('hex');
}

/**
 * Writes connections and their budgets to the ledger, and returns the function that names budgets. Run it at start-up, before the first
 * call. With `isTrial` it leaves known entries unchanged: checking a file must not change the limits of running processes.
 */
export async function registerConnections(
  pool: Pool,
  connections: Iterable<Connection>,
  { isTrial = false }: { isTrial?: boolean } = {},
): Promise<NameBudget> {
  const nameBudget = await readBudgetNames(pool);
  // Ordered by budget, so that processes starting at the same time cannot deadlock.
  const ordered = [...connections].sort((a, b) => (a.budgetId < b.budgetId ? -1 : a.budgetId > b.budgetId ? 1 : 0));
  await inTransaction(pool, async (client) => {
    for (const connection of ordered) {
      const { name, baseUrl, auth, callsPerMinute } = connection;
      const budget = nameBudget(connection);
      const { rows } = await execute(client, 'budgets/register', { budget });
      const { isNew = false } = rows[0] ?? {};
      if (isTrial && !isNew) continue;
      for (const kind of CALL_KINDS) {
        await execute(client, 'slots/lock', { budget, kind });
        await execute(client, 'slots/resize', { budget, kind, slots: callsPerMinute[kind], isNew });
      }
      const { submit: submitsPerMinute, read: readsPerMinute } = callsPerMinute;
      const connected = { name, baseUrl, authKind: auth.kind, budget, submitsPerMinute, readsPerMinute };
      if (!isTrial) await execute(client, 'connections/register', connected);
    }
  });
  return nameBudget;
}

/** The budget of one credential, by its name in the ledger. `slotGapMs` is for tests that cannot wait a minute. Every method may throw StoreError. */
export function createCallLog(pool: Pool, budget: string, random: Random = Math.random, slotGapMs = SLOT_GAP_MS) {
  return {
    /** Takes up to `count` slots now; or none, and returns in how many milliseconds to ask again. Never waits. */
    async takeSlots(kind: CallKind, count: number) {
      const { rows } = await execute<'slots/take', TakenRow>(pool, 'slots/take', {
        budget,
        kind,
        gapMs: slotGapMs,
        count,
        probeMs: FIRST_PROBE_MS,
      });
      const answer = rows[0] ?? { taken: 0, slots: null, wait_ms: SECOND, paused_because: null };
      return {
        taken: answer.taken,
        slots: answer.slots ?? [],
        waitMs: answer.taken > 0 ? 0 : Math.max(answer.wait_ms ?? 0, CONTENDED_WAIT_MS),
        ...(answer.paused_because ? { pausedBecause: answer.paused_because } : {}),
      };
    },

    /** Gives back slots that no call used; slots that were taken again since are left alone. */
    async returnSlots(kind: CallKind, slots: readonly Slot[]): Promise<void> {
      await execute(pool, 'slots/return', { budget, kind, slots: JSON.stringify(slots) });
    },

    /** Makes calls that were answered late count from now on, since they may have arrived late; slots taken again since are left alone. */
    async renewSlots(kind: CallKind, slots: readonly Slot[]): Promise<void> {
      await execute(pool, 'slots/renew', { budget, kind, slots: JSON.stringify(slots), carriedMs: ARRIVAL_MS });
    },

    /** `call`: what was answered so, if it came just now: `ageMs` after its permit. Without it nothing is learned about others. */
    async reportRateLimited(retryAfterMs: number | undefined, call?: Readonly<{ kind: CallKind; ageMs: number }>): Promise<void> {
      await inTransaction(pool, async (client) => {
        if (call) {
          const lookBackMs = LONGEST_MINUTE_MS + call.ageMs;
          const judged = { budget, kind: call.kind, lookBackMs, strictShare: STRICT_SHARE, runMs: SPENT_ELSEWHERE_MS };
          await execute(client, 'budgets/note-spent-elsewhere', judged);
        }
        const pause = { retryAfterMs, firstPauseMs: FIRST_PAUSE_MS, maxPauseMs: MAX_PAUSE_MS, jitter: random() };
        await execute(client, 'budgets/report-rate-limited', { budget, ...pause });
      });
    },

    async reportUnauthorized(): Promise<void> {
      await execute(pool, 'budgets/report-unauthorized', { budget, probeMs: FIRST_PROBE_MS });
    },

    async reportAccepted(): Promise<void> {
      await execute(pool, 'budgets/report-accepted', { budget });
    },
  };
}

// Refreshing: one transaction stores a marked week anew and removes the marks it sees. Readers see the same figures before and after.
// Loads come first: every process sweeps what is marked, within seconds of the publication, while its loads leave the database alone.

import { MINUTE, SECOND } from '../core/clock.ts';
import { openDeadline } from '../core/deadline.ts';
import { describeError, isPassing } from '../core/errors.ts';
import { areNodesSettled, hasNodes, waitForNodes } from '../warehouse/citus/citus.ts';
import type { Client, Pool } from '../warehouse/pool.ts';
import { execute, executeTemplate, readRows } from '../warehouse/statements.ts';
import { codeOf } from '../warehouse/store-errors.ts';
import { inTransaction } from '../warehouse/transaction.ts';
import { awaitQuiet } from '../warehouse/transaction-turns.ts';
import { adoptCitedDomains, knowsCitedDomains } from './own-domains.ts';
import { placesOf, type ReportWeek, SUMMARIES } from './summaries.ts';

/**
 * Time between the sweeps of a process, how long one waits for a moment without transactions of loads, and how long it then takes at most:
 * where there is no such moment, a quarter of the time.
 */
export const SWEEP_REPORTS_EVERY_MS = 5 * SECOND;
const MAX_YIELD_MS = 10 * SECOND;
const MAX_SWEEP_MS = 5 * SECOND;
/** A service under rate limits leaves such moments all the time. */
const QUIET_MS = 250;
const MAX_SWEPT_WEEKS = 100;
const MAX_FINISHED_WEEKS = 10_000;
const MAX_REFRESH_MS = 10 * MINUTE;
/** Another refresh of the same week, or a change of own domains or aliases, comes between that often at most. */
const MAX_ATTEMPTS = 5;
/** A failure that passes leaves a week to be computed by readers that often, before they leave it out. */
const MAX_PASSING_FAILURES = 3;
const MAX_ERROR_CHARACTERS = 500;

/** How a refresh went: `unmarked` also when another process is at it, or rows are on their way to their node. */
export type Refreshed = 'stored' | 'unmarked' | 'failed';

type RefreshOptions = Readonly<{ signal?: AbortSignal; isSweep?: boolean }>;

/**
 * Stores a marked week anew. What fails is written to its marks, and the week is tried again later.
 * Throws StoreError when the database is away, the signal's reason.
 */
export async function refreshWeek(pool: Pool, week: ReportWeek, { signal, isSweep = false }: RefreshOptions = {}): Promise<Refreshed> {
  using deadline = openDeadline(MAX_REFRESH_MS, signal);
  const until = deadline.signal;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await execute(pool, 'reports/note-account', { accountId: week.accountId });
      const outcome = await inTransaction(pool, (client) => storeWeek(client, week, isSweep), { isSnapshot: true, signal: until });
      if (typeof outcome === 'object') {
        await removeMark(pool, outcome.mark, until);
        return 'stored';
      }
      if (outcome !== 'unknown domains') return outcome;
      await adoptCitedDomains(pool, week.accountId, until);
    } catch (error) {
      if (signal?.aborted) throw error;
      if (attempt < MAX_ATTEMPTS && ['40001', '40P01'].includes(codeOf(error))) continue;
      await noteFailure(pool, week, error);
      return 'failed';
    }
  }
}

/** The mark that a stored week has until its node has committed it. */
type OnItsWay = Readonly<{ mark: string }>;

/** `unknown domains`: nothing is written, since the citations that this transaction sees name other own domains than are known. */
async function storeWeek(
  client: Client,
  reportWeek: ReportWeek,
  isSweep: boolean,
): Promise<'stored' | 'unmarked' | 'unknown domains' | OnItsWay> {
  const { subject, accountId, week } = reportWeek;
  if (isSweep && !(await execute(client, 'reports/take-sweep')).rows[0]?.found) return 'unmarked';
  if (!(await areNodesSettled(client))) return 'unmarked';
  // Rankings are made with own domains, which citations make, and all of AI search with aliases.
  await execute(client, 'reports/hold-settings', { accountId });
  // Once the marks are gone, nobody looks at these citations again.
  if (subject === 'citations' && !(await knowsCitedDomains(client, accountId))) return 'unknown domains';
  const { rowCount } = await execute(client, 'reports/remove-marks', { subject, accountId, week });
  if (!rowCount) return 'unmarked';
  await execute(client, 'publish/raise-work-mem');
  for (const summary of SUMMARIES[subject]) {
    const { stored, compute } = placesOf(summary);
    await executeTemplate(client, 'reports/delete-stored', { stored }, { accountId, week });
    await executeTemplate(client, 'reports/store', { stored, compute }, { accountId, week });
  }
  if (!(await hasNodes(client))) return 'stored';
  const { rows } = await execute(client, 'reports/mark-stored', { subject, accountId, week });
  return { mark: rows[0]?.id ?? '' };
}

/** Without a mark readers look at what the node has, so it must have committed. One that stays has the week stored again. */
async function removeMark(pool: Pool, id: string, signal: AbortSignal): Promise<void> {
  const remove = async (client: Client): Promise<void> => {
    await waitForNodes(client);
    await execute(client, 'reports/remove-mark', { id });
  };
  await inTransaction(pool, remove, { signal });
}

async function noteFailure(pool: Pool, { subject, accountId, week }: ReportWeek, error: unknown): Promise<void> {
  await execute(pool, 'reports/note-failure', {
    subject,
    accountId,
    week,
    error: describeError(error).slice(0, MAX_ERROR_CHARACTERS),
    maxFailures: isPassing(error) ? MAX_PASSING_FAILURES : 1,
  });
}

/**
 * Refreshes marked weeks for some seconds, when loads of this process leave the database alone, or after a time in any case.
 * One process at a time does. Throws as refreshWeek does.
 */
export async function sweepReports(pool: Pool, signal: AbortSignal): Promise<void> {
  const weeks = await findStale(pool);
  if (weeks.length === 0) return;
  await awaitQuiet(pool, { quietMs: QUIET_MS, maxMs: MAX_YIELD_MS, signal });
  const started = performance.now();
  for (const week of weeks) {
    if (signal.aborted || performance.now() - started > MAX_SWEEP_MS) return;
    await refreshWeek(pool, week, { signal, isSweep: true });
  }
}

/**
 * Refreshes all weeks that are marked now: of a process that ends afterwards. `onWeek` is told how many are left. Throws as refreshWeek does.
 */
export async function finishReports(pool: Pool, signal: AbortSignal, onWeek: (left: number) => void): Promise<void> {
  const weeks = await findStale(pool, MAX_FINISHED_WEEKS);
  for (const [index, week] of weeks.entries()) {
    onWeek(weeks.length - index);
    await refreshWeek(pool, week, { signal });
  }
}

const findStale = (pool: Pool, maxWeeks = MAX_SWEPT_WEEKS): Promise<ReportWeek[]> => readRows(pool, 'reports/find-stale', { maxWeeks });

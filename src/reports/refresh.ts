// Refreshing: one transaction stores the summaries of a marked week and removes the marks it sees. Readers see the same figures before and
// after. Loads come first: each process sweeps marked weeks, usually seconds after the publication, while its loads leave the database idle.

import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { MINUTE, SECOND } from '../core/clock.ts';
import { openDeadline } from '../core/deadline.ts';
import { describeError, isPassing } from '../core/errors.ts';
import type { Client, Pool } from '../postgres/pool.ts';
import { execute, executeTemplate, readRows } from '../postgres/statements.ts';
import { codeOf } from '../postgres/store-errors.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { awaitQuiet } from '../postgres/transaction-turns.ts';
import { areNodesSettled, hasNodes, waitForNodes } from '../tables/citus/citus.ts';
import { adoptSetting, isAdopted } from './account-settings.ts';
import { CITED_DOMAINS } from './own-domains.ts';
import { placesOf, type ReportWeek, SUMMARIES } from './summaries.ts';

/**
 * Time between the sweeps of a process, how long a sweep waits for a moment without transactions of loads, and how long it may then take.
 * Without such a moment, sweeps take a quarter of the time.
 */
export const SWEEP_REPORTS_EVERY_MS = 5 * SECOND;
const MAX_YIELD_MS = 10 * SECOND;
const MAX_SWEEP_MS = 5 * SECOND;
/** How long no transaction of loads must run. Under rate limits such moments are frequent. */
const QUIET_MS = 250;
const MAX_SWEPT_WEEKS = 100;
const MAX_FINISHED_WEEKS = 10_000;
const MAX_REFRESH_MS = 10 * MINUTE;
/** Attempts when another refresh of the same week, or a change of own domains or aliases, conflicts. */
const MAX_ATTEMPTS = 5;
/** After this time a reader waits for no further week, and how often one that another process stores is looked at. */
const MAX_WAIT_MS = 10 * SECOND;
const LOOK_AGAIN_MS = 100;
/** After this many transient failures readers leave the week out; before, they compute it. */
const MAX_PASSING_FAILURES = 3;
const MAX_ERROR_CHARACTERS = 500;

/** The result of a refresh. `unmarked` also when another process sweeps, or rows are still moving to their node. */
export type Refreshed = 'stored' | 'unmarked' | 'failed';

type RefreshOptions = Readonly<{ signal?: AbortSignal; isSweep?: boolean }>;

/**
 * Stores the summaries of a marked week again. A failure is recorded in its marks, and the week is retried later.
 * Throws StoreError during a database outage, or the signal's reason.
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
      await adoptSetting(pool, week.accountId, CITED_DOMAINS, until);
    } catch (error) {
      if (signal?.aborted) throw error;
      if (attempt < MAX_ATTEMPTS && ['40001', '40P01'].includes(codeOf(error))) continue;
      await noteFailure(pool, week, error);
      return 'failed';
    }
  }
}

/** The id of the mark that a stored week has until its Citus node has committed it. */
type OnItsWay = Readonly<{ mark: string }>;

/** `unknown domains`: nothing was stored, since the citations seen by this transaction name own domains that are not stored yet. */
async function storeWeek(
  client: Client,
  reportWeek: ReportWeek,
  isSweep: boolean,
): Promise<'stored' | 'unmarked' | 'unknown domains' | OnItsWay> {
  const { subject, accountId, week } = reportWeek;
  if (isSweep && !(await execute(client, 'reports/take-sweep')).rows[0]?.found) return 'unmarked';
  if (!(await areNodesSettled(client))) return 'unmarked';
  // Rankings depend on own domains, which may come from citations; AI search summaries depend on aliases.
  await execute(client, 'reports/hold-settings', { accountId });
  // Checked now, since these citations are not examined again once their marks are removed.
  if (subject === 'citations' && !(await isAdopted(client, accountId, CITED_DOMAINS))) return 'unknown domains';
  const { rowCount } = await execute(client, 'reports/remove-marks', { subject, accountId, week });
  if (!rowCount) return 'unmarked';
  await execute(client, 'sessions/raise-work-mem');
  const namesBefore = subject === 'answers' ? await readOwnNames(client, accountId) : undefined;
  for (const summary of SUMMARIES[subject]) {
    const { stored, compute } = placesOf(summary);
    await executeTemplate(client, 'reports/delete-stored', { stored }, { accountId, week });
    await executeTemplate(client, 'reports/store', { stored, compute }, { accountId, week });
  }
  if (namesBefore) await markOthers(client, reportWeek, namesBefore);
  if (!(await hasNodes(client))) return 'stored';
  const { rows } = await execute(client, 'reports/mark-stored', { subject, accountId, week });
  return { mark: rows[0]?.id ?? '' };
}

const readOwnNames = async (client: Client, accountId: string): Promise<readonly string[]> =>
  (await execute(client, 'reports/read-own-names', { accountId })).rows[0]?.names ?? [];

/** Marks the weeks whose facts are other ones now: all, if other names are ours; else the later ones that take the kind of a prompt from this week. */
async function markOthers(client: Client, { accountId, week }: ReportWeek, namesBefore: readonly string[]): Promise<void> {
  if (isDeepStrictEqual(namesBefore, await readOwnNames(client, accountId)))
    await execute(client, 'reports/mark-later-kinds', { accountId, week });
  else await execute(client, 'reports/mark-other-weeks', { accountId, week });
}

/** Without a mark readers use the node's rows, so the node must have committed them first. If the mark stays, the week is stored again. */
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
 * Refreshes marked weeks for a few seconds, when this process's loads leave the database idle, or after MAX_YIELD_MS in any case.
 * Only one process at a time sweeps. Throws what refreshWeek throws.
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

/** Weeks of an account, or of all, as far as readers of these datasets need them. */
export type WantedWeeks = Readonly<{ accountId: string | null; datasets: readonly string[] }>;

/**
 * Stores the marked weeks that a reading would compute, before it begins: each of its panels would compute them, which takes many times as long. Waits for
 * weeks that another process is storing. Returns when none is left, or when that takes long. Throws what refreshWeek throws.
 */
export async function storeWanted(pool: Pool, wanted: WantedWeeks, signal: AbortSignal): Promise<void> {
  const started = performance.now();
  while (performance.now() - started < MAX_WAIT_MS) {
    const [week] = await readRows<'reports/find-live', ReportWeek>(pool, 'reports/find-live', wanted);
    if (!week) return;
    if ((await refreshWeek(pool, week, { signal })) !== 'stored') await delay(LOOK_AGAIN_MS, undefined, { signal });
  }
}

/**
 * Refreshes all weeks that are marked now, for a process that ends afterwards. `onWeek` receives the number left, including the next.
 * Throws what refreshWeek throws.
 */
export async function finishReports(pool: Pool, signal: AbortSignal, onWeek: (left: number) => void): Promise<void> {
  const weeks = await findStale(pool, MAX_FINISHED_WEEKS);
  for (const [index, week] of weeks.entries()) {
    onWeek(weeks.length - index);
    await refreshWeek(pool, week, { signal });
  }
}

const findStale = (pool: Pool, maxWeeks = MAX_SWEPT_WEEKS): Promise<ReportWeek[]> => readRows(pool, 'reports/find-stale', { maxWeeks });

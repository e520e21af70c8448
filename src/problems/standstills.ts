// Loads that make no progress: they fail repeatedly, no worker takes them, or a worker holds them and nothing happens.
// Pure: takes a status, returns problems.
import { splitAdvice } from '../core/advice.ts';
import { HOUR, MINUTE } from '../core/clock.ts';
import { groupBy } from '../core/group-by.ts';
import { count } from '../core/numbers.ts';
import { ageOf, ago, earliest, formatDuration, until } from '../core/relative-time.ts';
import { formatWindow, windowOf } from '../core/weeks.ts';
import type { LiveExecution, UnknownSubmits } from '../ledger/coverage.ts';
import type { ProblemKind } from './kinds.ts';
import type { Finder, Finders, FoundProblem, Status } from './status.ts';
import { formatSpan } from './week-groups.ts';

/** Shorter failures are transient and not reported. */
const PASSING_MS = MINUTE;
/** Longer than any call or statement takes, except a publish, which may be large and has its own limit. */
const STILL_MS = 5 * MINUTE;
const STILL_PUBLISHING_MS = 15 * MINUTE;
/** A problem that lasts longer than this needs a person. */
const LASTING_MS = HOUR;
const LASTING_IN_STORE_MS = 10 * MINUTE;
/** More than this many in 24 hours need a person while they go on: the last one was less than LASTING_MS ago. */
const FEW_UNKNOWN_SUBMITS = 3;
const LONGEST_APART = 80;
/** Most loads of one job that are listed one by one; more become one problem. */
const MAX_APART = 3;

/** A finder for each kind of standstill. */
export const STANDSTILL_FINDERS = {
  failing: ofMoving(describeFailing),
  'asked-anew': ofMoving(describeAskedAnew),
  'process-died': ofMoving((moving) => moving.filter(({ deathsInRow }) => deathsInRow > 0).map(describeDeaths)),
  'not-configured': ofMoving(describeUnconfigured),
  'not-taken': ofMoving(describeUntaken),
  'not-submitted': ofMoving(describeUnsent),
  'standing-still': ofMoving((moving, now) => moving.filter((load) => isStill(load, now)).map((load) => describeStill(load, now))),
  'unknown-submits': ({ unknownSubmits }, now) =>
    unknownSubmits.filter(({ lastAt }) => ageOf(lastAt, now) < LASTING_MS).map((unknown) => describeUnknown(unknown, now)),
} as const satisfies Partial<Finders<ProblemKind>>;

/** A finder for loads that should make progress: those that are neither held nor paused. Staged loads count even when paused. */
function ofMoving<Kind extends ProblemKind>(
  find: (moving: readonly LiveExecution[], now: Date, status: Status) => FoundProblem<Kind>[],
): Finder<Kind> {
  const isMoving = ({ state, isPaused }: LiveExecution): boolean => state !== 'held' && (!isPaused || state === 'staged');
  return (status, now) => find(status.live.filter(isMoving), now, status);
}

/** Failing loads, one problem each; more than MAX_APART of one job that fail for the same reason become one problem. */
function describeFailing(moving: readonly LiveExecution[], now: Date, status: Status): FoundProblem<'failing'>[] {
  const failing = moving.filter((execution) => isFailing(execution, status, now));
  const groups = groupBy(failing, ({ job, lastError }) => JSON.stringify([job, lastError]));
  return [...groups.values()].flatMap((alike) =>
    alike.length > MAX_APART ? [describeErrors(alike, now)] : alike.map((execution) => describeErrors([execution], now)),
  );
}

function isFailing({ errorsInRow, retryingSince, lastErrorCode, connection }: LiveExecution, { connections }: Status, now: Date): boolean {
  if (errorsInRow > 0) return true;
  if (retryingSince === null || lastErrorCode === null || ageOf(retryingSince, now) < PASSING_MS) return false;
  // A problem of the connection is reported once, not for each of its loads.
  const used = connections.find(({ name }) => name === connection);
  if (lastErrorCode === 'unauthorized') return !used?.unauthorizedSince;
  return lastErrorCode !== 'rate_limited' || !used?.pausedUntil || used.pausedUntil <= now;
}

function describeErrors(alike: readonly LiveExecution[], now: Date): FoundProblem<'failing'> {
  const latest = alike.reduce((a, b) => ((b.lastErrorAt ?? 0) > (a.lastErrorAt ?? 0) ? b : a));
  const forMs = Math.max(...alike.map(({ retryingSince }) => ageOf(retryingSince, now)));
  const isStore = latest.lastErrorCode === 'store';
  // A store error has advice when the database refuses permanently, which counts as an error in a row, or lacks something.
  const hasAdvice = isStore && splitAdvice(latest.lastError ?? '').advice !== undefined;
  const isForPerson = hasAdvice && (latest.errorsInRow > 0 || forMs >= PASSING_MS);
  const who =
    alike.length === 1 ? nameOf(latest) : `${latest.job}: ${count(alike.length, 'load')} fail for one reason, ${formatSpan(alike)}`;
  const errors = [
    ...(latest.errorsInRow > 0 ? [`${count(latest.errorsInRow, 'error')} in a row`] : []),
    ...(forMs >= PASSING_MS ? [`no progress for ${formatDuration(forMs)}`] : []),
    `the last ${ago(latest.lastErrorAt, now)}`,
  ].join(', ');
  return {
    kind: 'failing',
    job: latest.job,
    ...(alike.length === 1 ? { window: windowOf(latest) } : { apart: withoutNumbers(latest.lastError ?? '') }),
    since: latest.retryingSince ?? latest.lastErrorAt,
    needsYou: isForPerson || forMs >= (isStore ? LASTING_IN_STORE_MS : LASTING_MS),
    title: `${who}: ${errors}`,
    why: [latest.lastError ?? 'no reason was recorded'],
    next: [`tries again ${until(latest.dueAt, now)}`],
  };
}

/** Loads that were submitted again because the previous query had no result. */
function describeAskedAnew(moving: readonly LiveExecution[], now: Date): FoundProblem<'asked-anew'>[] {
  const again = moving.filter(({ gaveUpAt }) => gaveUpAt !== null);
  return [...groupBy(again, ({ job }) => job).values()].flatMap((alike) => {
    const latest = alike.reduce((a, b) => ((b.gaveUpAt ?? 0) > (a.gaveUpAt ?? 0) ? b : a));
    const problem = (who: string, { gaveUpAt, gaveUpBecause, ...load }: LiveExecution): FoundProblem<'asked-anew'> => ({
      kind: 'asked-anew',
      job: load.job,
      ...(alike.length > MAX_APART ? {} : { window: windowOf(load) }),
      since: gaveUpAt,
      needsYou: false,
      title: `${who}, since the previous query was given up ${ago(gaveUpAt, now)}`,
      why: gaveUpBecause === null ? [] : [gaveUpBecause],
      next: ['after max_submits queries in 24 hours its weeks fail; published rows stay'],
    });
    return alike.length > MAX_APART
      ? [problem(`${latest.job}: ${count(alike.length, 'load')} were submitted again, ${formatSpan(alike)}`, latest)]
      : alike.map((one) => problem(`${nameOf(one)} is being submitted again`, one));
  });
}

function describeDeaths(execution: LiveExecution): FoundProblem<'process-died'> {
  const { deathsInRow, leaseTakings, pages, state } = execution;
  const inAll = leaseTakings > deathsInRow ? `, ${leaseTakings} in total` : '';
  const where = state === 'staged' ? 'published it' : `worked on page ${pages + 1}`;
  return {
    kind: 'process-died',
    job: execution.job,
    window: windowOf(execution),
    needsYou: false,
    title: `${nameOf(execution)}: its process died or hung ${count(deathsInRow, 'time')} in a row${inAll}`,
    why: [
      deathsInRow === 1
        ? 'perhaps for a reason other than this load'
        : `the last ${deathsInRow === 2 ? 'time' : 'times'} while it ${where}`,
    ],
    next: ['another process takes it over; a load that keeps killing its processes is given up'],
  };
}

/** Loads that wait for a process that is configured with their connection. */
function describeUnconfigured(moving: readonly LiveExecution[]): FoundProblem<'not-configured'>[] {
  const waiting = moving.filter(({ waitingFor }) => waitingFor?.startsWith('a process configured'));
  return [...groupBy(waiting, ({ waitingFor }) => waitingFor ?? '')].map(([what, loads]) => {
    const who = loads[0] && loads.length === 1 ? `${nameOf(loads[0])} waits` : `${count(loads.length, 'load')} wait`;
    const next = [
      'give all processes the same jobs file, with that connection; a query is given up when it is overdue',
      ...[...new Set(loads.map(({ job }) => job))].map((job) => `searchmill cancel ${job}   cancels its loads at once`),
    ];
    return { kind: 'not-configured', apart: what, needsYou: true, title: `${who} for ${what}`, next };
  });
}

/** Loads that are due and not taken although there are workers. */
function describeUntaken(moving: readonly LiveExecution[], now: Date, { instances }: Status): FoundProblem<'not-taken'>[] {
  if (!hasWorker(instances)) return [];
  const busy = moving.filter(({ isLeased, progressAt }) => isLeased && ageOf(progressAt, now) < PASSING_MS).length;
  const untaken = moving.filter(
    ({ state, freeSince }) => state !== 'planned' && freeSince && ageOf(freeSince, now) > (busy > 0 ? STILL_MS : PASSING_MS),
  );
  if (untaken.length === 0) return [];
  const longestMs = Math.max(...untaken.map(({ freeSince }) => ageOf(freeSince, now)));
  const lateness = `should have continued by now, for up to ${formatDuration(longestMs)}`;
  const title = `${count(untaken.length, 'load')} ${lateness}, and no worker takes ${untaken.length === 1 ? 'it' : 'them'}`;
  const [why, next] =
    busy > 0
      ? [`the workers are busy with ${count(busy, 'load')}`, 'each gets its turn; more workers, or a higher --concurrency, are faster']
      : [
          'no load makes progress: the workers hang, cannot write to the database, or get no messages',
          'see /readyz and the log of each process',
        ];
  const since = new Date(now.getTime() - longestMs);
  return [{ kind: 'not-taken', since, needsYou: busy === 0, title, why: [why], next: [next] }];
}

/** Connections with loads that should have been submitted, while no submit is sent. */
function describeUnsent(moving: readonly LiveExecution[], now: Date, { instances, connections }: Status): FoundProblem<'not-submitted'>[] {
  if (!hasWorker(instances)) return [];
  return connections.flatMap(({ name, unauthorizedSince, pausedUntil, lastSubmitAt }) => {
    // With the lowest limit, one submit is sent every 61 s.
    const isSubmitting = lastSubmitAt !== null && ageOf(lastSubmitAt, now) < 2 * PASSING_MS;
    const isExplained = unauthorizedSince || (pausedUntil && pausedUntil > now) || isSubmitting;
    const own = moving.filter(({ connection }) => connection === name);
    const unsent = own.filter(({ state, freeSince }) => state === 'planned' && freeSince && ageOf(freeSince, now) > 2 * PASSING_MS);
    if (isExplained || unsent.length === 0 || own.some(({ state }) => state === 'submitting')) return [];
    const title = `connection ${name}: ${count(unsent.length, 'load')} should have been submitted by now, but none is`;
    const next = [`is a worker running whose jobs file has connection ${name}? See its /readyz and its log`];
    const since = earliest(unsent.map(({ freeSince }) => freeSince));
    return [{ kind: 'not-submitted', connection: name, since, needsYou: true, title, next }];
  });
}

function isStill({ isLeased, state, progressAt }: LiveExecution, now: Date): boolean {
  return isLeased === true && state !== 'planned' && ageOf(progressAt, now) > (state === 'staged' ? STILL_PUBLISHING_MS : STILL_MS);
}

function describeStill(execution: LiveExecution, now: Date): FoundProblem<'standing-still'> {
  const { state, leaseOwner, waitingFor, progressAt } = execution;
  const stillMs = ageOf(progressAt, now);
  const title = `${nameOf(execution)}: no progress for ${formatDuration(stillMs)}, while ${leaseOwner ?? 'a process'} works on it`;
  const next =
    state === 'staged'
      ? 'publishing waits for the database: look for locks and long statements in pg_stat_activity'
      : 'it waits for an answer, or for the calls of its connection: see the log of that process';
  return {
    kind: 'standing-still',
    job: execution.job,
    window: windowOf(execution),
    since: progressAt,
    needsYou: stillMs > LASTING_MS,
    title,
    why: waitingFor ? [`it waits for ${waitingFor}`] : [],
    next: [next],
  };
}

/** Those that no other has followed for LASTING_MS: worth knowing until the day is over, and less than the alert of what does not pass waits. */
export function pastUnknownSubmits({ unknownSubmits }: Status, now: Date): FoundProblem<'unknown-submits'>[] {
  return unknownSubmits.filter(({ lastAt }) => ageOf(lastAt, now) >= LASTING_MS).map((unknown) => describeUnknown(unknown, now));
}

function describeUnknown({ job, submits, lost, lastAt, lastReason }: UnknownSubmits, now: Date): FoundProblem<'unknown-submits'> {
  const each = submits === 1 ? 'it' : 'each of them';
  return {
    kind: 'unknown-submits',
    job,
    since: lastAt,
    needsYou: submits > FEW_UNKNOWN_SUBMITS && ageOf(lastAt, now) < LASTING_MS,
    title: `${job}: the outcome of ${count(submits, 'submit')} in the last 24 hours is not known, the last ${ago(lastAt, now)}`,
    why: [lastReason, `the service may have begun ${each}, and counted ${each}`],
    next: [
      'they are submitted again automatically, as soon as the service answers',
      ...(lost > 0 ? [`${lost} of them died with their process: find out why it ended`] : []),
      ...(lost < submits ? ['if this is frequent, check proxies and time-outs on the way to the service'] : []),
      'searchmill acknowledge unknown-submits   ends the telling; more are told again',
    ],
  };
}

export function hasWorker(instances: Status['instances']): boolean {
  return instances.some(({ isAlive, role }) => isAlive && role !== 'scheduler');
}

/** A key for an error message that stays the same when its numbers change: digits replaced, cut to LONGEST_APART characters. */
export function withoutNumbers(error: string): string {
  // The cut may split a surrogate pair, and half of one cannot be stored.
  return error
    .replaceAll(/\d+/g, '0')
    .slice(0, LONGEST_APART)
    .toWellFormed()
    .replace(/\ufffd$/, '');
}

export function nameOf(execution: LiveExecution): string {
  return `${execution.job} ${formatWindow(windowOf(execution))}`;
}

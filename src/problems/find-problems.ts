// What is wrong, since when, why, and what to do about it. Pure: takes a status, returns problems.

import { groupBy } from '../core/group-by.ts';
import { nameSome } from '../core/name-some.ts';
import { count, formatNumber } from '../core/numbers.ts';
import { ageOf, ago, earliest, formatDuration, until } from '../core/relative-time.ts';
import { stepOfCredential, stepOfStart } from '../core/supervisor.ts';
import { addDays, dateInZone, type IsoDate, weeksFromTo, windowOf } from '../core/weeks.ts';
import type { KnownConnection, KnownJob, LiveExecution, WeekGroup } from '../ledger/coverage.ts';
import { DISCARDED_BY_HAND } from '../ledger/endings.ts';
import type { KnownInstance } from '../ledger/instances.ts';
import { nextTick } from '../pipeline/expected-weeks.ts';
import type { UnlikeWeeks } from '../tables/verification-rounds.ts';
import { isAcknowledged } from './acknowledged.ts';
import { describeFailingReports, describeLeftRows, describeSpellings } from './figures.ts';
import type { ProblemKind } from './kinds.ts';
import { type NOTICE_FINDERS, pausedSince } from './notices.ts';
import { PROCESS_FINDERS } from './processes.ts';
import { describeSpentElsewhere } from './spent-elsewhere.ts';
import { hasWorker, nameOf, STANDSTILL_FINDERS, withoutNumbers } from './standstills.ts';
import { type Finder, type Finders, type FoundProblem, type Problem, type Status, tellProblem } from './status.ts';
import { describeFailingTarget } from './targets.ts';
import { formatSpan, formatWeeks, latestState, mergeGroups } from './week-groups.ts';

/** When work has been due for longer than this, it counts as overdue: without a live worker that is a problem. */
const OVERDUE_MS = 60_000;
/** Held windows of one job that are listed one by one. */
export const MAX_HELD_APART = 3;

/** A finder for every kind that is not a note, most urgent first. */
export const PROBLEM_FINDERS: Finders<Exclude<ProblemKind, keyof typeof NOTICE_FINDERS>> = {
  'no-process': describeAbsence,
  'credential-refused': ({ connections }, now) => connections.flatMap((connection) => describeRefused(connection, now)),
  'rate-limited': ({ connections }, now) => connections.flatMap((connection) => describeRateLimited(connection, now)),
  'spent-elsewhere': ({ connections }, now) => connections.flatMap((connection) => describeSpentElsewhere(connection, now)),
  held: describeAllHeld,
  failed: failuresThatAre('failed'),
  discarded: failuresThatAre('discarded'),
  'reload-failed': failuresThatAre('reload-failed'),
  'rows-differ': ({ unlikeWeeks }, now) => unlikeWeeks.map((unlike) => describeUnlike(unlike, now)),
  'rows-left': ({ leftRows }, now) => leftRows.map((left) => describeLeftRows(left, now)),
  ...STANDSTILL_FINDERS,
  ...PROCESS_FINDERS,
  missing: weeksThatAre('missing'),
  cancelled: weeksThatAre('cancelled'),
  'summaries-failing': ({ failingReports }, now) => failingReports.map((failing) => describeFailingReports(failing, now)),
  'spellings-apart': ({ unmetSpellings }) => describeSpellings(unmetSpellings),
  'notifications-failing': ({ failingTargets }, now) => failingTargets.map((failing) => describeFailingTarget(failing, now)),
};

/**
 * All problems: those that need a person first, then by the order of PROBLEM_FINDERS.
 * @param maxHeldApart held windows of each job that are listed one by one; further ones become one problem
 */
export function findProblems(status: Status, now: Date, maxHeldApart: number = MAX_HELD_APART): Problem[] {
  const found = Object.values<Finder<ProblemKind>>(PROBLEM_FINDERS)
    .flatMap((find) => find(status, now, maxHeldApart))
    .filter((problem) => !isAcknowledged(problem, status));
  const told = found.map((problem) => tellProblem(problem));
  return [...told.filter((problem) => problem.needsYou), ...told.filter((problem) => !problem.needsYou)];
}

function describeAbsence(status: Status, now: Date): FoundProblem<'no-process'>[] {
  const { live, instances } = status;
  const alive = instances.filter((instance) => instance.isAlive);
  const overdue = live.filter(({ state, isPaused, freeSince }) => state !== 'held' && !isPaused && ageOf(freeSince, now) > OVERDUE_MS);
  const isMissing = status.jobs.some((job) => findMissing(status, job).some(({ cancellation }) => cancellation === null));
  const hasScheduler = alive.some((instance) => instance.role !== 'worker');
  const who = alive.length === 0 ? 'process' : hasWorker(instances) ? 'scheduler' : 'worker';
  if ((overdue.length === 0 || hasWorker(instances)) && (!isMissing || hasScheduler)) return [];
  const seen = instances.map((instance) => instance.seenAt.getTime());
  const last = alive.length === 0 && seen.length > 0 ? `; the last one was seen ${ago(new Date(Math.max(...seen)), now)}` : '';
  const why = [
    ...(overdue.length > 0 && !hasWorker(instances) ? [`${count(overdue.length, 'load')} should have continued by now`] : []),
    ...describeSilent(instances.filter((instance) => !instance.isAlive)),
  ];
  const next = [stepOfStart(who === 'process' ? undefined : who)];
  const since = earliest(overdue.map(({ freeSince }) => freeSince));
  return [{ kind: 'no-process', since, needsYou: true, title: `no ${who} is running${last}`, why, next }];
}

/** A process records that it stops. One that did not was killed, hangs, or cannot write. */
function describeSilent(silent: readonly KnownInstance[]): string[] {
  if (silent.length === 0) return [];
  const processes = silent.map(({ host, pid }) => `process ${pid} on ${host}`);
  return [
    `${nameSome(processes, MAX_HELD_APART)} disappeared without stopping cleanly: it was killed, hangs, or cannot write to the database (is its disk full?)`,
  ];
}

function describeRefused({ name, baseUrl, unauthorizedSince, probeAt }: KnownConnection, now: Date): FoundProblem<'credential-refused'>[] {
  if (!unauthorizedSince) return [];
  const forTime = formatDuration(ageOf(unauthorizedSince, now));
  const title = `connection ${name}: the service has refused the credential for ${forTime} (401)`;
  const next = [`correct it: ${stepOfCredential()}; the credential is probed ${until(probeAt, now)}`];
  return [
    {
      kind: 'credential-refused',
      connection: name,
      since: unauthorizedSince,
      needsYou: true,
      title,
      why: [`calls go to ${baseUrl}`],
      next,
    },
  ];
}

function describeRateLimited(
  { name, unauthorizedSince, pausedUntil, rateLimitedAt }: KnownConnection,
  now: Date,
): FoundProblem<'rate-limited'>[] {
  // A refused credential is reported instead.
  if (unauthorizedSince || !pausedUntil || pausedUntil <= now) return [];
  const title = `connection ${name}: the service asked for fewer calls ${ago(rateLimitedAt, now)} (429)`;
  const next = [`continues ${until(pausedUntil, now)}`];
  return [{ kind: 'rate-limited', connection: name, since: rateLimitedAt, needsYou: false, title, next }];
}

function describeAllHeld({ live }: Status, now: Date, maxHeldApart: number): FoundProblem<'held'>[] {
  const held = live.filter(({ state }) => state === 'held');
  return [...groupBy(held, ({ job }) => job)].flatMap(([job, own]) => describeHeldOfJob(job, own, { now, maxHeldApart }));
}

/** The first held windows of a job one by one, the rest as one problem: a backfill under other filters can hold hundreds. */
function describeHeldOfJob(
  job: string,
  held: readonly LiveExecution[],
  { now, maxHeldApart }: Readonly<{ now: Date; maxHeldApart: number }>,
): FoundProblem<'held'>[] {
  const apart = held.slice(0, maxHeldApart).map((execution) => describeHeld(execution, now));
  const last = apart.at(-1);
  if (last === undefined || held.length === 1) return apart;
  const all = [`searchmill approve ${job}   publishes all ${held.length} of the job`];
  const others = held.slice(maxHeldApart);
  if (others.length === 0) return [...apart.slice(0, -1), { ...last, next: [...last.next, ...all] }];
  const title = `${job}: ${count(others.length, 'more window')} ${others.length === 1 ? 'is' : 'are'} held, ${formatSpan(others)}`;
  const next = [...all, `searchmill discard ${job}   drops all of them`, `searchmill status ${job}   shows them week by week`];
  const since = earliest(others.map(({ stateSince }) => stateSince));
  return [...apart, { kind: 'held', job, apart: 'more', since, needsYou: true, title, next }];
}

function describeHeld(execution: LiveExecution, now: Date): FoundProblem<'held'> {
  return {
    kind: 'held',
    job: execution.job,
    window: windowOf(execution),
    since: execution.stateSince,
    needsYou: true,
    title: `${nameOf(execution)} has been held for ${formatDuration(ageOf(execution.stateSince, now))}: the audit objects`,
    why: (execution.objections ?? []).map((objection) => objection.message),
    next: [
      `searchmill approve ${execution.sliceId}   publishes it anyway`,
      `searchmill discard ${execution.sliceId}   drops it; published rows stay`,
    ],
  };
}

const FAILURES = {
  failed: 'failed',
  'reload-failed': 'could not be loaded again; published rows stay',
  discarded: 'failed: the answer was discarded, and nothing is published',
} as const;

type FailureKind = keyof typeof FAILURES;

function kindOfFailure({ failure, state }: WeekGroup): FailureKind {
  if (failure === DISCARDED_BY_HAND) return 'discarded';
  return state === 'published' ? 'reload-failed' : 'failed';
}

/** Weeks of one job that failed for the same reason are one problem. */
function failuresThatAre<Kind extends FailureKind>(kind: Kind): Finder<Kind> {
  return ({ coverage, jobs }, now) => {
    const removed = new Set(jobs.filter(({ removedAt }) => removedAt !== null).map(({ name }) => name));
    const failed = coverage.filter((group) => group.failure !== null && !removed.has(group.job) && kindOfFailure(group) === kind);
    const groups = groupBy(failed, ({ job, state, failure }) => JSON.stringify([job, state, failure]));
    return [...groups.values()].flatMap((own) => describeFailure(kind, mergeGroups(own), { jobs, now, latest: latestState(own) }));
  };
}

function describeFailure<Kind extends FailureKind>(
  kind: Kind,
  failed: WeekGroup | undefined,
  { jobs, now, latest }: Readonly<{ jobs: readonly KnownJob[]; now: Date; latest: Date | undefined }>,
): FoundProblem<Kind>[] {
  if (failed === undefined) return [];
  const { job: name, first, last, weeks } = failed;
  const job = jobs.find((candidate) => candidate.name === name);
  const title = `${name} ${formatWeeks(failed)}${weeks === 1 ? '' : ` (${count(weeks, 'week')})`} ${FAILURES[kind]}, ${ago(failed.stateSince ?? now, now)}`;
  const flags = `${first === last ? `--week ${first}` : `--from ${first} --to ${last}`}${kind === 'reload-failed' ? ' --reload' : ''}`;
  const next = [`searchmill run ${name} ${flags}   tries again now`, describeTick(job, failed, kind === 'reload-failed', now)];
  return [
    {
      kind,
      job: name,
      window: { start: first, end: addDays(last, 6) },
      apart: withoutNumbers(failed.failure ?? ''),
      since: failed.stateSince,
      latest,
      // The person who discarded them already knows.
      needsYou: kind !== 'discarded',
      title,
      why: failed.failure === null ? [] : [failed.failure],
      next,
    },
  ];
}

/** What the schedule does about failed weeks: it loads none before `since`, and published ones only in the lookback of its next tick. */
function describeTick(job: KnownJob | undefined, { first, last }: WeekGroup, isPublished: boolean, now: Date): string {
  if (job?.isEnabled === false) return 'the schedule does not: the job is disabled';
  const next = job && nextTick({ schedule: job }, now);
  const tick = `otherwise the schedule does, ${until(next, now)}`;
  if (!next) return tick;
  const { since, expectedThrough, timezone, lookbackWeeks } = job;
  const lookback = isPublished && expectedThrough ? addDays(newestAt(expectedThrough, next, timezone), -7 * lookbackWeeks) : since;
  const oldest = lookback > since ? lookback : since;
  if (first >= oldest) return tick;
  return last < oldest ? 'the schedule loads only newer weeks' : `${tick}, from ${oldest} on; it loads no older ones`;
}

/** The newest week that is complete at `at`, given an earlier complete week. Both are first days of weeks. */
function newestAt(complete: IsoDate, at: Date, timezone: string): IsoDate {
  const [newest = complete] = weeksFromTo(complete, addDays(dateInZone(at, timezone), -7)).slice(-1);
  return newest;
}

/** Missing weeks of a job as one problem for each kind: `missing` were never planned, `cancelled` were cancelled. */
function weeksThatAre<Kind extends 'missing' | 'cancelled'>(kind: Kind): Finder<Kind> {
  return (status, now) =>
    status.jobs.flatMap((job): FoundProblem<Kind>[] => {
      const own = findMissing(status, job).filter(({ cancellation }) => (cancellation === null) === (kind === 'missing'));
      const group = mergeGroups(own);
      if (!group) return [];
      const { weeks, cancellation, stateSince: since, first, last } = group;
      const what = cancellation === null ? 'missing and not planned yet' : `missing, ${cancellation} ${ago(since, now)}`;
      const title = `${job.name}: ${count(weeks, 'week')} ${what}, ${formatWeeks(group)}`;
      const by =
        cancellation === null
          ? 'a running scheduler plans them within minutes'
          : `the schedule plans them again ${until(nextTick({ schedule: job }, now), now)}`;
      const next = [by, `searchmill run ${job.name}   loads them now`];
      const reasons = [...new Set(own.flatMap(({ displacement }) => displacement ?? []))];
      const why = reasons.length === 0 ? [] : [`no longer published: ${nameSome(reasons, MAX_HELD_APART)}`];
      return [
        {
          kind,
          job: job.name,
          window: { start: first, end: addDays(last, 6) },
          since,
          latest: latestState(own),
          needsYou: false,
          title,
          why,
          next,
        },
      ];
    });
}

/** Expected weeks of a job that are missing; none when the job is disabled, or it or its connection is paused. */
function findMissing({ coverage, connections }: Status, job: KnownJob): WeekGroup[] {
  if (!job.isEnabled || pausedSince(job, connections)) return [];
  return coverage.filter((group) => group.job === job.name && group.state === 'missing' && group.isExpected);
}

function describeUnlike({ job, weeks, first, last, expected, found, since, latest }: UnlikeWeeks, now: Date): FoundProblem<'rows-differ'> {
  const span = formatWeeks({ first, last });
  return {
    kind: 'rows-differ',
    job,
    window: { start: first, end: addDays(last, 6) },
    since,
    latest,
    needsYou: true,
    title: `${job}: the table differs from what was published, in ${count(weeks, 'week')} (${span}), noticed ${ago(since, now)}`,
    why: [`${count(found, 'row')} where ${formatNumber(expected)} were published: rows were deleted or added by hand`],
    next: [
      `searchmill verify ${job}   names the weeks, and the commands that repair them`,
      `searchmill backfill ${job} --from ${first} --to ${last} --reload   loads all of them again`,
      `searchmill acknowledge rows-differ ${job}   if the service no longer has them: the table stays as it is`,
    ],
  };
}

// What running processes report about themselves: they cannot use the queue, their clock is wrong, or one of their periodic rounds
// fails. Pure: takes a status, returns problems.
import { MINUTE, SECOND } from '../core/clock.ts';
import { groupBy } from '../core/group-by.ts';
import { count } from '../core/numbers.ts';
import { ageOf, ago, earliest, formatDuration } from '../core/relative-time.ts';
import { stepOfReload } from '../core/supervisor.ts';
import type { KnownInstance } from '../ledger/instances.ts';
import type { ProblemKind } from './kinds.ts';
import { withoutNumbers } from './standstills.ts';
import type { Finders, FoundProblem, Status } from './status.ts';

/** Shorter failures of the queue, and of a round, are transient and not reported. */
const PASSING_MS = MINUTE;
const PASSING_ROUND_MS = 10 * MINUTE;
/** Beyond this offset, in seconds, signed calls may be refused, and a scheduler plans weeks late or not at all. */
const MAX_CLOCK_OFF_S = 300;

/** The name under which a process reports that it refused to read its configuration again. */
export const RELOADING = 'reloading';
/** Most mistakes of a refused file that are told. */
const MAX_MISTAKES = 5;

/** A finder for each kind that is about processes. */
export const PROCESS_FINDERS = {
  'queue-error': describeQueueErrors,
  'clock-wrong': ({ instances }) => instances.filter(hasWrongClock).map(describeClock),
  'rounds-failing': describeFailingRounds,
  'reload-refused': describeRefusedReloads,
} as const satisfies Partial<Finders<ProblemKind>>;

/** Running processes that cannot use the queue. Reported even when no work is due yet. */
function describeQueueErrors({ instances }: Status, now: Date): FoundProblem<'queue-error'>[] {
  const failing = instances.filter(({ isAlive, queueErrorSince }) => isAlive && ageOf(queueErrorSince, now) > PASSING_MS);
  return [...groupBy(failing, ({ queueError }) => queueError ?? '')].map(([error, alike]) => ({
    kind: 'queue-error',
    apart: withoutNumbers(error),
    since: earliest(alike.map(({ queueErrorSince }) => queueErrorSince)),
    needsYou: true,
    title: `${count(alike.length, 'process', 'processes')} cannot use the queue, for ${formatDuration(Math.max(...alike.map(({ queueErrorSince }) => ageOf(queueErrorSince, now))))}`,
    why: [error],
    next: ['loads continue by themselves as soon as it works; "searchmill check" tests it'],
  }));
}

function hasWrongClock({ isAlive, clockAheadS }: KnownInstance): boolean {
  return isAlive && Math.abs(clockAheadS ?? 0) > MAX_CLOCK_OFF_S;
}

function describeClock({ id, host, pid, role, clockAheadS }: KnownInstance): FoundProblem<'clock-wrong'> {
  const ahead = clockAheadS ?? 0;
  const isPlanning = role !== 'worker';
  const plans = ahead > 0 ? 'it plans nothing until they agree' : 'weeks end that much later for it, so it plans late';
  return {
    kind: 'clock-wrong',
    apart: id,
    needsYou: true,
    title: `the clock of ${host} is ${formatDuration(Math.abs(ahead) * SECOND)} ${ahead > 0 ? 'ahead of' : 'behind'} the database's, says process ${pid} there`,
    why: isPlanning ? [plans] : ['calls that are signed with the time may be refused'],
    next: ['correct it, and synchronise both (NTP); "searchmill check" compares them'],
  };
}

/** Failing rounds, one problem per round and error. Processes with a wrong clock or a queue error are left out: those explain it. */
function describeFailingRounds({ instances }: Status, now: Date): FoundProblem<'rounds-failing'>[] {
  const failing = instances
    .filter((instance) => instance.isAlive && instance.queueError === null && !hasWrongClock(instance))
    .flatMap(({ failingRounds }) =>
      (failingRounds ?? []).filter(({ name }) => name !== RELOADING).map((round) => ({ ...round, since: new Date(round.since) })),
    )
    .filter(({ since }) => ageOf(since, now) > PASSING_ROUND_MS);
  return [...groupBy(failing, ({ name, why }) => JSON.stringify([name, withoutNumbers(why)])).values()].flatMap((alike) => {
    const [first] = alike;
    if (!first) return [];
    const since = earliest(alike.map((each) => each.since));
    return [
      {
        kind: 'rounds-failing',
        apart: `${first.name} ${withoutNumbers(first.why)}`,
        since,
        needsYou: true,
        title: `${first.what}, for ${formatDuration(ageOf(since ?? null, now))}, in ${count(alike.length, 'process', 'processes')}`,
        why: [first.why],
        next: ['retried automatically; the log of the process has details'],
      },
    ];
  });
}

/** Refused reloads, one problem per reason. The file is as it was written, so nothing passes by itself. */
function describeRefusedReloads({ instances }: Status, now: Date): FoundProblem<'reload-refused'>[] {
  const refused = instances
    .filter(({ isAlive }) => isAlive)
    .flatMap(({ host, pid, failingRounds }) =>
      (failingRounds ?? []).flatMap((round) => (round.name === RELOADING ? [{ ...round, host, pid, since: new Date(round.since) }] : [])),
    );
  return [...groupBy(refused, ({ why }) => why).values()].flatMap((alike): FoundProblem<'reload-refused'>[] => {
    const [first] = alike;
    if (!first) return [];
    const since = earliest(alike.map((each) => each.since));
    const who = alike.length === 1 ? `process ${first.pid} on ${first.host} works` : `${count(alike.length, 'process', 'processes')} work`;
    const lines = first.why.split('\n');
    const more = lines.length - MAX_MISTAKES;
    return [
      {
        kind: 'reload-refused',
        apart: withoutNumbers(lines.at(-1) ?? ''),
        since,
        needsYou: true,
        title: `${who} with the previous configuration: the new one was refused, ${ago(since, now)}`,
        why: [...lines.slice(0, MAX_MISTAKES), ...(more > 0 ? [`and ${count(more, 'more line')}`] : [])],
        next: ['searchmill check   names all mistakes of the file as it is now', `then ${stepOfReload()}`],
      },
    ];
  });
}

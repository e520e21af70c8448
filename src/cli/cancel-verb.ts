// searchmill cancel: cancels loads that are planned or running.
import { systemClock } from '../core/clock.ts';
import { count } from '../core/numbers.ts';
import { until } from '../core/relative-time.ts';
import { formatWindow, type IsoDate, windowOf } from '../core/weeks.ts';
import { LONGEST_REASON } from '../ledger/actions.ts';
import { cancelLoads } from '../ledger/cancel.ts';
import { type KnownJob, type LiveExecution, readCoverage, readJobs, readLiveExecutions } from '../ledger/coverage.ts';
import { LIVE_STATES, type LiveState } from '../ledger/states.ts';
import { nextTick } from '../pipeline/expected-weeks.ts';
import type { Pool } from '../postgres/pool.ts';
import { actorOfProcess, parseReason } from './actor.ts';
import { parseDate } from './arguments.ts';
import { requireKnownJob, requireSpan } from './choose-jobs.ts';
import { printJson, type Terminal } from './terminal.ts';
import { Verb } from './verb.ts';
import { withLedger } from './with-ledger.ts';

type Options = Readonly<{ from?: IsoDate; to?: IsoDate; reason?: string; json?: boolean }>;

export function cancelVerb(terminal: Terminal): Verb {
  return new Verb('cancel')
    .description('cancel loads of a job that are planned or running')
    .argument('<job>', 'the job')
    .option('--from <date>', 'only windows that overlap this range: its first day', parseDate)
    .option('--to <date>', 'last day of the range', parseDate)
    .option('--reason <text>', `why, for history; at most ${LONGEST_REASON} characters`, parseReason)
    .option('--json', 'as JSON')
    .more(`Their rows are dropped; published rows stay. Weeks that the job
expects are planned again when its schedule next fires, others are not. Held
loads are left alone: "searchmill discard" drops those.

Examples:
  searchmill cancel acme-rankings
  searchmill cancel acme-rankings --from 2023-01-01 --to 2025-12-31`)
    .action((name: string, options: Options, command: Verb) =>
      withLedger(terminal, command, async (pool) => {
        const { from, to } = options;
        requireSpan({ from, to });
        const jobs = await readJobs(pool);
        requireKnownJob(jobs, name);
        const before = await readLiveExecutions(pool, name);
        const ended = await cancelLoads(pool, name, { from, to }, actorOfProcess(options.reason));
        const cancelled = ended.map(({ id, state }) => ({ id, state, load: before.find((load) => load.id === id) }));
        const touches = ({ windowStart, windowEnd }: LiveExecution): boolean =>
          (from === undefined || windowEnd >= from) && (to === undefined || windowStart <= to);
        const left = (await readLiveExecutions(pool, name)).filter(touches);
        const weeks = await sortWeeks(pool, name, new Set(ended.map(({ id }) => id)));
        const job = jobs.find((known) => known.name === name);
        const nextAt = job?.isEnabled && job.removedAt === null ? nextTick({ schedule: job }, systemClock.now()) : undefined;
        if (!options.json) return describe(terminal, name, job, { cancelled, left, weeks, nextAt });
        printJson(terminal, {
          job: name,
          cancelled: cancelled.map(({ id, state, load }) => ({ ...loadAsJson(id, load), was: state })),
          left: left.map((load) => ({ ...loadAsJson(load.id, load), state: load.state })),
          weeks,
          nextTick: nextAt ?? null,
        });
      }),
    );
}

function loadAsJson(execution: number, load: LiveExecution | undefined): object {
  return { execution, slice: load?.sliceId ?? null, from: load?.windowStart ?? null, to: load?.windowEnd ?? null };
}

/** What happens to the weeks of cancelled loads. */
type Weeks = Readonly<{ plannedAgain: number; published: number; notPlannedAgain: number }>;

async function sortWeeks(pool: Pool, job: string, executions: ReadonlySet<number>): Promise<Weeks> {
  const weeks = (await readCoverage(pool, job)).filter(({ executionId }) => executionId !== null && executions.has(executionId));
  return {
    plannedAgain: weeks.filter(({ state, isExpected }) => state === 'missing' && isExpected).length,
    published: weeks.filter(({ state }) => state === 'published').length,
    notPlannedAgain: weeks.filter(({ state, isExpected }) => state === 'missing' && !isExpected).length,
  };
}

type Outcome = Readonly<{
  cancelled: readonly Readonly<{ state: LiveState }>[];
  left: readonly LiveExecution[];
  weeks: Weeks;
  nextAt: Date | undefined;
}>;

function describe(terminal: Terminal, name: string, job: KnownJob | undefined, { cancelled, left, weeks, nextAt }: Outcome): void {
  const states = LIVE_STATES.flatMap((state) => {
    const amount = cancelled.filter((each) => each.state === state).length;
    return amount === 0 ? [] : [`${amount} ${state === 'submitting' ? 'being submitted' : state.replace('_', ' ')}`];
  });
  const ended = `Cancelled ${count(cancelled.length, 'load')} of ${name}: ${states.join(', ')}.`;
  terminal.print(cancelled.length === 0 ? `${name} has nothing to cancel.` : ended);
  if (weeks.plannedAgain > 0) {
    const again = nextAt
      ? `: planned again when the schedule fires, ${until(nextAt, systemClock.now())}, or now by "searchmill run ${name}".`
      : '; nothing plans them, since the job is disabled or no longer configured.';
    terminal.print(`${count(weeks.plannedAgain, 'expected week')} missing${again}`);
  }
  if (weeks.published > 0) terminal.print(`${count(weeks.published, 'week')} published before stay unchanged.`);
  const { notPlannedAgain } = weeks;
  const before = `from before ${job?.since ?? 'what the job expects'} ${notPlannedAgain === 1 ? 'is' : 'are'}`;
  if (notPlannedAgain > 0) terminal.print(`${count(notPlannedAgain, 'week')} ${before} not planned again.`);
  for (const load of left) {
    const why =
      load.state === 'held'
        ? `is held and was left alone; "searchmill discard ${load.sliceId}" drops it`
        : 'was just being published and was left alone';
    terminal.print(`${formatWindow(windowOf(load))} ${why}.`);
  }
}

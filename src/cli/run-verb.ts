// searchmill run and backfill: load now, in the foreground.
import { Option } from 'commander';
import type { Job } from '../config/settings.ts';
import { systemClock } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import { count } from '../core/numbers.ts';
import { readCoverage, readEmptyWeeks } from '../ledger/coverage.ts';
import { expectNow, newestWeekAt, refuseUnkept } from '../pipeline/expected-weeks.ts';
import { chooseBackfill, choosePlan } from '../pipeline/plan.ts';
import { createPool } from '../postgres/pool.ts';
import { parseDate } from './arguments.ts';
import { chooseJobs, chooseWeeks, type Span } from './choose-jobs.ts';
import { describeRemovals, previewExpiry, removalsAsJson } from './expiry-preview.ts';
import { type Choose, loadsAsJson, patienceOf, planAndWait, withInstance } from './foreground.ts';
import { summarizeLoads } from './load-summary.ts';
import { refuseIdle, sortOutIdle } from './loadable-jobs.ts';
import { describeNothing } from './nothing-to-do.ts';
import { outlast } from './outlast.ts';
import { chooseBySchedule, describeMinutes, describePlan, type PlanPreview, planAsJson, previewPlan } from './plan-preview.ts';
import { requireMigrated } from './require-migrated.ts';
import { EXIT, type GlobalOptions, printJson, readConfig, readEnvironment, requireDatabase, type Terminal } from './terminal.ts';
import { Verb } from './verb.ts';

type LoadOptions = GlobalOptions &
  Span &
  Readonly<{ reload?: boolean; stale?: boolean; approve?: boolean; scheduled?: boolean; dryRun?: boolean; yes?: boolean; json?: boolean }>;

/** From this number of loads on, or if published weeks are replaced, a person must confirm before a span of weeks is loaded. */
const MANY_LOADS = 50;

const DRY_RUN = 'only show what would be loaded and what it costs';

export function runVerb(terminal: Terminal, setExitCode: (code: number) => void): Verb {
  return new Verb('run')
    .description('load what is missing now, and exit when it is published')
    .argument('[job...]', 'jobs; default: all')
    .option('--week <date>', 'only the week that contains this date', parseDate)
    .option('--from <date>', 'only weeks from this date', parseDate)
    .option('--to <date>', 'only weeks to this date', parseDate)
    .option('--reload', 'also weeks that are already published')
    .option('--scheduled', 'only what a start would load: weeks count as over when the schedule has fired')
    .option('--dry-run', DRY_RUN)
    .option('--yes', 'do not ask before a large span, or one that replaces published weeks')
    .option('--json', 'as JSON')
    .more(`Without dates: every expected week that is missing or has failed, and the
lookback when the schedule has fired since it was last read. Doing it twice
loads nothing twice. Exits with 1 when a load failed or is held.

--dry-run shows the windows, the submits and the minutes that they take under
the limits, and how many published weeks and rows are replaced. It writes
nothing to the ledger and spends no call. Without dates it also shows which
partitions keep_weeks will remove, with their rows and the time, and which it
leaves because Searchmill did not create them. "plan" is short for
"run --dry-run --scheduled".

Examples:
  searchmill run                                    what is missing, all jobs
  searchmill run --dry-run                          what that would load
  searchmill run acme-rankings --week 2026-11-08    one week of one job
  searchmill run --from 2026-09-06 --to 2026-10-31 --reload`)
    .action(async (names: string[], _: unknown, command: Verb) => {
      const options = command.optsWithGlobals<LoadOptions>();
      if (options.reload && !options.week && !options.from)
        throw new ConfigurationError('--reload needs --week or --from and --to, so that not everything is loaded again by accident');
      if (options.scheduled && isSpan(options)) throw new ConfigurationError('--scheduled is for runs without dates');
      setExitCode(await load(terminal, options, names));
    });
}

export function backfillVerb(terminal: Terminal, setExitCode: (code: number) => void): Verb {
  return new Verb('backfill')
    .description('load past weeks, also from before "since", after everything more urgent')
    .argument('<job...>', 'jobs')
    .addOption(new Option('--from <date>', 'first week, by any of its dates').argParser(parseDate).makeOptionMandatory())
    .addOption(new Option('--to <date>', 'last week, by any of its dates').argParser(parseDate).makeOptionMandatory())
    .option('--reload', 'also weeks that are already published')
    .option('--stale', 'also published weeks that were asked for with other filters')
    .option('--approve', 'also publish weeks with fewer rows than before; a week without rows is still held')
    .option('--dry-run', DRY_RUN)
    .option('--yes', 'do not ask before a large span, or one that replaces published weeks')
    .option('--json', 'as JSON')
    .more(`Weeks that are published are left alone without --reload or --stale. Exits with
1 when a load failed or is held.

A week with less than min_keep of the rows that are published is held, for
"searchmill approve". If filters were narrowed on purpose, --approve approves
the weeks of this backfill in advance, as long as the filters stay the same.
A week without any row is still held, and so is one with other objections.

Examples:
  searchmill backfill acme-rankings --from 2025-01-05 --to 2025-12-27
  searchmill backfill acme-rankings --from 2026-01-01 --to 2026-06-30 --stale --approve`)
    .action(async (names: string[], _: unknown, command: Verb) => {
      setExitCode(await load(terminal, command.optsWithGlobals<LoadOptions>(), names));
    });
}

/** Loads `names`, or shows what would be loaded, and returns the exit code. Throws ConfigurationError, StoreError. */
export async function load(terminal: Terminal, options: LoadOptions, names: readonly string[]): Promise<number> {
  const environment = readEnvironment(terminal, options);
  const config = readConfig(terminal, environment);
  const chosen = chooseJobs(config, names);
  const choices = new Map(chosen.map((job) => [job.name, chooseLoads(job, options)]));
  const choose: Choose = (job) => choices.get(job.name) ?? chooseLoads(job, options);
  await using pool = createPool(requireDatabase(environment), { applicationName: 'searchmill run', max: 20 });
  await requireMigrated(pool);
  const { loadable: jobs, idle } = await sortOutIdle(pool, chosen);
  if (options.dryRun) {
    const plan = await previewPlan(pool, config, chosen, choose);
    const expired = isSpan(options) ? undefined : await previewExpiry(pool, config, chosen);
    if (options.json) printJson(terminal, { ...planAsJson(plan), ...(expired && removalsAsJson(expired)) });
    else terminal.print([describePlan(plan), ...describeRemovals(expired ?? [])].join('\n'));
    return EXIT.done;
  }
  if (names.length > 0) refuseIdle(idle);
  for (const { job, because } of idle) terminal.warn(`note: ${job} ${because}, and is left out`);
  if (isSpan(options) && !options.yes && !(await mayGoOn(terminal, options, await previewPlan(pool, config, jobs, choose)))) {
    terminal.warn('Nothing was planned.');
    return EXIT.someFailed;
  }
  // Progress would go to the same stream as the object.
  const shown = options.json ? { ...terminal, isInteractive: false } : terminal;
  const slices = await withInstance({ terminal: shown, environment, config, pool }, (started) => planAndWait(shown, started, jobs, choose));
  const published = slices.filter(({ state }) => state === 'published').map(({ sliceId }) => sliceId);
  const emptyWeeks = await outlast(() => readEmptyWeeks(pool, { slices: published }), patienceOf(terminal));
  const coverage = slices.length > 0 ? [] : await outlast(() => readCoverage(pool), patienceOf(terminal));
  const nothing = describeNothing(jobs, coverage, (job) => chooseWeeks(job, options), idle.length > 0);
  if (options.json) printJson(terminal, loadsAsJson(slices, idle, emptyWeeks));
  else summarizeLoads(terminal, slices, emptyWeeks, nothing.text);
  return published.length === slices.length && !nothing.hasHeld ? EXIT.done : EXIT.someFailed;
}

/** Asks a person; if nobody can answer, prints what is planned and continues: a script must not hang. */
async function mayGoOn(terminal: Terminal, { json }: LoadOptions, { totals, budgets }: PlanPreview): Promise<boolean> {
  if (totals.submits <= MANY_LOADS && totals.replacedWeeks === 0) return true;
  const replaced =
    totals.replacedWeeks === 0
      ? ''
      : `, which ${totals.submits === 1 ? 'replaces' : 'replace'} ${count(totals.replacedWeeks, 'published week')} of ${count(totals.replacedRows, 'row')}`;
  const what = `This plans ${count(totals.submits, 'load')}${replaced}: ${describeMinutes(budgets)}.`;
  if (terminal.confirm && !json) return terminal.confirm(`${what} Continue? [y/N] `);
  terminal.warn(`note: ${what} "searchmill cancel" cancels loads.`);
  return true;
}

const isSpan = ({ from, to, week }: Span): boolean => [from, to, week].some((date) => date !== undefined);

function chooseLoads(job: Job, options: LoadOptions): ReturnType<Choose> {
  if (options.scheduled) return chooseBySchedule(job);
  const newest = newestWeekAt(job, systemClock.now());
  const weeks = chooseWeeks(job, options);
  const unfinished = weeks?.find((week) => week > newest);
  if (unfinished !== undefined)
    throw new ConfigurationError(`the week of ${unfinished} is not over yet; the newest complete one begins on ${newest}`);
  refuseUnkept(job, weeks ?? [], systemClock.now());
  if (weeks)
    return {
      expectedThrough: undefined,
      choose: (slices) =>
        chooseBackfill(job, slices, {
          weeks,
          mode: options.reload ? 'all' : options.stale ? 'stale' : 'missing',
          mayShrink: options.approve === true,
        }),
    };
  const expectation = expectNow(job, systemClock.now());
  return { expectedThrough: expectation.weeks.at(-1), choose: (slices) => choosePlan(job, expectation, slices) };
}

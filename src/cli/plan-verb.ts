// searchmill plan: what a start would load now, without loading it.
import { systemClock } from '../core/clock.ts';
import { addDays } from '../core/weeks.ts';
import { describeKept } from '../pipeline/expected-weeks.ts';
import { EXPIRY_GRACE_MS, type ExpiredPartition, findExpired } from '../warehouse/expiry.ts';
import { chooseJobs } from './choose-jobs.ts';
import { chooseBySchedule, describePlan, planAsJson, previewPlan } from './plan-preview.ts';
import { formatTable } from './table.ts';
import { printJson, readConfig, type Terminal } from './terminal.ts';
import { Verb } from './verb.ts';
import { withLedger } from './with-ledger.ts';

export function planVerb(terminal: Terminal): Verb {
  return new Verb('plan')
    .description('show what a start would load now, and what it costs; loads nothing')
    .argument('[job...]', 'jobs; all of them when none is named')
    .option('--json', 'as JSON, with every window')
    .more(`Shows the windows, the submits and the minutes that they take under the limits,
and how many published weeks and rows are replaced. Writes nothing to the ledger
and spends no call. A new week is shown from the time its schedule fires; "run"
does not wait for that: "run --dry-run" and "backfill --dry-run" show theirs.
Partitions that keep_weeks removes are shown with their rows and from when on.

Examples:
  searchmill plan
  searchmill plan acme-rankings --json`)
    .action((names: string[], options: { json?: boolean }, command: Verb) =>
      withLedger(terminal, command, async (pool, environment) => {
        const config = readConfig(terminal, environment);
        const jobs = chooseJobs(config, names);
        const plan = await previewPlan(pool, config, jobs, chooseBySchedule);
        const chosen = new Set(jobs.map(({ name }) => name));
        const kept = describeKept(config.jobs, systemClock.now());
        const removals = (await findExpired(pool, kept)).filter((expired) => expired.jobs.some((job) => chosen.has(job)));
        if (options.json) printJson(terminal, { ...planAsJson(plan), removals: removals.map(removalAsJson) });
        else terminal.print([describePlan(plan), ...describeRemovals(removals)].join('\n'));
      }),
    );
}

function describeRemovals(removals: readonly ExpiredPartition[]): string[] {
  if (removals.length === 0) return [];
  const rows = removals.map(({ partition, weeks, firstWeek, lastWeek, rows, jobs, notedAt }) => [
    `search_partitions.${partition}`,
    weeks,
    `${firstWeek}..${addDays(lastWeek, 6)}`,
    rows,
    jobs.join(', '),
    notedAt === null ? 'a day after the service sees it' : `${goesAt(notedAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`,
  ]);
  const header = ['partition', 'weeks', 'days', 'rows', 'jobs', 'from'];
  return ['', 'keep_weeks removes, unless you raise it before:', formatTable(header, rows)];
}

const goesAt = (notedAt: Date): Date => new Date(notedAt.getTime() + EXPIRY_GRACE_MS);

const removalAsJson = ({ partition, notedAt, sliceIds: _, ...removal }: ExpiredPartition) => ({
  partition: `search_partitions.${partition}`,
  ...removal,
  goesAt: notedAt && goesAt(notedAt),
});

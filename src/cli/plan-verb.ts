// searchmill plan: what a start would load now, without loading it.
import { systemClock } from '../core/clock.ts';
import { addDays } from '../core/weeks.ts';
import { describeKept } from '../pipeline/expected-weeks.ts';
import { detachStatement, EXPIRY_GRACE_MS, type ExpiredMonth, findExpired, partitionOf } from '../tables/expiry.ts';
import { chooseJobs } from './choose-jobs.ts';
import { chooseBySchedule, describePlan, planAsJson, previewPlan } from './plan-preview.ts';
import { formatTable } from './table.ts';
import { printJson, readConfig, type Terminal } from './terminal.ts';
import { Verb } from './verb.ts';
import { withLedger } from './with-ledger.ts';

export function planVerb(terminal: Terminal): Verb {
  return new Verb('plan')
    .description('show what a start would load now, and what it costs; loads nothing')
    .argument('[job...]', 'jobs; default: all')
    .option('--json', 'as JSON, with every window')
    .more(`Shows the windows, the submits and the minutes that they take under the limits,
and how many published weeks and rows are replaced. Writes nothing to the ledger
and spends no call. A new week is shown from the time its schedule fires; "run"
does not wait for that: "run --dry-run" and "backfill --dry-run" show theirs.
Partitions that keep_weeks will remove are shown with their rows and the time,
as are those that it leaves because Searchmill did not create them.

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
        const expired = (await findExpired(pool, kept)).filter((month) => month.jobs.some((job) => chosen.has(job)));
        if (options.json) printJson(terminal, { ...planAsJson(plan), ...removalsAsJson(expired) });
        else terminal.print([describePlan(plan), ...describeRemovals(expired)].join('\n'));
      }),
    );
}

function describeRemovals(expired: readonly ExpiredMonth[]): string[] {
  const cellsOf = (month: ExpiredMonth) => {
    const { weeks, firstWeek, lastWeek, rows, jobs } = month;
    return [partitionOf(month), weeks, `${firstWeek}..${addDays(lastWeek, 6)}`, rows, jobs.join(', ')];
  };
  const header = ['partition', 'weeks', 'days', 'rows', 'jobs'];
  const removed = expired.filter(({ partition }) => partition !== null).map((month) => [...cellsOf(month), removalTime(month)]);
  const left = expired.filter(({ foreignPartition }) => foreignPartition !== null);
  return [
    ...(removed.length > 0 ? ['', 'keep_weeks will remove, unless you raise it before:', formatTable([...header, 'from'], removed)] : []),
    ...(left.length > 0
      ? [
          '',
          'keep_weeks leaves partitions that Searchmill did not create; detach them yourself if their other weeks may go, too:',
          formatTable(header, left.map(cellsOf)),
          ...new Set(left.map((month) => `${detachStatement(month)};`)),
        ]
      : []),
  ];
}

const removalTime = ({ notedAt }: ExpiredMonth): string =>
  notedAt === null ? 'a day after the service sees it' : `${goesAt(notedAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

const goesAt = (notedAt: Date): Date => new Date(notedAt.getTime() + EXPIRY_GRACE_MS);

const monthAsJson = (month: ExpiredMonth) => {
  const { partition: _, foreignPartition: __, sliceIds: ___, notedAt, ...rest } = month;
  return { partition: partitionOf(month), ...rest };
};

const removalsAsJson = (expired: readonly ExpiredMonth[]) => ({
  removals: expired
    .filter(({ partition }) => partition !== null)
    .map((month) => ({ ...monthAsJson(month), goesAt: month.notedAt && goesAt(month.notedAt) })),
  leaves: expired.filter(({ foreignPartition }) => foreignPartition !== null).map(monthAsJson),
});

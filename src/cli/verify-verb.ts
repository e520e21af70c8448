// searchmill verify: are the tables as published? Names the weeks that differ, and the commands that repair them.
import { compareText } from '../core/compare-text.ts';
import { count } from '../core/numbers.ts';
import { addDays, type IsoDate } from '../core/weeks.ts';
import { readJobs } from '../ledger/coverage.ts';
import { warehouseTable } from '../tables/partitions.ts';
import { type UnlikeWeek, verifyTables } from '../tables/verification.ts';
import { parseDate } from './arguments.ts';
import { requireKnownJob } from './choose-jobs.ts';
import { formatTable } from './table.ts';
import { EXIT, printJson, type Terminal } from './terminal.ts';
import { Verb } from './verb.ts';
import { withLedger } from './with-ledger.ts';

type Options = Readonly<{ from?: IsoDate; to?: IsoDate; deep?: boolean; json?: boolean }>;

export function verifyVerb(terminal: Terminal, setExitCode: (code: number) => void): Verb {
  return new Verb('verify')
    .description('compare the tables with what was published; exits with 1 when they differ')
    .argument('[job]', 'one job; default: all configured ones')
    .option('--from <date>', 'only weeks that end on this date or later', parseDate)
    .option('--to <date>', 'only weeks that begin on this date or before', parseDate)
    .option('--deep', 'the content of all rows, too: reads each of them')
    .option('--json', 'as JSON')
    .more(`Finds rows that were deleted, added or, with --deep, altered by hand. Loads
continue meanwhile. A running service counts the rows by itself: those of the
newest weeks every hour, all within a day.

Examples:
  searchmill verify
  searchmill verify acme-rankings --from 2026-11-01 --deep`)
    .action((job: string | undefined, { from, to, deep = false, json }: Options, command: Verb) =>
      withLedger(terminal, command, async (pool) => {
        if (job !== undefined) requireKnownJob(await readJobs(pool), job);
        const options = { isDeep: deep, signal: terminal.stopping, onPlace: () => undefined };
        const { weeks, differences: found } = await verifyTables(pool, { job, from, to }, options);
        const differences = found.toSorted((a, b) => compareText(a.job ?? '', b.job ?? '') || compareText(a.week, b.week));
        if (differences.length > 0) setExitCode(EXIT.someFailed);
        const remedies = findRemedies(differences);
        if (json) return printJson(terminal, { weeks, isDeep: deep, differences, remedies });
        if (differences.length === 0)
          return terminal.print(
            `The tables have ${deep ? 'what' : 'as many rows as'} ${count(weeks, 'published week')} of jobs should have.`,
          );
        terminal.print(formatTable(['job', 'table', 'week', 'published', 'in the table', ''], differences.map(describeWeek)));
        terminal.print(
          `\n${count(differences.length, 'week')} of ${weeks} differ. These commands repair them:\n${remedies.map((line) => `  ${line}`).join('\n')}`,
        );
      }),
    );
}

function describeWeek({ job, dataset, week, expected, found, isAltered }: UnlikeWeek): (string | number)[] {
  return [job ?? 'of no load', `search.${dataset}`, week, expected, found, isAltered ? 'other content' : ''];
}

/**
 * The commands that repair the tables, from differences by job and week: SQL for rows that no load would replace, since they belong to no load or do not match
 * their key; then for each job a command for each run of consecutive weeks.
 */
function findRemedies(differences: readonly UnlikeWeek[]): string[] {
  const deletions = differences.flatMap(({ job, isMisnamed, dataset, accountId, week, slices }) => {
    if (job !== null && !isMisnamed) return [];
    const days = `time_period_start BETWEEN '${week}' AND '${addDays(week, job === null ? 0 : 6)}'`;
    return [
      `DELETE FROM ${warehouseTable({ name: dataset })} WHERE account_id = ${accountId} AND ${days} AND _slice IN (${slices.join(', ')});`,
    ];
  });
  const spans: { job: string; from: IsoDate; to: IsoDate }[] = [];
  for (const { job, week } of differences) {
    if (job === null) continue;
    const last = spans.at(-1);
    if (last?.job === job && week <= addDays(last.to, 7)) last.to = week;
    else spans.push({ job, from: week, to: week });
  }
  return [...deletions, ...spans.map(({ job, from, to }) => `searchmill backfill ${job} --from ${from} --to ${to} --reload`)];
}

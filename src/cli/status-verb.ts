// searchmill status: the ledger's answer to "what is missing, since when, why, and what happens next".
import { Command } from 'commander';
import { addDays } from '../core/weeks.ts';
import {
  type CoveredWeek,
  type KnownConnection,
  type KnownJob,
  type LiveExecution,
  readConnections,
  readCoverage,
  readJobs,
  readLiveExecutions,
} from '../warehouse/coverage.ts';
import { createPool } from '../warehouse/pool.ts';
import { requireMigrated } from './start-verb.ts';
import { count, formatTable } from './table.ts';
import { type GlobalOptions, readEnvironment, requireDatabase, type Terminal } from './terminal.ts';

export type Status = Readonly<{
  jobs: readonly KnownJob[];
  coverage: readonly CoveredWeek[];
  live: readonly LiveExecution[];
  connections: readonly KnownConnection[];
}>;

/** Weeks of trouble listed per job; the rest is counted. */
const MOST_LISTED = 10;

export function statusVerb(terminal: Terminal): Command {
  return new Command('status')
    .description('show coverage, what is due, what failed and why')
    .argument('[job]', 'one job; all of them when none is named')
    .option('--json', 'as JSON, with every week')
    .addHelpText(
      'after',
      '\nReads the ledger only; works while the service is down.\n\nExamples:\n  searchmill status\n  searchmill status acme-rankings --json',
    )
    .action(async (job: string | undefined, options: { json?: boolean }, command: Command) => {
      const environment = readEnvironment(terminal, command.optsWithGlobals<GlobalOptions>());
      const pool = createPool(requireDatabase(environment), { applicationName: 'searchmill status', max: 4 });
      try {
        await requireMigrated(pool);
        const [jobs, coverage, live, connections] = await Promise.all([
          readJobs(pool, job),
          readCoverage(pool, job),
          readLiveExecutions(pool, job),
          readConnections(pool),
        ]);
        const status: Status = { jobs, coverage, live, connections };
        terminal.print(options.json ? JSON.stringify(status, undefined, 2) : describeStatus(status, new Date()));
      } finally {
        await pool.end();
      }
    });
}

/** The status as a person reads it: a table of jobs, then what is under way, then what is wrong. */
export function describeStatus(status: Status, now: Date): string {
  if (status.jobs.length === 0)
    return 'The ledger knows no such job yet; "searchmill run" or "searchmill start" plans the configured ones.';
  return [
    formatTable(
      ['job', 'dataset', 'weeks', 'published', 'running', 'held', 'failed', 'missing', 'newest', 'last published'],
      status.jobs
        .filter((job) => job.removedAt === null)
        .map((job) =>
          summarizeJob(
            job,
            status.coverage.filter((week) => week.job === job.name && week.isExpected),
            now,
          ),
        ),
    ),
    ...section(
      'Under way',
      status.live.filter((execution) => execution.state !== 'held').map((execution) => describeLive(execution, now)),
    ),
    ...section(
      'Held: the audit objects, the rows published before stay',
      status.live.filter((execution) => execution.state === 'held').map((execution) => describeHeld(execution, status.coverage)),
    ),
    ...section(
      'Failed',
      status.coverage
        .filter((week) => week.state === 'failed')
        .map(
          (week) =>
            `${week.job} ${week.week}..${addDays(week.week, 6)}: ${week.detail ?? 'no reason was written down'}; tried again when the schedule fires, or by "searchmill run"`,
        ),
    ),
    ...section(
      'Missing, not planned yet',
      status.coverage.filter((week) => week.state === 'missing').map((week) => `${week.job} ${week.week}..${addDays(week.week, 6)}`),
    ),
    ...section(
      'Connections in trouble',
      status.connections.flatMap((connection) => describeTrouble(connection, now)),
    ),
    ...section(
      'No longer configured, rows kept',
      status.jobs.filter((job) => job.removedAt !== null).map((job) => `${job.name} (${job.dataset}), removed ${ago(job.removedAt, now)}`),
    ),
  ].join('\n');
}

function summarizeJob(job: KnownJob, weeks: readonly CoveredWeek[], now: Date): (string | number | null)[] {
  const inState = (state: CoveredWeek['state']): number => weeks.filter((week) => week.state === state).length;
  const published = weeks.flatMap((week) => (week.publishedAt ? [week.publishedAt.getTime()] : []));
  return [
    job.name,
    job.dataset,
    weeks.length,
    inState('published'),
    inState('running'),
    inState('held'),
    inState('failed'),
    inState('missing'),
    job.expectedThrough,
    published.length === 0 ? 'never' : ago(new Date(Math.max(...published)), now),
  ];
}

function section(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const more = lines.length - MOST_LISTED;
  return ['', `${title}:`, ...lines.slice(0, MOST_LISTED).map((line) => `  ${line}`), ...(more > 0 ? [`  and ${more} more`] : [])];
}

function describeLive(execution: LiveExecution, now: Date): string {
  const rows =
    execution.pages === 0
      ? ''
      : `, ${count(execution.rowsReceived, 'row')}${execution.totalRowCount === null ? '' : ` of ${Number(execution.totalRowCount).toLocaleString('en-US')}`} in ${count(execution.pages, 'page')}`;
  const trouble = execution.errorsInRow > 0 ? `; ${count(execution.errorsInRow, 'error')} in a row, last: ${execution.lastError}` : '';
  const waiting = execution.waitingFor ? `; waits for ${execution.waitingFor}` : '';
  const next = execution.isLeased
    ? `; ${execution.leaseOwner} is on it`
    : execution.dueAt
      ? `; next look ${until(execution.dueAt, now)}`
      : '';
  return `${execution.job} ${execution.windowStart}..${execution.windowEnd} ${execution.state.replace('_', ' ')} for ${duration(now.getTime() - execution.stateSince.getTime())} (${execution.reason.replace('_', '-')})${rows}${waiting}${trouble}${next}`;
}

function describeHeld(execution: LiveExecution, coverage: readonly CoveredWeek[]): string {
  const slice = coverage.find((week) => week.executionId === execution.id)?.sliceId;
  const why = (execution.objections ?? []).map((objection) => objection.message).join('; ');
  return `slice ${slice}: ${execution.job} ${execution.windowStart}..${execution.windowEnd}: ${why}; "searchmill approve ${slice}" or "searchmill discard ${slice}"`;
}

function describeTrouble(connection: KnownConnection, now: Date): string[] {
  const lines: string[] = [];
  if (connection.unauthorizedSince) {
    lines.push(
      `${connection.name}: the service has refused its credential for ${duration(now.getTime() - connection.unauthorizedSince.getTime())}; correct it and restart, or wait for the probe ${until(connection.probeAt, now)}`,
    );
  }
  if (connection.pausedUntil && connection.pausedUntil > now)
    lines.push(`${connection.name}: the service said 429; paused, goes on ${until(connection.pausedUntil, now)}`);
  return lines;
}

function ago(at: Date | null, now: Date): string {
  return at === null ? 'never' : `${duration(now.getTime() - at.getTime())} ago`;
}

function until(at: Date | null, now: Date): string {
  if (at === null) return 'soon';
  return at <= now ? 'now' : `in ${duration(at.getTime() - now.getTime())}`;
}

function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`;
}

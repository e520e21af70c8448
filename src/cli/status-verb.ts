// searchmill status: the ledger's answer to "what is missing, since when, why, and what happens next".
import { systemClock } from '../core/clock.ts';
import { nextTick } from '../pipeline/expected-weeks.ts';
import { readFailingReports } from '../reports/failures.ts';
import {
  type KnownJob,
  readConnections,
  readCoverage,
  readDrift,
  readEmptyWeeks,
  readJobs,
  readLiveExecutions,
  readUnknownSubmits,
  readWeekGroups,
} from '../warehouse/coverage.ts';
import { readLastLoads } from '../warehouse/history.ts';
import { readInstances } from '../warehouse/instances.ts';
import { createPool } from '../warehouse/pool.ts';
import { listQuarantine } from '../warehouse/quarantine.ts';
import { requireKnownJob } from './choose-jobs.ts';
import { paintFor } from './paint.ts';
import { findProblems } from './problems.ts';
import { requireMigrated } from './require-migrated.ts';
import type { Status } from './status.ts';
import { describeStatus } from './status-report.ts';
import { type GlobalOptions, printJson, readEnvironment, requireDatabase, type Terminal } from './terminal.ts';
import { Verb } from './verb.ts';

/** Published loads of which --json tells what they took. */
const MAX_LOADS = 50;
/** One for the coverage, one for all the rest: each more costs more to be made than it saves. */
const MAX_CONNECTIONS = 2;

export function statusVerb(terminal: Terminal): Verb {
  return new Verb('status')
    .description('show coverage, what is due, what failed and why')
    .argument('[job]', 'one job, week by week; all of them when none is named')
    .option('--json', 'as JSON, with every week and what the last loads took')
    .more(`Reads the ledger only: works while the service is down, and on any machine that
reaches the database.

Examples:
  searchmill status
  searchmill status acme-rankings
  searchmill status --json | jq '.coverage[] | select(.state != "published")'`)
    .action(async (job: string | undefined, options: { json?: boolean }, command: Verb) => {
      const environment = readEnvironment(terminal, command.optsWithGlobals<GlobalOptions>());
      await using pool = createPool(requireDatabase(environment), { applicationName: 'searchmill status', max: MAX_CONNECTIONS });
      // Asked for at once: half of the time would go by waiting for answers.
      const asked = Promise.all([
        options.json ? readJobs(pool) : readJobs(pool).then(warmUpSchedules),
        readWeekGroups(pool, job),
        options.json || job !== undefined ? readCoverage(pool, job) : [],
        readLiveExecutions(pool, job),
        options.json ? readLastLoads(pool, MAX_LOADS, job) : [],
        readConnections(pool),
        readInstances(pool),
        readDrift(pool, job),
        listQuarantine(pool, job),
        readEmptyWeeks(pool, { job }),
        readUnknownSubmits(pool, job),
        readFailingReports(pool),
      ]);
      asked.catch(() => undefined);
      await requireMigrated(pool);
      const [all, coverage, weeks, live, loads, connections, instances, drift, quarantine, emptyWeeks, unknownSubmits, failing] =
        await asked;
      if (job !== undefined) requireKnownJob(all, job);
      const jobs = all.filter(({ name }) => job === undefined || name === job);
      const used = connections.filter(({ name }) => jobs.some(({ connection }) => connection === name));
      const now = systemClock.now();
      const accounts = new Set(jobs.map(({ accountId }) => String(accountId)));
      const failingReports = failing.filter(({ accountId }) => job === undefined || accounts.has(accountId));
      const read = { jobs, coverage, live, connections: used, instances, drift, quarantine, emptyWeeks, unknownSubmits };
      const status: Status = { ...read, failingReports };
      if (options.json) {
        const problems = findProblems(status, now);
        return printJson(terminal, { problems, ...status, coverage: weeks, loads });
      }
      if (jobs.length === 0)
        return terminal.print('The ledger knows no job yet; "searchmill run" or "searchmill start" plans the configured ones.');
      terminal.print(describeStatus(status, { now, width: terminal.width, paint: paintFor(terminal), weeks }));
    });
}

/** The first look at any schedule loads the time zones, 24 ms: done while slower answers are under way. */
function warmUpSchedules(jobs: KnownJob[]): KnownJob[] {
  if (jobs[0]) nextTick({ schedule: jobs[0] }, systemClock.now());
  return jobs;
}

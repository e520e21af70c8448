// searchmill status: the ledger's answer to "what is missing, since when, why, and what happens next".
import { systemClock } from '../core/clock.ts';
import { readActions } from '../ledger/actions.ts';
import { readCoverage, readJobs } from '../ledger/coverage.ts';
import { readLastLoads } from '../ledger/history.ts';
import { createPool } from '../postgres/pool.ts';
import { findProblems } from '../problems/find-problems.ts';
import { findNotices } from '../problems/notices.ts';
import { readStatus } from '../problems/read-status.ts';
import { findVerdict } from '../problems/verdict.ts';
import { requireKnownJob } from './choose-jobs.ts';
import { paintFor } from './paint.ts';
import { requireMigrated } from './require-migrated.ts';
import { describeStatus } from './status-report.ts';
import { EXIT, type GlobalOptions, printJson, readEnvironment, requireDatabase, type Terminal } from './terminal.ts';
import { Verb } from './verb.ts';

/** Number of published loads whose timings --json shows. */
const MAX_LOADS = 50;
/** Number of decisions that are searched for those about the weeks shown. */
const MAX_ACTIONS = 500;
/** One connection for the coverage, one for everything else: opening another costs more than it saves. */
const MAX_CONNECTIONS = 2;

export function statusVerb(terminal: Terminal, setExitCode: (code: number) => void): Verb {
  return new Verb('status')
    .description('show coverage, what is due, what failed and why')
    .argument('[job]', 'one job, week by week; default: all')
    .option('--json', 'as JSON, with every week and the timings of the last loads')
    .option('--exit-code', 'exit with 1 when a problem needs you')
    .more(`Reads the ledger only: works while the service is down, and on any machine that
reaches the database.

Examples:
  searchmill status
  searchmill status acme-rankings
  searchmill status --exit-code >/dev/null || notify-somebody
  searchmill status --json | jq '.coverage[] | select(.state != "published")'`)
    .action(async (job: string | undefined, options: { json?: boolean; exitCode?: boolean }, command: Verb) => {
      const environment = readEnvironment(terminal, command.optsWithGlobals<GlobalOptions>());
      await using pool = createPool(requireDatabase(environment), { applicationName: 'searchmill status', max: MAX_CONNECTIONS });
      const asked = Promise.all([
        readStatus(pool, job),
        options.json || job !== undefined ? readCoverage(pool, job) : [],
        options.json ? readLastLoads(pool, MAX_LOADS, job) : [],
        job === undefined ? [] : readActions(pool, job, { maxRows: MAX_ACTIONS }),
      ]);
      asked.catch(() => undefined);
      await requireMigrated(pool);
      const [status, weeks, loads, actions] = await asked;
      if (job !== undefined && status.jobs.length === 0) requireKnownJob(await readJobs(pool), job);
      const now = systemClock.now();
      const problems = findProblems(status, now);
      if (options.exitCode && problems.some(({ needsYou }) => needsYou)) setExitCode(EXIT.someFailed);
      if (options.json) {
        const told = { verdict: findVerdict(status, problems), problems, notes: findNotices(status, now) };
        return printJson(terminal, { ...told, ...status, coverage: weeks, loads });
      }
      if (status.jobs.length === 0 && problems.length === 0)
        return terminal.print('The ledger has no jobs yet; "searchmill run" or "searchmill start" plans the configured ones.');
      terminal.print(describeStatus(status, { now, width: terminal.width, paint: paintFor(terminal), weeks, actions }));
    });
}

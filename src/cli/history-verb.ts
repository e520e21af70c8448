// searchmill history: what each load of a job changed in its table, what failed or was held, and who decided.
import type { IsoDate } from '../core/weeks.ts';
import { readJobs } from '../ledger/coverage.ts';
import { readHistory } from '../ledger/history.ts';
import { parseCount, parseDate } from './arguments.ts';
import { requireKnownJob } from './choose-jobs.ts';
import { describePast } from './past-events.ts';
import { printJson, type Terminal } from './terminal.ts';
import { Verb } from './verb.ts';
import { withLedger } from './with-ledger.ts';

type Options = Readonly<{ json?: boolean; limit: number }>;

export function historyVerb(terminal: Terminal): Verb {
  return new Verb('history')
    .description('show what each load changed, what failed or was held, and who decided')
    .argument('<job>', 'the job')
    .argument('[date]', 'only loads of the week that contains this date', parseDate)
    .option('--json', 'as JSON')
    .option('--limit <loads>', 'maximum number of lines, newest first', parseCount, 50)
    .more('Examples:\n  searchmill history acme-rankings\n  searchmill history acme-rankings 2026-11-08 --json')
    .action((job: string, day: IsoDate | undefined, options: Options, command: Verb) =>
      withLedger(terminal, command, async (pool) => {
        requireKnownJob(await readJobs(pool), job);
        const past = await readHistory(pool, job, { day, maxRows: options.limit });
        if (options.json) printJson(terminal, past);
        else if (past.length === 0)
          terminal.print(`Nothing of ${job} was published${day === undefined ? '' : ` for the week of ${day}`} yet.`);
        // When piped, lines are not wrapped, for grep.
        else terminal.print(describePast(past, terminal.isInteractive ? terminal.width : Number.POSITIVE_INFINITY));
      }),
    );
}

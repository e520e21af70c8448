// searchmill history: what each load of a job changed in its table.
import type { IsoDate } from '../core/weeks.ts';
import { readJobs } from '../warehouse/coverage.ts';
import { readHistory } from '../warehouse/history.ts';
import { parseCount, parseDate } from './arguments.ts';
import { requireKnownJob } from './choose-jobs.ts';
import { formatTable } from './table.ts';
import { printJson, type Terminal } from './terminal.ts';
import { Verb } from './verb.ts';
import { withLedger } from './with-ledger.ts';

type Options = Readonly<{ json?: boolean; limit: number }>;

/** Rows that a load changed or left. */
const COUNTED = ['inserted', 'updated', 'unchanged', 'deleted', 'quarantined'] as const;

export function historyVerb(terminal: Terminal): Verb {
  return new Verb('history')
    .description('show what each load changed: rows inserted, updated, unchanged, deleted')
    .argument('<job>', 'the job')
    .argument('[date]', 'only loads of the week that holds this date', parseDate)
    .option('--json', 'as JSON')
    .option('--limit <loads>', 'most loads shown, newest first', parseCount, 50)
    .more('Examples:\n  searchmill history acme-rankings\n  searchmill history acme-rankings 2026-11-08 --json')
    .action((job: string, day: IsoDate | undefined, options: Options, command: Verb) =>
      withLedger(terminal, command, async (pool) => {
        requireKnownJob(await readJobs(pool), job);
        const past = await readHistory(pool, job, day, options.limit);
        if (options.json) printJson(terminal, past);
        else if (past.length === 0)
          terminal.print(`Nothing of ${job} was published${day === undefined ? '' : ` for the week of ${day}`} yet.`);
        else {
          const rows = past.map(({ publishedAt, windowStart, windowEnd, reason, isApproved, ...rowCounts }) => {
            const at = publishedAt.toISOString().slice(0, 19).replace('T', ' ');
            const why = `${reason.replace('_', '-')}${isApproved ? ', approved' : ''}`;
            return [at, `${windowStart}..${windowEnd}`, why, ...COUNTED.map((name) => rowCounts[name])];
          });
          terminal.print(formatTable(['published (UTC)', 'window', 'reason', ...COUNTED], rows));
        }
      }),
    );
}

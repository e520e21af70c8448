// searchmill history: what each load of a job changed in its table, what failed or was held, and who decided.
import type { IsoDate } from '../core/weeks.ts';
import { readJobs } from '../warehouse/coverage.ts';
import { type PastEvent, readHistory } from '../warehouse/history.ts';
import { parseCount, parseDate } from './arguments.ts';
import { requireKnownJob } from './choose-jobs.ts';
import { type Cell, formatTable } from './table.ts';
import { printJson, type Terminal } from './terminal.ts';
import { Verb } from './verb.ts';
import { withLedger } from './with-ledger.ts';

type Options = Readonly<{ json?: boolean; limit: number }>;

const DONE: Readonly<Record<string, string>> = {
  approve: 'approved',
  discard: 'discarded',
  cancel: 'cancelled',
  reload: 'asked for again',
  pause: 'paused',
  resume: 'resumed',
  expire: 'removed from the table',
};
/** Rows that a load changed or left. */
const COUNTED = ['inserted', 'updated', 'unchanged', 'deleted', 'quarantined'] as const;

export function historyVerb(terminal: Terminal): Verb {
  return new Verb('history')
    .description('show what each load changed, what failed or was held, and who decided')
    .argument('<job>', 'the job')
    .argument('[date]', 'only loads of the week that holds this date', parseDate)
    .option('--json', 'as JSON')
    .option('--limit <loads>', 'most lines shown, newest first', parseCount, 50)
    .more('Examples:\n  searchmill history acme-rankings\n  searchmill history acme-rankings 2026-11-08 --json')
    .action((job: string, day: IsoDate | undefined, options: Options, command: Verb) =>
      withLedger(terminal, command, async (pool) => {
        requireKnownJob(await readJobs(pool), job);
        const past = await readHistory(pool, job, { day, maxRows: options.limit });
        if (options.json) printJson(terminal, past);
        else if (past.length === 0)
          terminal.print(`Nothing of ${job} was published${day === undefined ? '' : ` for the week of ${day}`} yet.`);
        else terminal.print(formatTable(['at (UTC)', 'window', 'what', ...COUNTED, ''], past.map(describeEvent)));
      }),
    );
}

function describeEvent(past: PastEvent): Cell[] {
  const { at, event, reason, windowStart, windowEnd, actor, detail, isApproved } = past;
  const why = reason === null ? DONE[event] : reason.replace('_', '-');
  const ending = event === 'published' ? (isApproved ? ', approved' : '') : reason === null ? '' : `, ${event.replace('_', ' ')}`;
  const what = reason === null ? `${why ?? event} by ${actor}` : `${why}${ending}`;
  return [
    at.toISOString().slice(0, 19).replace('T', ' '),
    windowStart === null ? 'all' : `${windowStart}..${windowEnd}`,
    what,
    ...COUNTED.map((name) => past[name]),
    detail ?? '',
  ];
}

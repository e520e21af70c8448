// searchmill forget: removes the rows of a job that was removed or is disabled.
import { ConfigurationError } from '../core/errors.ts';
import { count, sumOf } from '../core/numbers.ts';
import { LONGEST_REASON } from '../ledger/actions.ts';
import { readJobs } from '../ledger/coverage.ts';
import { forgetSlice, readLeftSlices } from '../publishing/forgetting.ts';
import { actorOfProcess, parseReason } from './actor.ts';
import { requireKnownJob } from './choose-jobs.ts';
import { EXIT, printJson, type Terminal } from './terminal.ts';
import { Verb } from './verb.ts';
import { withLedger } from './with-ledger.ts';

type Options = Readonly<{ yes?: boolean; reason?: string; json?: boolean }>;

export function forgetVerb(terminal: Terminal, setExitCode: (code: number) => void): Verb {
  return new Verb('forget')
    .description('remove the rows of a job that was removed or is disabled')
    .argument('<job>', 'the job, by the name it had')
    .option('--yes', 'without asking')
    .option('--reason <text>', `why, for history; at most ${LONGEST_REASON} characters`, parseReason)
    .option('--json', 'as JSON')
    .more(`A job that is taken out of the file, or disabled, keeps its rows, and figures
add them to those of other jobs. This deletes them, week by week; its history
stays. If they belong beside those of the other jobs, "acknowledge rows-left"
ends the telling, and they stay.

Examples:
  searchmill forget acme-rankings-old
  searchmill forget acme-rankings-old --yes --reason "renamed"`)
    .action((name: string, options: Options, command: Verb) =>
      withLedger(terminal, command, async (pool) => {
        const jobs = await readJobs(pool);
        requireKnownJob(jobs, name);
        const job = jobs.find((known) => known.name === name);
        if (job?.removedAt === null && job.isEnabled)
          throw new ConfigurationError(
            `job "${name}" is configured; take it out of the jobs file first, or disable it, and let a running service read that`,
          );
        const slices = await readLeftSlices(pool, name);
        const what = `${count(
          sumOf(slices, ({ rows }) => rows),
          'row',
        )} of ${name} in ${count(slices.length, 'window')}`;
        if (slices.length > 0 && !(await isWanted(terminal, options, what))) return setExitCode(EXIT.usage);
        let rows = 0;
        for (const slice of slices) {
          terminal.stopping.throwIfAborted();
          rows += await forgetSlice(pool, { job: name, dataset: job?.dataset ?? '' }, slice, actorOfProcess(options.reason));
        }
        if (options.json) return printJson(terminal, { job: name, windows: slices.length, rows });
        terminal.print(
          slices.length === 0 ? `${name} has no rows.` : `Removed ${count(rows, 'row')} of ${name} in ${count(slices.length, 'window')}.`,
        );
      }),
    );
}

async function isWanted({ confirm, warn }: Terminal, { yes, json }: Options, what: string): Promise<boolean> {
  if (yes) return true;
  if (confirm && !json) return confirm(`This removes ${what}. Continue? [y/N] `);
  warn(`This removes ${what}; confirm with --yes.`);
  return false;
}

// searchmill reports: the summaries that dashboards read, rebuilt or compared with the tables.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { count } from '../core/numbers.ts';
import { DATASETS } from '../datasets/index.ts';
import { beginRebuild, checkReports, rebuild } from '../reports/rebuild.ts';
import { formatTable } from './table.ts';
import { EXIT, printJson, type Terminal } from './terminal.ts';
import { Verb } from './verb.ts';
import { tellWeeksLeft } from './weeks-left.ts';
import { withLedger } from './with-ledger.ts';

type Options = Readonly<{ account?: string; dataset?: string; anew?: boolean; json?: boolean }>;

export function reportsVerb(terminal: Terminal, setExitCode: (code: number) => void): Command {
  const rebuildVerb = withScope(new Verb('rebuild'))
    .description('rebuild the summaries from the tables, newest week first; loads continue')
    .option('--anew', 'all weeks, even if an earlier rebuild was interrupted')
    .option('--json', 'as JSON')
    .more(`For use after rows were changed by hand. Dashboards leave out a week until it is
rebuilt. An interrupted rebuild is continued, here or by a running service.

Example:
  searchmill reports rebuild --account 12345`)
    .action((options: Options, command: Command) =>
      withLedger(terminal, command, async (pool) => {
        const { weeks, isResumed } = await beginRebuild(pool, scopeOf(options), options.anew === true);
        if (isResumed) terminal.warn(`note: ${count(weeks, 'week')} were still waiting, and only these are rebuilt; --anew rebuilds all.`);
        const failed = await rebuild(pool, scopeOf(options), terminal.stopping, tellWeeksLeft(terminal));
        if (failed.length > 0) setExitCode(EXIT.someFailed);
        if (options.json) return printJson(terminal, { weeks, isResumed, failed });
        terminal.print(
          failed.length === 0
            ? `The summaries of ${count(weeks, 'week')} were rebuilt.`
            : `${count(failed.length, 'week')} of ${weeks} failed; a running service tries them again. "searchmill status" says why.`,
        );
      }),
    );

  const check = withScope(new Verb('check'))
    .description('compare the summaries with the tables, week by week; exits with 1 when they differ')
    .option('--json', 'as JSON')
    .more('Example:\n  searchmill reports check --dataset keyword_rankings')
    .action((options: Options, command: Command) =>
      withLedger(terminal, command, async (pool) => {
        const { weeks, marked, differences } = await checkReports(pool, scopeOf(options), tellWeeksLeft(terminal));
        if (differences.length > 0) setExitCode(EXIT.someFailed);
        if (options.json) return printJson(terminal, { weeks, marked, differences });
        if (differences.length === 0) {
          const waiting = marked > 0 ? `; ${marked} of them wait to be rebuilt` : '';
          return terminal.print(`The summaries of ${count(weeks, 'week')} agree with the tables${waiting}.`);
        }
        const rows = differences.map(({ summary, accountId, week, surplus, missing }) => [summary, accountId, week, surplus, missing]);
        terminal.print(formatTable(['summary', 'account', 'week', 'rows too many', 'rows too few'], rows));
        terminal.print('Were rows changed by hand? "searchmill reports rebuild" rebuilds the summaries.');
      }),
    );

  return new Verb('reports')
    .description('summaries for dashboards: rebuild, check')
    .more('Examples:\n  searchmill reports check\n  searchmill reports rebuild --account 12345')
    .addCommand(rebuildVerb)
    .addCommand(check);
}

function withScope(command: Verb): Verb {
  return command
    .addOption(new Option('--account <id>', 'only this account').argParser(parseAccount))
    .addOption(new Option('--dataset <name>', 'only summaries of this dataset').choices(DATASETS.map(({ name }) => name)));
}

const scopeOf = ({ account, dataset }: Options) => ({ accountId: account, dataset });

/** Stays text: rows that were approved despite the audit may have any account. */
function parseAccount(text: string): string {
  if (!/^-?\d{1,18}$/.test(text)) throw new InvalidArgumentError('Expected the number of an account.');
  return text;
}

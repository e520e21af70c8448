// searchmill signals: what rules found in the newest week of each account, and which rules are silent.
import { type IsoDate, startOfWeek } from '../core/weeks.ts';
import { hasLooked, readSignals, readSilences, type Signal, type Silence } from '../ledger/signals.ts';
import { parseDate } from './arguments.ts';
import { paintFor } from './paint.ts';
import { printJson, type Terminal } from './terminal.ts';
import { Verb } from './verb.ts';
import { withLedger } from './with-ledger.ts';

type Options = Readonly<{ week?: IsoDate; json?: boolean }>;

export function signalsVerb(terminal: Terminal): Verb {
  return new Verb('signals')
    .description('show what happened in the newest week of each account, by rules')
    .option('--week <date>', 'in the week of this day', parseDate)
    .option('--json', 'as JSON')
    .more(
      'Running processes look for signals; docs/signals.md has the rules.\n\nExamples:\n  searchmill signals\n  searchmill signals --week 2026-10-11',
    )
    .action((_: Options, command: Verb) =>
      withLedger(terminal, command, async (pool) => {
        const { week, json } = command.optsWithGlobals<Options>();
        const asked = week === undefined ? null : startOfWeek(week, 'sunday');
        const [signals, silences] = [await readSignals(pool, null, asked), await readSilences(pool, null, asked)];
        if (json) return printJson(terminal, { signals, silences });
        if (signals.length + silences.length === 0) {
          if (!(await hasLooked(pool, asked))) {
            return terminal.print('The rules have not been evaluated for this week: is the service running, and signals.enabled true?');
          }
          return terminal.print(asked ? `Nothing was found in the week of ${asked}.` : 'Nothing was found in the newest week.');
        }
        for (const account of new Set([...signals, ...silences].map(({ accountId }) => accountId))) {
          const isOwn = ({ accountId }: Readonly<{ accountId: string }>): boolean => accountId === account;
          printAccount(terminal, account, signals.filter(isOwn), silences.filter(isOwn));
        }
      }),
    );
}

function printAccount(terminal: Terminal, account: string, signals: readonly Signal[], silences: readonly Silence[]): void {
  const week = [...signals, ...silences][0]?.week;
  terminal.print(paintFor(terminal)('bold', `Account ${account}, week of ${week}`));
  for (const { text } of signals) terminal.print(`  ${text}`);
  for (const { title, silence } of silences) terminal.print(`  silent: ${title}: ${silence}`);
}

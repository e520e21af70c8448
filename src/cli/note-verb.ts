// searchmill note: people's notes on the charts, listed together with the ledger's annotations of the same weeks.
import { InvalidArgumentError, Option } from 'commander';
import { ConfigurationError } from '../core/errors.ts';
import type { IsoDate } from '../core/weeks.ts';
import { LONGEST_REASON } from '../ledger/actions.ts';
import { type Annotation, addNote, readAnnotations, removeNote } from '../ledger/annotations.ts';
import { actorOfProcess, parseReason } from './actor.ts';
import { parseCount, parseDate } from './arguments.ts';
import { formatTable } from './table.ts';
import { printJson, type Terminal } from './terminal.ts';
import { Verb } from './verb.ts';
import { withLedger } from './with-ledger.ts';

const ALL_ACCOUNTS = 'all';

type AddOptions = Readonly<{ account: string; week?: IsoDate; date?: IsoDate; text: string; json?: boolean }>;
type ListOptions = Readonly<{ account?: string; from?: IsoDate; to?: IsoDate; json?: boolean }>;

export function noteVerb(terminal: Terminal): Verb {
  const add = new Verb('add')
    .description('add a note about what happened on a day or in a week')
    .requiredOption('--account <id>', 'account whose charts show it, or "all"', parseAccount)
    .addOption(new Option('--week <date>', 'a day of the week that the note is about').argParser(parseDate).conflicts('date'))
    .option('--date <date>', 'the day that the note is about', parseDate)
    .requiredOption('--text <text>', `what happened; at most ${LONGEST_REASON} characters`, parseReason)
    .option('--json', 'as JSON')
    .more('Examples:\n  searchmill note add --account 12345 --date 2026-10-11 --text "robots.txt blocked /shop for a day"')
    .action((_: AddOptions, command: Verb) =>
      withLedger(terminal, command, async (pool) => {
        const { account, week, date, text, json } = command.optsWithGlobals<AddOptions>();
        const day = week ?? date;
        if (day === undefined) throw new ConfigurationError('give the time with --week or --date');
        const accountId = account === ALL_ACCOUNTS ? null : account;
        const noteId = await addNote(pool, { accountId, day, text }, actorOfProcess());
        if (json) return printJson(terminal, { noteId, accountId, day, text });
        terminal.print(`Note ${noteId} is on the charts of ${nameAccount(accountId)} at ${day}.`);
      }),
    );
  const list = new Verb('list')
    .description('show the notes, and what the ledger knows about the same weeks')
    .option('--account <id>', 'notes of this account and of all accounts', parseAccount)
    .option('--from <date>', 'from the week that begins on this day', parseDate)
    .option('--to <date>', 'to the week that begins on this day', parseDate)
    .option('--json', 'as JSON')
    .more('Examples:\n  searchmill note list --account 12345 --from 2026-10-01\n  searchmill note list --json')
    .action((_: ListOptions, command: Verb) =>
      withLedger(terminal, command, async (pool) => {
        const { account, from, to, json } = command.optsWithGlobals<ListOptions>();
        const accountId = account === undefined || account === ALL_ACCOUNTS ? null : account;
        const found = await readAnnotations(pool, accountId, { from, through: to });
        if (json) return printJson(terminal, found);
        if (found.length === 0) return terminal.print('There are no notes for these weeks.');
        terminal.print(formatTable(['note', 'account', 'day', 'kind', 'dataset', 'by', ''], found.map(describe)));
      }),
    );
  const remove = new Verb('remove')
    .description('remove a note from the charts; its text and who removed it are kept')
    .argument('<note>', 'its number, as "searchmill note list" shows it', parseCount)
    .option('--json', 'as JSON')
    .more('Example:\n  searchmill note remove 3')
    .action((noteId: number, _: unknown, command: Verb) =>
      withLedger(terminal, command, async (pool) => {
        const note = await removeNote(pool, noteId, actorOfProcess());
        if (command.optsWithGlobals<{ json?: boolean }>().json) return printJson(terminal, note);
        terminal.print(`Note ${noteId} of ${note.day} was removed: ${note.text}`);
      }),
    );
  const verb = new Verb('note')
    .description('notes for the charts: add, list, remove')
    .more(`Charts mark these notes, and what the ledger knows: changed filters, weeks that
were revised, held or late.

Examples:
  searchmill note add --account 12345 --week 2026-10-11 --text "shop moved"
  searchmill note list --account 12345`)
    .action((_: unknown, command: Verb) => command.help({ error: true }));
  return verb.addCommand(add).addCommand(list).addCommand(remove) as Verb;
}

function parseAccount(text: string): string {
  if (text === ALL_ACCOUNTS || /^\d{1,18}$/.test(text)) return text;
  throw new InvalidArgumentError('Expected the number of an account, or "all".');
}

function describe({ noteId, accountId, day, kind, dataset, actor, text }: Annotation): (string | null)[] {
  return [noteId === null ? null : String(noteId), accountId ?? ALL_ACCOUNTS, day, kind, dataset, actor, text];
}

const nameAccount = (accountId: string | null): string => (accountId === null ? 'all accounts' : `account ${accountId}`);

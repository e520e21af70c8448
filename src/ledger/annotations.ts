// Annotations: people's notes about a day, and what the ledger knows about a week. Charts mark both.
import { ConfigurationError } from '../core/errors.ts';
import { onOneLine } from '../core/invisible.ts';
import type { IsoDate } from '../core/weeks.ts';
import type { Client, Pool } from '../postgres/pool.ts';
import { readRows } from '../postgres/statements.ts';
import { inTransaction } from '../postgres/transaction.ts';
import { type Actor, LONGEST_REASON, noteAction } from './actions.ts';

export type Annotation = Readonly<{
  /** Null: for all accounts. */
  accountId: string | null;
  /** Sunday that begins the week in which it is marked. */
  week: IsoDate;
  day: IsoDate;
  /** `note` is by a person; the others come from the ledger. */
  kind: 'note' | 'filters' | 'depth' | 'revised' | 'held' | 'late';
  /** The dataset it concerns; null for all. */
  dataset: string | null;
  job: string | null;
  text: string;
  actor: string | null;
  at: Date | null;
  noteId: number | null;
}>;

export type Note = Readonly<{ accountId: string | null; day: IsoDate; text: string }>;
type Span = Readonly<{ from?: IsoDate | undefined; through?: IsoDate | undefined }>;

/** Annotations of an account, including those for all accounts; with a null account, of every account. Throws StoreError. */
export const readAnnotations = (db: Pool | Client, accountId: string | null, { from, through }: Span = {}): Promise<Annotation[]> =>
  readRows(db, 'annotations/read', { accountId, from, through });

/** Returns the number of the note. Throws ConfigurationError for an account without a job, or an empty or too long text; StoreError. */
export function addNote(pool: Pool, { accountId, day, text }: Note, by: Actor): Promise<number> {
  const line = readNoteText(text);
  return inTransaction(pool, async (client) => {
    if (accountId !== null) {
      const [found] = await readRows(client, 'annotations/has-account', { accountId });
      if (!found?.isKnown) throw new ConfigurationError(`no job has account ${accountId}; "searchmill plan" shows the jobs there are`);
    }
    const [note] = await readRows(client, 'annotations/insert', { accountId, day, text: line, actor: nameOf(by) });
    if (!note) throw new Error('the ledger gave the note no number');
    await noteAction(client, 'note', { ...by, reason: line }, { account: accountId, windowStart: day });
    return note.id;
  });
}

/** Throws ConfigurationError when there is no such note; StoreError. */
export function removeNote(pool: Pool, noteId: number, by: Actor): Promise<Note> {
  return inTransaction(pool, async (client) => {
    const [note] = await readRows(client, 'annotations/remove', { noteId });
    if (!note) throw new ConfigurationError(`there is no note ${noteId}; "searchmill note list" shows which there are`);
    await noteAction(client, 'remove_note', { ...by, reason: note.text }, { account: note.accountId, windowStart: note.day });
    return note;
  });
}

/** Puts a note's text on one line. Throws ConfigurationError when it is empty or too long. */
export function readNoteText(text: string): string {
  const line = onOneLine(text);
  if (line === '') throw new ConfigurationError('a note needs a text');
  if ([...line].length > LONGEST_REASON) throw new ConfigurationError(`a note has at most ${LONGEST_REASON} characters`);
  return line;
}

const nameOf = ({ name }: Actor): string => name.slice(0, LONGEST_REASON);

// The notes of people on an account, which charts mark: where the pages have a password, forms that add and remove them.
import type { JSX } from 'preact';
import type { LoginSession } from '../dashboards/access.ts';
import { NoteText, noteCommand } from '../dashboards/annotations.tsx';
import { type Frame, Layout, writePage } from '../dashboards/layout.tsx';
import { LONGEST_REASON } from '../ledger/actions.ts';
import type { Annotation } from '../ledger/annotations.ts';
import { ACTIONS } from './actions.ts';
import { OPERATIONS, Steps } from './parts.tsx';

export const NOTES = `${OPERATIONS}/notes`;

type View = Readonly<{ account: string; notes: readonly Annotation[] }>;

export function notesPage(frame: Frame, { account, notes }: View, session: LoginSession | undefined): string {
  const to = `${NOTES}?account=${account}`;
  return writePage(
    <Layout frame={frame} title={`Notes on account ${account}`} current="operations">
      <h1>Notes on account {account}</h1>
      <p class="lead">What people know about a day. Every chart of the account marks it.</p>
      {session ? (
        <form method="post" action={ACTIONS} class="note-form">
          <Hidden fields={{ action: 'note', account, to, formToken: session.formToken }} />
          <label for="note-day">Day</label>
          <input id="note-day" name="day" type="date" required />
          <label for="note-text">What happened</label>
          <input id="note-text" name="text" maxLength={LONGEST_REASON} required />
          <button type="submit">Note it</button>
        </form>
      ) : (
        <Steps steps={[noteCommand(account), ...(notes.length > 0 ? [`searchmill note remove ${notes[0]?.noteId}`] : [])]} />
      )}
      {notes.length === 0 && <p class="empty">There are no notes yet.</p>}
      <ul class="notes">
        {notes.toReversed().map((note) => (
          <li key={note.noteId}>
            <NoteText note={note} />
            {session && (
              <form method="post" action={ACTIONS}>
                <Hidden fields={{ action: 'remove_note', note: String(note.noteId), to, formToken: session.formToken }} />
                <button type="submit" class="quiet">
                  Remove<span class="hidden"> the note of {note.day}</span>
                </button>
              </form>
            )}
          </li>
        ))}
      </ul>
    </Layout>,
  );
}

function Hidden({ fields }: Readonly<{ fields: Readonly<Record<string, string>> }>): JSX.Element {
  return (
    <>
      {Object.entries(fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
    </>
  );
}

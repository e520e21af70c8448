// What happened in the weeks that a panel shows: numbered marks at its weeks, and the list under it.
import type { JSX } from 'preact';
import { compareText } from '../core/compare-text.ts';
import { groupBy } from '../core/group-by.ts';
import type { IsoDate } from '../core/weeks.ts';
import type { Annotation } from '../warehouse/annotations.ts';
import type { Rows } from './cells.ts';
import type { Panel } from './panel-file.ts';

/** The column that holds the week of a row, in panels whose weeks are marked. */
const WEEK_COLUMN = 'week';
/** Of a CSV: what happened in the week of the row. */
export const ANNOTATIONS_COLUMN = 'annotations';

/** What happened in one week, under the number that its charts carry. */
export type Mark = Readonly<{ number: number; week: IsoDate; annotations: readonly Annotation[] }>;

export const hasWeeks = ({ x }: Pick<Panel, 'x'>): boolean => x === WEEK_COLUMN;

/** Those that are about the data of a panel. */
export function annotationsOf({ datasets }: Pick<Panel, 'datasets'>, annotations: readonly Annotation[]): readonly Annotation[] {
  return annotations.filter(({ dataset }) => dataset === null || datasets.includes(dataset));
}

/** The weeks of a panel in which something happened, the oldest first. */
export function marksOf(panel: Panel, { columns, rows }: Rows, annotations: readonly Annotation[]): readonly Mark[] {
  if (!hasWeeks(panel)) return [];
  const at = columns.findIndex(({ name }) => name === WEEK_COLUMN);
  const shown = new Set(rows.map((row) => row[at]));
  const byWeek = groupBy(annotationsOf(panel, annotations), ({ week }) => week);
  return [...byWeek]
    .filter(([week]) => shown.has(week))
    .sort(([a], [b]) => compareText(a, b))
    .map(([week, own], index) => ({ number: index + 1, week, annotations: own }));
}

/** `robots.txt blocked /shop (Ann)` */
export function tellAnnotation({ text, actor, accountId, kind }: Annotation, isOfAll = false): string {
  const whose = isOfAll && accountId !== null ? `account ${accountId}: ` : '';
  return `${whose}${text}${kind === 'note' ? ` (${actor})` : ''}`;
}

type AnnotationsProps = Readonly<{ marks: readonly Mark[]; isOfAll: boolean; isFolded: boolean }>;

/** The list under a chart, open where a person noted something and there is room. charts.js reads the marks from it. */
export function Annotations({ marks, isOfAll, isFolded }: AnnotationsProps): JSX.Element | null {
  if (marks.length === 0) return null;
  const all = marks.flatMap(({ annotations }) => annotations);
  const notes = all.filter(({ kind }) => kind === 'note').length;
  return (
    <details class="annotations" open={notes > 0 && !isFolded}>
      <summary>
        What happened <span class="fine">({all.length})</span>
      </summary>
      <ol>
        {marks.map(({ number, week, annotations }) => (
          <li key={week} value={number} data-week={week}>
            <time dateTime={week}>Week of {week}</time>
            <ul>
              {annotations.map((annotation, index) => (
                <li key={index} class={annotation.kind}>
                  <bdi>{tellAnnotation(annotation, isOfAll)}</bdi>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ol>
    </details>
  );
}

/** The number of a mark at the heading of its week. */
export function MarkNumber({ mark }: Readonly<{ mark: Mark | undefined }>): JSX.Element | null {
  if (!mark) return null;
  return (
    <sup class="mark" title={mark.annotations.map((annotation) => tellAnnotation(annotation)).join('\n')}>
      <span class="hidden"> mark </span>
      {mark.number}
    </sup>
  );
}

type NotesProps = Readonly<{
  accountId: string;
  annotations: readonly Annotation[];
  /** Where they are added and removed. The page of a board is the same for all who read it, so it has no form. */
  notesAddress: string | undefined;
}>;

/** The notes of people on the weeks of a board. */
export function Notes({ accountId, annotations, notesAddress }: NotesProps): JSX.Element {
  const notes = annotations.filter(({ kind }) => kind === 'note').toReversed();
  return (
    <div id="notes" class="panel wide notes">
      <h2>Notes</h2>
      {notes.length === 0 && <p class="fine">There are no notes about these weeks.</p>}
      <ul>
        {notes.map((note) => (
          <li key={note.noteId}>
            <NoteText note={note} />
          </li>
        ))}
      </ul>
      {notesAddress ? (
        <p>
          <a href={`${notesAddress}?account=${accountId}`}>Add or remove notes</a>
        </p>
      ) : (
        <p>
          <code class="command">{noteCommand(accountId)}</code>
        </p>
      )}
    </div>
  );
}

export function NoteText({ note }: Readonly<{ note: Annotation }>): JSX.Element {
  return (
    <span>
      <time>{note.day}</time> <bdi>{tellAnnotation(note)}</bdi> {note.accountId === null && <span class="fine">all accounts</span>}
    </span>
  );
}

/** What is typed where there is no form. */
export const noteCommand = (accountId: string): string => `searchmill note add --account ${accountId} --date 2026-11-08 --text "..."`;

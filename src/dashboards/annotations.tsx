// What happened in the weeks that a page shows: numbered marks at the weeks of its panels, and one list at its foot.
import type { JSX } from 'preact';
import { compareText } from '../core/compare-text.ts';
import { groupBy } from '../core/group-by.ts';
import type { IsoDate } from '../core/weeks.ts';
import type { Annotation } from '../ledger/annotations.ts';
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

/** The weeks in which something happened, the oldest first, numbered over the whole page. */
export function numberWeeks(annotations: readonly Annotation[]): readonly Mark[] {
  return [...groupBy(annotations, ({ week }) => week)]
    .sort(([a], [b]) => compareText(a, b))
    .map(([week, own], index) => ({ number: index + 1, week, annotations: own }));
}

/** Those of a page's marks that are about the data of a panel and in its weeks. */
export function marksOf(panel: Panel, { columns, rows }: Rows, marks: readonly Mark[]): readonly Mark[] {
  if (!hasWeeks(panel)) return [];
  const at = columns.findIndex(({ name }) => name === WEEK_COLUMN);
  const shown = new Set(rows.map((row) => row[at]));
  return marks.flatMap((mark) => {
    const own = annotationsOf(panel, mark.annotations);
    return shown.has(mark.week) && own.length > 0 ? [{ ...mark, annotations: own }] : [];
  });
}

/** `robots.txt blocked /shop (Ann)` */
export function tellAnnotation({ text, actor, accountId, kind }: Annotation, isOfAll = false): string {
  const whose = isOfAll && accountId !== null ? `account ${accountId}: ` : '';
  return `${whose}${text}${kind === 'note' ? ` (${actor})` : ''}`;
}

/** More are folded. */
const MAX_OPEN = 12;

type WhatHappenedProps = Readonly<{
  marks: readonly Mark[];
  /** Whether the page is of all accounts. */
  isOfAll: boolean;
  /** Where notes of the account are added and removed. The page of a board is the same for all who read it, so it has no form. */
  notes: string | undefined;
}>;

/** The one list of a page that its charts' numbers stand for, with the notes of people. charts.js reads the marks from it. */
export function WhatHappened({ marks, isOfAll, notes }: WhatHappenedProps): JSX.Element | null {
  const all = marks.flatMap(({ annotations }) => annotations);
  if (all.length === 0 && notes === undefined) return null;
  return (
    <section id="what-happened" class="panel wide what-happened" aria-labelledby="what-happened-title">
      <h2 id="what-happened-title">What happened</h2>
      {all.length === 0 ? (
        <p class="fine">Nothing is noted about these weeks.</p>
      ) : (
        <details open={all.length <= MAX_OPEN}>
          <summary>
            {all.length === 1 ? 'The number in a chart stands for this' : `The numbers in charts stand for these ${all.length}`}
          </summary>
          <ol>
            {marks.map(({ number, week, annotations }) => (
              <li key={week} value={number} data-week={week}>
                <time dateTime={week}>Week of {week}</time>
                <ul>
                  {annotations.map((annotation, index) => (
                    <li key={index} class={annotation.kind} data-dataset={annotation.dataset ?? undefined}>
                      <bdi>{tellAnnotation(annotation, isOfAll)}</bdi>
                      {annotation.kind === 'note' && annotation.accountId === null && !isOfAll && <span class="fine"> all accounts</span>}
                    </li>
                  ))}
                </ul>
              </li>
            ))}
          </ol>
        </details>
      )}
      {notes !== undefined && (
        <p>
          <a href={notes}>Add or remove notes</a>
        </p>
      )}
    </section>
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

export function NoteText({ note }: Readonly<{ note: Annotation }>): JSX.Element {
  return (
    <span>
      <time>{note.day}</time> <bdi>{tellAnnotation(note)}</bdi> {note.accountId === null && <span class="fine">all accounts</span>}
    </span>
  );
}

/** What is typed where there is no form. */
export const noteCommand = (accountId: string): string => `searchmill note add --account ${accountId} --date 2026-11-08 --text "..."`;

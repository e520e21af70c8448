// Under a chart: the weeks without a figure, those from which on figures answer another question, and those whose figures lack something, each
// reason once.
import type { JSX } from 'preact';
import { nameSome } from '../core/name-some.ts';
import { addDays, isIsoDate } from '../core/weeks.ts';
import { findChanges, REASON_COLUMN, type Row, type Rows, showCell } from './cells.ts';
import { labelOf } from './labels.ts';
import type { Panel } from './panel-file.ts';
import { meaningsOf } from './week-state.tsx';

const MAX_REASONS = 8;
const MAX_SPANS = 8;
const MAX_LINES = 3;
/** What the title of a list says once, each reason need not. */
const INCOMPARABLE = 'not comparable with the weeks before: ';

type GapsProps = Readonly<{ panel: Panel; rows: Rows; isFolded?: boolean }>;

export function Gaps({ panel, rows, isFolded = false }: GapsProps): JSX.Element | null {
  const at = (name: string | undefined): number => rows.columns.findIndex((column) => column.name === name);
  const [x, y, reason] = [at(panel.x), at(panel.y[0]), at(REASON_COLUMN)];
  if (reason < 0 || x < 0 || panel.chart === 'calendar') return null;
  const list = (isListed: (row: Row) => boolean): string[] =>
    listReasons(rows.rows, { x, reason, series: at(panel.series), isListed, nameOf: (line) => labelOf(panel.series, line) });
  const changes = findChanges(rows, panel.series);
  const gaps = list((row) => row[y] === null);
  const breaks = list((row) => row[y] !== null && changes.has(row)).map((each) => each.replaceAll(INCOMPARABLE, ''));
  const partial = list((row) => row[y] !== null && !changes.has(row));
  if ([gaps, breaks, partial].every(({ length }) => length === 0)) return null;
  const told = (
    <>
      <Reasons title="Gaps" reasons={gaps} />
      {meaningsOf(gaps).map((meaning) => (
        <p key={meaning} class="gaps">
          {meaning}.
        </p>
      ))}
      <Reasons title="Not comparable with the weeks before" reasons={breaks} />
      <Reasons title="Not whole" reasons={partial} />
    </>
  );
  if (!isFolded) return told;
  return (
    <details class="remarks">
      <summary>
        {[gaps.length > 0 && 'gaps', breaks.length > 0 && 'breaks', partial.length > 0 && 'not whole'].filter(Boolean).join(', ')}
      </summary>
      {told}
    </details>
  );
}

type Where = Readonly<{ x: number; reason: number; series: number; isListed: (row: Row) => boolean; nameOf?: (line: string) => string }>;

/** `2026-10-25 to 2026-11-08: held (rankings)`. Lines are named where only some of them have the reason. */
export function listReasons(rows: readonly Row[], { x, reason, series, isListed, nameOf = (line) => line }: Where): string[] {
  const linesOf = new Map<string, number>();
  const told = new Map<string, Map<string, string[]>>();
  for (const row of rows) {
    const place = showCell(row[x] ?? null, 'text');
    linesOf.set(place, (linesOf.get(place) ?? 0) + 1);
    const why = row[reason];
    if (!why || !isListed(row)) continue;
    const places = told.get(why) ?? new Map<string, string[]>();
    places.set(place, [...(places.get(place) ?? []), nameOf(row[series] ?? '')]);
    told.set(why, places);
  }
  return [...told].flatMap(([why, places]) => {
    const spans = new Map<string, string[]>();
    for (const [place, lines] of places) {
      const label = series < 0 || lines.length === linesOf.get(place) ? why : `${why} (${nameSome(lines, MAX_LINES)})`;
      spans.set(label, [...(spans.get(label) ?? []), place]);
    }
    return [...spans].map(([label, own]) => `${nameWeeks(own)}: ${label}`);
  });
}

/** `2026-10-25 to 2026-11-08, 2026-11-22` */
export const nameWeeks = (weeks: readonly string[]): string => nameSome(joinWeeks(weeks), MAX_SPANS);

/** Weeks that follow each other as one span. */
function joinWeeks(places: readonly string[]): string[] {
  if (!places.every(isIsoDate)) return [...places];
  const spans: { first: string; last: string }[] = [];
  for (const week of [...places].sort()) {
    const span = spans.at(-1);
    if (span && addDays(span.last, 7) === week) span.last = week;
    else spans.push({ first: week, last: week });
  }
  return spans.map(({ first, last }) => (first === last ? first : `${first} to ${last}`));
}

function Reasons({ title, reasons }: Readonly<{ title: string; reasons: readonly string[] }>): JSX.Element | null {
  if (reasons.length === 0) return null;
  return (
    <p class="gaps">
      <strong>{title}:</strong> <bdi>{nameSome(reasons, MAX_REASONS, { separator: '; ' })}</bdi>
    </p>
  );
}

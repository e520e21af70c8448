// The charts that are tables themselves. They need no JavaScript.
import type { JSX } from 'preact';
import { compareText } from '../core/compare-text.ts';
import { groupBy } from '../core/group-by.ts';
import { addDays } from '../core/weeks.ts';
import { type Mark, MarkNumber } from './annotations.tsx';
import { type Column, digitsOf, REASON_COLUMN, type Row, type Rows, showCell } from './cells.ts';
import { labelOf } from './labels.ts';
import { hrefOf, type Place } from './links.ts';
import type { Panel } from './panel-file.ts';
import { headingOf, Linked, Scroll, Value } from './result-table.tsx';

/** Where the columns of a chart stand; undefined when one of them is missing. */
function axesOf({ x, y, series }: Panel, columns: readonly Column[]): { x: number; y: number; series: number } | undefined {
  const find = (name: string | undefined): number => columns.findIndex((column) => column.name === name);
  const axes = { x: find(x), y: find(y[0]), series: find(series) };
  return Object.values(axes).includes(-1) ? undefined : axes;
}

type Grid = Readonly<{ columns: readonly string[]; lines: readonly Readonly<{ name: string; cells: readonly (Row | undefined)[] }>[] }>;

function gridOf({ rows }: Rows, axes: { x: number; series: number }, isWeekly: boolean): Grid {
  const seen = [...new Set(rows.map((row) => row[axes.x] ?? '–'))].sort(compareText);
  const columns = isWeekly ? withMissingWeeks(seen) : seen;
  const lines = [...groupBy(rows, (row) => row[axes.series] ?? '–')].map(([name, own]) => ({
    name,
    cells: columns.map((column) => own.find((row) => (row[axes.x] ?? '–') === column)),
  }));
  return { columns, lines };
}

const MAX_WEEKS = 520;

function withMissingWeeks(weeks: readonly string[]): readonly string[] {
  const [first] = weeks;
  const last = weeks.at(-1);
  if (first === undefined || last === undefined) return weeks;
  const all = new Set(weeks);
  for (let week = first, left = MAX_WEEKS; week < last && left > 0; week = addDays(week, 7), left -= 1) all.add(week);
  return [...all].sort(compareText);
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Dates in two short lines, so that a year of weeks fits. */
export function Heading({ text }: Readonly<{ text: string }>): JSX.Element {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  if (!day) return <bdi>{text}</bdi>;
  return (
    <time dateTime={text}>
      {Number(day)}
      <br />
      {MONTHS[Number(month) - 1]}
      <span class="hidden"> {year}</span>
    </time>
  );
}

type ChartProps = Readonly<{ panel: Panel; rows: Rows }>;
type MarkedProps = ChartProps & Readonly<{ marks: readonly Mark[]; place: Place }>;

function GridTable({
  panel,
  rows,
  marks,
  place,
  isWeekly,
  children,
}: MarkedProps & Readonly<{ isWeekly: boolean; children: (row: Row | undefined) => JSX.Element }>): JSX.Element | null {
  const axes = axesOf(panel, rows.columns);
  if (!axes) return null;
  const { columns, lines } = gridOf(rows, axes, isWeekly);
  return (
    <Scroll label={`${panel.title}, chart`} partOf={place.partOf}>
      <table class={`grid ${panel.chart}`}>
        <caption class="hidden">{panel.title}</caption>
        <thead>
          <tr>
            <th scope="col">
              {headingOf(panel.series ?? '')}
              {panel.unit && <span class="unit"> {panel.unit}</span>}
            </th>
            {columns.map((column) => (
              <th key={column} scope="col">
                <Heading text={labelOf(panel.x, column)} />
                <MarkNumber mark={marks.find(({ week }) => week === column)} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map(({ name, cells }) => (
            <tr key={name}>
              <th scope="row">
                <Linked href={hrefOf(panel, panel.series, name, place)}>
                  <bdi>{labelOf(panel.series, name)}</bdi>
                </Linked>
              </th>
              {cells.map((row) => children(row))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

/** Job x week: a letter and a colour for each state. */
export function Calendar({ panel, rows, marks, place }: MarkedProps): JSX.Element | null {
  const y = rows.columns.findIndex((column) => column.name === panel.y[0]);
  const reason = rows.columns.findIndex((column) => column.name === REASON_COLUMN);
  const states = [...new Set(rows.rows.map((row) => row[y] ?? ''))].filter(Boolean).sort(compareText);
  return (
    <>
      <GridTable panel={panel} rows={rows} marks={marks} place={place} isWeekly>
        {(row) => {
          const state = row?.[y];
          if (!state) return <td class="state" />;
          return (
            <td class={`state ${state}`} title={row?.[reason] ? `${state}: ${row[reason]}` : state}>
              <span aria-hidden="true">{state.charAt(0).toUpperCase()}</span>
              <span class="hidden">{state}</span>
            </td>
          );
        }}
      </GridTable>
      <CalendarLegend states={states} />
    </>
  );
}

export function CalendarLegend({ states }: Readonly<{ states: readonly string[] }>): JSX.Element {
  return (
    <ul class="legend" aria-label="Legend">
      {states.map((state) => (
        <li key={state}>
          <span class={`state swatch ${state}`} aria-hidden="true">
            {state.charAt(0).toUpperCase()}
          </span>
          {state}
        </li>
      ))}
    </ul>
  );
}

const SHADES = 8;

/** Group x week and the like: the darker, the more. */
export function Heatmap({ panel, rows, marks, place }: MarkedProps): JSX.Element | null {
  const y = rows.columns.findIndex((column) => column.name === panel.y[0]);
  const reason = rows.columns.findIndex((column) => column.name === REASON_COLUMN);
  const digits = digitsOf(rows.rows.map((row) => row[y] ?? null));
  const values = rows.rows.flatMap((row) => (row[y] === null || row[y] === undefined ? [] : [Number(row[y])]));
  const most = Math.max(...values, 0);
  const shadeOf = (value: number): number => (most > 0 ? Math.min(SHADES - 1, Math.max(0, Math.floor((value / most) * SHADES))) : 0);
  return (
    <>
      <GridTable panel={panel} rows={rows} marks={marks} place={place} isWeekly={false}>
        {(row) => {
          const value = row?.[y];
          if (value === null || value === undefined) {
            return (
              <td class="gap" title={row?.[reason] ?? 'no figure'}>
                –
              </td>
            );
          }
          return (
            <td class={`shade shade-${shadeOf(Number(value))}`} title={row?.[reason] ?? undefined}>
              <data value={value}>{showCell(value, 'number', digits)}</data>
            </td>
          );
        }}
      </GridTable>
      <Scale most={most} digits={digits} unit={panel.unit} />
    </>
  );
}

/** What the shades of a heat map mean. */
function Scale({ most, digits, unit }: Readonly<{ most: number; digits: number; unit: string | undefined }>): JSX.Element {
  const show = (value: number): string => `${showCell(String(value), 'number', digits)}${unit ? ` ${unit}` : ''}`;
  return (
    <p class="scale">
      {show(0)}
      <span aria-hidden="true">
        {Array.from({ length: SHADES }, (_, shade) => (
          <i key={shade} class={`shade-${shade}`} />
        ))}
      </span>
      <span class="hidden"> to the darkest, </span>
      {show(most)}
    </p>
  );
}

/** One figure, or one for each row, large. */
export function Figures({ panel, rows }: ChartProps): JSX.Element {
  const at = (name: string | undefined): number => rows.columns.findIndex((column) => column.name === name);
  const label = at(panel.series ?? panel.x);
  return (
    <ul class="figures">
      {rows.rows.flatMap((row, number) =>
        panel.y.map((name) => (
          <li key={`${number} ${name}`}>
            <strong>
              <Value cell={row[at(name)] ?? null} kind="number" unit={panel.unit} />
            </strong>{' '}
            <bdi>{label >= 0 ? row[label] : headingOf(name)}</bdi>
          </li>
        )),
      )}
    </ul>
  );
}

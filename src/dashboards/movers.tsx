// What has moved most, on its board: what won beside what lost, each with what it was before and by how much it moved. All columns are on the
// page of the panel.
import type { JSX } from 'preact';
import { type Cell, type Column, digitsOf, NOTICE_COLUMN, REASON_COLUMN, type Row, type Rows, showCell } from './cells.ts';
import { labelOf } from './labels.ts';
import { hrefOf, inMarket, MARKET } from './links.ts';
import type { Panel } from './panel-file.ts';
import { isMoreThanNoise, READING_COLUMN, tellReading } from './readings.ts';
import { Breakable, headingOf, Linked, type TablePlace, Value } from './result-table.tsx';
import { findSteady } from './table-order.ts';

const MOST = 5;

type MoversProps = Readonly<{ panel: Panel; rows: Rows; place: TablePlace }>;

export function Movers({ panel, rows, place }: MoversProps): JSX.Element | null {
  const { beside } = panel;
  if (!beside) return null;
  const at = rows.columns.findIndex(({ name }) => name === beside.column);
  const sides = [
    { name: beside.above, own: rows.rows.filter((row) => Number(row[at]) > 0) },
    { name: beside.below, own: rows.rows.filter((row) => Number(row[at]) < 0).toReversed() },
  ];
  const hasMore = sides.some(({ own }) => own.length > MOST);
  return (
    <>
      <Legend panel={panel} />
      <div class="movers">
        {sides.map(({ name, own }) => (
          <div key={name}>
            <h3 class="side">{name}</h3>
            {own.length === 0 ? <p class="fine">None.</p> : <Side panel={panel} rows={rows} own={own.slice(0, MOST)} place={place} />}
          </div>
        ))}
      </div>
      {hasMore && (
        <p class="rest-link">
          <a href={place.alone}>
            All {rows.rows.length}
            <span class="hidden"> rows of {panel.title}</span>
          </a>
        </p>
      )}
    </>
  );
}

/** `Place before → place now, effect`: what the numbers of each line are. */
function Legend({ panel: { y, beside } }: Pick<MoversProps, 'panel'>): JSX.Element {
  const [before = '', now = ''] = y.map(headingOf);
  const change = headingOf(beside?.column ?? '').toLowerCase();
  return (
    <p class="fine">
      {before} <span aria-hidden="true">→</span>
      <span class="hidden">to</span> {now.toLowerCase()}, {change}
    </p>
  );
}

type SideProps = MoversProps & Readonly<{ own: readonly Row[] }>;

function Side({ panel, rows, own, place }: SideProps): JSX.Element {
  const { columns } = rows;
  const find = (name: string | undefined): number => columns.findIndex((column) => column.name === name);
  const [label, before, now, change] = [find(panel.x), find(panel.y[0]), find(panel.y[1]), find(panel.beside?.column)];
  const steady = findSteady(panel, rows);
  const shown = new Set([
    label,
    before,
    now,
    change,
    find('week'),
    find(READING_COLUMN),
    find(REASON_COLUMN),
    find(NOTICE_COLUMN),
    ...panel.changes.map(find),
  ]);
  const about = columns
    .map((column, at) => ({ ...column, at }))
    .filter(({ name, kind, at }) => kind !== 'number' && !shown.has(at) && !steady.has(name));
  const reading = find(READING_COLUMN);
  const digits = digitsOf(rows.rows.flatMap((row) => [row[before] ?? null, row[now] ?? null]));
  const show = (at: number, cell: Cell): string => showCell(cell, columns[at]?.kind ?? 'text', digits);
  return (
    <ul>
      {own.map((row, number) => {
        const name = labelOf(panel.x, row[label] ?? '(none)');
        const market = MARKET.map((column) => ({ column, cell: row[find(column)] ?? null }));
        const href = hrefOf(panel, panel.x, row[label] ?? null, inMarket(place, market));
        return (
          <li key={number}>
            <span class="name">
              <bdi>
                <Linked href={href}>
                  <Breakable text={name} />
                </Linked>
              </bdi>
              <About columns={about} row={row} reading={reading < 0 ? '' : tellReading(row[reading] ?? null)} />
            </span>
            <span class="places">
              <span class="hidden">from </span>
              {show(before, row[before] ?? null)} <span aria-hidden="true">→</span>
              <span class="hidden">to</span> {show(now, row[now] ?? null)}
            </span>
            <span class={isMoreThanNoise(columns, row) ? `change ${Number(row[change]) > 0 ? 'up' : 'down'}` : 'change'}>
              <Value cell={row[change] ?? null} kind="number" isChange />
            </span>
          </li>
        );
      })}
    </ul>
  );
}

type AboutProps = Readonly<{ columns: readonly (Column & Readonly<{ at: number }>)[]; row: Row; reading: string }>;

/** What tells rows of one name apart, and whether chance explains what moved. */
function About({ columns, row, reading }: AboutProps): JSX.Element | null {
  const told = columns.flatMap(({ name, kind, at }) =>
    row[at] ? [labelOf(name, kind === 'boolean' ? tellFlag(name, row[at]) : row[at])] : [],
  );
  const shown = [...told, reading].filter(Boolean);
  return shown.length === 0 ? null : <span class="fine"> {shown.join(' · ')}</span>;
}

/** `is_ours` of ours is `ours`. */
const tellFlag = (name: string, cell: Cell): string => (cell === 't' ? name.replace(/^is_/, '').replaceAll('_', ' ') : '');

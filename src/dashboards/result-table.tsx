// A panel's result as a table. Charts in the browser are drawn from it, and without JavaScript it is what a reader has.
import { type ComponentChildren, Fragment, type JSX } from 'preact';
import { type Cell, type Column, digitsOf, NOTICE_COLUMN, QUESTION_COLUMN, REASON_COLUMN, type Row, type Rows, showCell } from './cells.ts';
import { isAddress, labelOf } from './labels.ts';
import { hrefOf, leadOf, namedOf, type Place, whyOfCell } from './links.ts';
import { isTabular, type Panel } from './panel-file.ts';
import { isColoured } from './readings.ts';
import { findSteady, sortName, type TableOrder } from './table-order.ts';

/** `weeks_behind` -> `Weeks behind`, `is_ours` -> `Ours` */
export function headingOf(column: string): string {
  const words = column.replace(/^is_/, '').replaceAll('_', ' ').trim();
  return (words.charAt(0).toUpperCase() + words.slice(1)).replaceAll(/\burl\b/gi, 'URL');
}

/**
 * What may be wider than the page scrolls by itself; it takes the focus, so that keys scroll it, too. In a report its label has the part (`partOf`),
 * since it has panels of one name several times.
 */
export function Scroll({
  label,
  partOf,
  children,
}: Readonly<{ label: string; partOf?: string | undefined; children: ComponentChildren }>): JSX.Element {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above; axe asks for it (scrollable-region-focusable)
    <section class="scroll" aria-label={[label, partOf].filter(Boolean).join(', ')} tabIndex={0}>
      {children}
    </section>
  );
}

type ValueProps = Readonly<{
  cell: Cell;
  kind: Column['kind'];
  column?: string;
  unit?: string | undefined;
  digits?: number;
  isChange?: boolean;
}>;

export function Value({ cell, kind, column, unit, digits, isChange = false }: ValueProps): JSX.Element {
  if (cell === null) return <span class="none">–</span>;
  const shown = showCell(cell, kind, digits);
  if (kind === 'number') {
    const signed = isChange && Number(cell) > 0 ? `+${shown}` : shown;
    return <data value={cell}>{unit === '%' ? `${signed} %` : signed}</data>;
  }
  if (kind === 'date' || kind === 'time') return <time>{shown}</time>;
  return (
    <bdi>
      <Breakable text={labelOf(column, shown)} />
    </bdi>
  );
}

/** A text whose long words, such as addresses, are broken behind slashes and dots before they are broken anywhere. */
export function Breakable({ text }: Readonly<{ text: string }>): JSX.Element {
  const parts = text.includes(' ') ? [text] : text.split(/(?<=[^./][./])(?=[^./])/);
  return (
    <>
      {parts.map((part, at) => (
        <Fragment key={at}>
          {at > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </>
  );
}

/** What leads somewhere, where it does. */
export function Linked({ href, children }: Readonly<{ href: string | undefined; children: JSX.Element }>): JSX.Element {
  return href === undefined ? children : <a href={href}>{children}</a>;
}

const MAX_FEW_COLUMNS = 7;
/** Columns with longer texts are to be read: they get what room there is. */
const LONG_TEXT = 60;

/** Reasons are shown where there are some, questions where there are several. */
function isTelling(column: string, values: number): boolean {
  if (column === NOTICE_COLUMN) return false;
  return values > (column === QUESTION_COLUMN ? 1 : column === REASON_COLUMN ? 0 : -1);
}
/** Of a table on its board. Its own page has all. */
const FIRST_ROWS = 25;
/** Up to so many rows a board has them all, to be shown, sorted and searched in place. Of more, the server sorts and searches. */
const MAX_ROWS_IN_PLACE = 200;

export type TablePlace = Place &
  Readonly<{
    order: TableOrder;
    /** Where the panel alone is shown with the same choices, and whether this is there. */
    alone: string;
    isAlone: boolean;
  }>;

type TableProps = Readonly<{
  panel: Panel;
  /** All of the panel: what columns are, and which say the same everywhere, goes by them. */
  rows: Rows;
  /** Those that are shown, in their order. */
  shown: readonly Row[];
  name?: string;
  place: TablePlace;
}>;

export function ResultTable({ panel, rows: all, shown, name, place }: TableProps): JSX.Element {
  const { columns, rows } = all;
  const { order, alone, isAlone, here, partOf } = place;
  const steady = findSteady(panel, all);
  const isTold = (column: string): boolean => panel.leads !== undefined && (panel.links.has(column) || column === panel.leads.panel);
  const hrefAt = (column: string, row: Row, at: number): string | undefined =>
    column === panel.leads?.sentence ? leadOf(panel, namedOf(panel, all, row), place) : hrefOf(panel, column, row[at] ?? null, place);
  const heads = columns
    .map((column, at) => ({
      ...column,
      at,
      digits: column.kind === 'number' ? digitsOf(rows.map((row) => row[at] ?? null)) : 0,
      look: `${column.kind}${lookOf(
        column.name,
        rows.map((row) => row[at] ?? ''),
      )}`,
    }))
    .filter(({ name, at }) => !steady.has(name) && !isTold(name) && isTelling(name, new Set(rows.flatMap((row) => row[at] ?? [])).size));
  const unitOf = (column: string): string | undefined => (panel.y.includes(column) ? panel.unit : undefined);
  // On a narrow screen each row of it is a block of named values: the names come with the cells.
  const isTable = isTabular(panel);
  const title = name ? `${panel.title}, ${name.toLowerCase()}` : panel.title;
  const bodyOf = (part: readonly Row[]): JSX.Element[] =>
    part.map((row, number) => (
      <tr key={number}>
        {heads.map(({ name: column, kind, at, digits, look }) => (
          <td
            key={column}
            class={classOf(look, panel.changes.includes(column) && isColoured(columns, row) ? (row[at] ?? null) : null)}
            data-heading={isTable ? headingOf(column) : undefined}
          >
            <Linked
              href={
                hrefAt(column, row, at) ??
                whyOfCell(panel, column, (name) => row[columns.findIndex((each) => each.name === name)] ?? null, place)
              }
            >
              <Value
                cell={row[at] ?? null}
                kind={kind}
                column={column}
                unit={unitOf(column)}
                digits={digits}
                isChange={panel.changes.includes(column)}
              />
            </Linked>
          </td>
        ))}
      </tr>
    ));
  const first = isTable && !isAlone ? (place.firstRows ?? FIRST_ROWS) : shown.length;
  const isElsewhere = shown.length > first && shown.length > MAX_ROWS_IN_PLACE;
  return (
    <>
      <Steady panel={panel} columns={columns} rows={rows} steady={new Set([...steady].filter((each) => !isTold(each)))} place={place} />
      <Scroll label={`${title}, table`} partOf={partOf}>
        <table
          class={`rows${heads.length > MAX_FEW_COLUMNS ? ' many' : ''}${isTable ? ' stacked' : ''}`}
          data-panel={panel.name}
          data-elsewhere={isElsewhere ? '' : undefined}
        >
          <caption class="hidden">{title}</caption>
          <thead>
            <tr>
              {heads.map(({ name: column, kind }) => (
                <Head key={column} panel={panel} column={column} kind={kind} unit={unitOf(column)} order={order} here={here} />
              ))}
            </tr>
          </thead>
          <tbody>{bodyOf(shown.slice(0, first))}</tbody>
          {shown.length > first && !isElsewhere && (
            <tbody class="rest" hidden>
              {bodyOf(shown.slice(first))}
            </tbody>
          )}
        </table>
      </Scroll>
      {shown.length > first && (
        <p class="rest-link">
          <a href={alone} data-rest={isElsewhere ? undefined : ''}>
            All {shown.length} rows<span class="hidden"> of {title}</span>
          </a>
        </p>
      )}
    </>
  );
}

/** What else a style sheet goes by. */
function lookOf(column: string, cells: readonly string[]): string {
  if (isAddress(column)) return ' address';
  return cells.some((cell) => cell.length > LONG_TEXT && cell.includes(' ')) ? ' long' : '';
}

function classOf(look: string, change: Cell): string {
  if (change === null || Number(change) === 0) return look;
  return `${look} ${Number(change) > 0 ? 'up' : 'down'}`;
}

type HeadProps = Readonly<{
  panel: Panel;
  column: string;
  kind: Column['kind'];
  unit: string | undefined;
  order: TableOrder;
  here: string;
}>;

/** A heading leads to the same rows in its order: numbers and dates from the top, then the other way round. */
function Head({ panel, column, kind, unit, order: { sort }, here }: HeadProps): JSX.Element {
  const isSorted = sort?.column === column;
  const isDescending = isSorted ? !sort.isDescending : kind !== 'text';
  const address = new URL(here, 'http://here');
  address.searchParams.set(sortName(panel.name), `${isDescending ? '-' : ''}${column}`);
  return (
    <th
      scope="col"
      data-column={column}
      data-kind={kind}
      class={kind}
      aria-sort={isSorted ? (sort.isDescending ? 'descending' : 'ascending') : undefined}
    >
      <a class="sort" href={`${address.pathname}${address.search}#${panel.name}`}>
        {headingOf(column)}
      </a>
      {unit && unit !== column && column !== 'percent' ? <span class="unit"> {unit}</span> : null}
    </th>
  );
}

type SteadyProps = Rows & Readonly<{ panel: Panel; steady: ReadonlySet<string>; place: Place }>;

function Steady({ panel, columns, rows, steady, place }: SteadyProps): JSX.Element | null {
  // A name that no row has, such as that of a prompt where keywords are told, says nothing.
  const shown = columns.map((column, at) => ({ ...column, cell: rows[0]?.[at] ?? null }));
  const told = shown.filter(({ name, cell }) => steady.has(name) && !(cell === null && panel.links.has(name)));
  if (told.length === 0) return null;
  return (
    <p class="steady fine">
      In every row:{' '}
      {told.map(({ name, kind, cell }) => (
        <span key={name}>
          {headingOf(name)}{' '}
          <Linked href={hrefOf(panel, name, cell, place)}>
            <Value cell={cell} kind={kind} column={name} />
          </Linked>
        </span>
      ))}
    </p>
  );
}

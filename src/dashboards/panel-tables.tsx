// The tables of a panel: one, or two beside each other, with what is looked for in them.
import type { JSX } from 'preact';
import type { Row, Rows } from './cells.ts';
import { isTabular, type Panel } from './panel-file.ts';
import { ResultTable, type TablePlace } from './result-table.tsx';
import { findName, newestFirst, orderRows, sortName } from './table-order.ts';

type Props = Readonly<{ panel: Panel; rows: Rows; place: TablePlace }>;

/** Fewer rows are seen at once. */
const MIN_SEARCHED_ROWS = 10;

export function PanelTables({ panel, rows, place }: Props): JSX.Element {
  const isTable = isTabular(panel);
  const shown = orderRows(isTable ? rows : { ...rows, rows: newestFirst(rows, panel.x) }, place.order);
  return (
    <>
      {panel.chart === 'table' && place.partOf === undefined && rows.rows.length > MIN_SEARCHED_ROWS && (
        <Find panel={panel} place={place} />
      )}
      {shown.length === 0 && <p class="empty">No row has this text.</p>}
      {panel.beside ? (
        <Beside panel={panel} rows={rows} shown={shown} place={place} beside={panel.beside} />
      ) : (
        <ResultTable panel={panel} rows={rows} shown={shown} place={place} />
      )}
    </>
  );
}

type BesideProps = Props & Readonly<{ shown: readonly Row[]; beside: NonNullable<Panel['beside']> }>;

/** The most on either side comes first. */
function Beside({ panel, rows, shown, place, beside: { column, above, below } }: BesideProps): JSX.Element {
  const at = rows.columns.findIndex(({ name }) => name === column);
  const losing = shown.filter((row) => Number(row[at]) < 0);
  const sides = [
    { name: above, own: shown.filter((row) => Number(row[at]) > 0) },
    { name: below, own: place.order.sort ? losing : losing.toReversed() },
  ];
  return (
    <div class="beside">
      {sides.map(({ name, own }) => (
        <div key={name}>
          <p class="side">{name}</p>
          {own.length === 0 ? <p class="empty">None.</p> : <ResultTable panel={panel} rows={rows} shown={own} name={name} place={place} />}
        </div>
      ))}
    </div>
  );
}

/** Looks in the page while it is written; without JavaScript, and for an address that can be sent, by a form. */
function Find({ panel, place: { order, here } }: Omit<Props, 'rows'>): JSX.Element {
  const { pathname, searchParams } = new URL(here, 'http://here');
  const id = `find-${panel.name}`;
  return (
    <form class="find" method="get" action={`${pathname}#${panel.name}`}>
      {[...searchParams].map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {order.sort && (
        <input type="hidden" name={sortName(panel.name)} value={`${order.sort.isDescending ? '-' : ''}${order.sort.column}`} />
      )}
      <label for={id} class="hidden">
        Look for in {panel.title}
      </label>
      <input id={id} type="search" name={findName(panel.name)} value={order.find} placeholder="Look for" autocomplete="off" />
      <button type="submit" class="quiet">
        Find
      </button>
    </form>
  );
}

// The figures of a panel: its chart or its table, with notices, gaps and what is missing.
import type { JSX } from 'preact';
import type { Mark } from './annotations.tsx';
import { Answers } from './answers.tsx';
import { Bridge } from './bridge.tsx';
import { NOTICE_COLUMN, type Rows, separateReasons } from './cells.ts';
import { Gaps } from './gaps.tsx';
import { Calendar, Figures, Heatmap } from './grid-charts.tsx';
import { moreOf, whyOf } from './links.ts';
import { News } from './news.tsx';
import { isTabular, type Panel } from './panel-file.ts';
import { PanelTables } from './panel-tables.tsx';
import type { TablePlace } from './result-table.tsx';
import { Tiles } from './tiles.tsx';

type ResultProps = Readonly<{
  panel: Panel;
  rows: Rows;
  marks: readonly Mark[];
  isCut: boolean;
  unloaded: string | undefined;
  place: TablePlace;
  context: string;
}>;

/** The figures of a panel, as its chart shows them, with what must be known of them. */
export function Result({ panel, rows: all, marks, isCut, unloaded, place, context }: ResultProps): JSX.Element {
  const { rows: told, reasons } = separateReasons(all);
  const rows = { ...all, rows: told };
  if (told.length === 0) {
    const why = reasons.length > 0 && <bdi>{reasons.join(' ')}</bdi>;
    return (
      <>
        <Notices rows={all} />
        <p class="empty">{unloaded ?? (why || (panel.empty ?? 'There are no rows for these choices.'))}</p>
      </>
    );
  }
  const cut = isCut ? <p class="note">Only the first {rows.rows.length} rows are shown. The CSV has all of them.</p> : null;
  if (panel.chart === 'news' && !place.isAlone) {
    return (
      <>
        <Notices rows={rows} />
        {unloaded && <p class="notice">{unloaded}</p>}
        <News panel={panel} rows={rows} place={place} />
        {cut}
      </>
    );
  }
  if (isTabular(panel)) {
    return (
      <>
        <Notices rows={rows} />
        {unloaded && <p class="notice">{unloaded}</p>}
        <PanelTables panel={panel} rows={rows} place={place} />
        {cut}
      </>
    );
  }
  if (panel.chart === 'text') {
    return (
      <>
        <Notices rows={rows} />
        {unloaded && <p class="notice">{unloaded}</p>}
        <Answers panel={panel} rows={rows} place={place} />
        {cut}
      </>
    );
  }
  if (panel.chart === 'bridge') {
    return (
      <>
        <Notices rows={rows} />
        {unloaded && <p class="notice">{unloaded}</p>}
        <Bridge panel={panel} rows={rows} partOf={place.partOf} />
      </>
    );
  }
  return (
    <>
      <Notices rows={rows} />
      {hasFigures(panel, rows) ? (
        <>
          {unloaded && <p class="notice">{unloaded}</p>}
          <ChartOf panel={panel} rows={rows} marks={marks} place={place} context={context} />
        </>
      ) : (
        <p class="empty">{unloaded ?? 'There are no rows with figures for these choices.'}</p>
      )}
      <Gaps panel={panel} rows={rows} isFolded={panel.chart === 'tiles' && !place.isAlone} />
      {/* Open where there is no JavaScript. With it, the chart comes first, and the style sheet and charts.js close it. */}
      <details class="figures-table" open>
        <summary>Table</summary>
        <PanelTables panel={panel} rows={rows} place={place} />
      </details>
      {cut}
    </>
  );
}

/** Says no more than which weeks are compared, and how a change is split. */
const ONLY_WEEKS =
  /^Week of [0-9-]+(?:, compared with the week of [0-9-]+)?\.(?: Like for like [^:]+: \S+ by what happened, \S+ by other weights\.)?$/;

/** What a panel has to say of its own figures: the texts of its column `notice`. */
function Notices({ rows: { columns, rows } }: Readonly<{ rows: Rows }>): JSX.Element {
  const at = columns.findIndex(({ name }) => name === NOTICE_COLUMN);
  const notices = new Set(rows.flatMap((row) => row[at] ?? []));
  return (
    <>
      {[...notices].map((notice) => (
        <p key={notice} class={ONLY_WEEKS.test(notice) ? 'fine' : 'notice'}>
          <bdi>{notice}</bdi>
        </p>
      ))}
    </>
  );
}

/** On a board a tile leads to why, and its figure to more of it. */
function TilesOf({ panel, rows, place }: Readonly<{ panel: Panel; rows: Rows; place: TablePlace }>): JSX.Element {
  if (place.isAlone) return <Tiles panel={panel} rows={rows} />;
  return (
    <Tiles panel={panel} rows={rows} why={panel.measure && whyOf(panel.measure, place)} more={panel.from && moreOf(panel.from, place)} />
  );
}

/** Whether there is anything to draw. */
function hasFigures({ y }: Panel, { columns, rows }: Rows): boolean {
  const drawn = columns.flatMap(({ name }, at) => (y.includes(name) ? [at] : []));
  return rows.some((row) => drawn.some((at) => row[at] !== null));
}

type ChartProps = Readonly<{ panel: Panel; rows: Rows; marks: readonly Mark[]; place: TablePlace; context: string }>;

function ChartOf({ panel, rows, marks, place, context }: ChartProps): JSX.Element | null {
  if (panel.chart === 'calendar') return <Calendar panel={panel} rows={rows} marks={marks} place={place} />;
  if (panel.chart === 'heatmap') return <Heatmap panel={panel} rows={rows} marks={marks} place={place} />;
  if (panel.chart === 'number') return <Figures panel={panel} rows={rows} />;
  if (panel.chart === 'tiles') return <TilesOf panel={panel} rows={rows} place={place} />;
  const { chart, x, y, series, unit, title, isScale, datasets } = panel;
  return (
    <div class="chart" data-chart={JSON.stringify({ chart, x, y, series, unit, title, datasets, context, ...(isScale && { isScale }) })} />
  );
}

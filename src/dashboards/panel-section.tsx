// One panel on the page of its board: the chart, then everything that explains it.
import type { JSX } from 'preact';
import { DATASETS } from '../datasets/index.ts';
import type { Source } from '../warehouse/sources.ts';
import { type Mark, marksOf } from './annotations.tsx';
import { Answers } from './answers.tsx';
import { type Choice, defaultOf, type Query, type ShownPanel } from './board-view.ts';
import { NOTICE_COLUMN, type Rows, separateReasons } from './cells.ts';
import { tellChoices } from './filter-line.tsx';
import { Gaps } from './gaps.tsx';
import { glossaryOf } from './glossary-page.tsx';
import { Calendar, Figures, Heatmap } from './grid-charts.tsx';
import { moreOf, type Place, whyOf } from './links.ts';
import { Movers } from './movers.tsx';
import { News } from './news.tsx';
import { isTabular, type Panel } from './panel-file.ts';
import { PanelMenu } from './panel-menu.tsx';
import { PanelTables } from './panel-tables.tsx';
import type { TablePlace } from './result-table.tsx';
import { readOrder } from './table-order.ts';
import { Tiles } from './tiles.tsx';
import { showTime } from './times.ts';
import type { Values } from './variables.ts';

const WIDE: readonly Panel['chart'][] = ['calendar', 'heatmap', 'text', 'news'];
/** Tables with more columns, or with rows of more characters, take the whole width. */
const MAX_NARROW_COLUMNS = 4;
const MAX_NARROW_TEXT = 80;
/** After as many a cell is continued on the next line. */
const MAX_LINE_OF_CELL = 45;

export function isWide({ panel, result }: ShownPanel): boolean {
  if (panel.chart !== 'table') return WIDE.includes(panel.chart);
  if (panel.beside) return true;
  if (!('columns' in result) || result.rows.length === 0) return false;
  return result.columns.length > MAX_NARROW_COLUMNS || countCharacters(result) > MAX_NARROW_TEXT;
}

/** Of the longest lines of all columns together. */
function countCharacters({ columns, rows }: Rows): number {
  const longest = (at: number): number => rows.reduce((most, row) => Math.max(most, row[at]?.length ?? 0), 0);
  return columns.reduce((sum, _, at) => sum + Math.min(longest(at), MAX_LINE_OF_CELL), 0);
}

/** The names of those that take the whole width: others stand two in a row, and the last of an odd number would leave half of its row empty. */
export function findWide(panels: readonly ShownPanel[]): ReadonlySet<string> {
  const halves = panels.filter((shown) => shown.panel.chart !== 'tiles' && !isWide(shown));
  const alone = halves.length % 2 === 1 ? halves.at(-1) : undefined;
  return new Set(panels.filter((shown) => isWide(shown) || shown === alone).map(({ panel }) => panel.name));
}

type Props = Readonly<{
  shown: ShownPanel;
  choices: readonly Choice[];
  values: Values;
  /** The choices as they stand in addresses. */
  search: string;
  place: Place;
  sources: readonly Source[];
  /** What happened in the weeks of the page. */
  marks: readonly Mark[];
  query: Query;
  now: Date;
  /** What must be known of the week beside its news. */
  remarks?: readonly string[];
  /** Whether it takes the whole width. */
  isWhole: boolean;
  /** Whether it has the page for itself. */
  isAlone: boolean;
  /** Before the ids, in a report, which has panels of several boards. */
  prefix?: string;
}>;

export function PanelSection({
  shown,
  choices,
  values,
  search,
  place: page,
  sources,
  marks: marksOfPage,
  query,
  now,
  remarks = [],
  isWhole,
  isAlone,
  prefix,
}: Props): JSX.Element {
  const { panel, result } = shown;
  const id = `${prefix ?? ''}${panel.name}`;
  const marks = 'failure' in result ? [] : marksOf(panel, result, marksOfPage);
  const alone = `/boards/${panel.board}/${panel.name}${search}`;
  const place = { ...page, order: readOrder(panel, query), alone, isAlone, isReported: prefix !== undefined };
  const classes = ['panel', panel.chart === 'tiles' ? 'tile' : '', isWhole ? 'wide' : ''].filter(Boolean).join(' ');
  const context = tellContext(panel, choices, now);
  return (
    <section id={id} class={classes} aria-labelledby={`${id}-title`}>
      <header>
        <Title id={`${id}-title`} panel={panel} page={page} isAlone={isAlone} />
        <PanelMenu {...{ panel, values, sources, search, alone, isAlone }} />
        {(panel.chart !== 'tiles' || isAlone) && <Question panel={panel} page={page} />}
      </header>
      <Unfiltered panel={panel} choices={choices} />
      {panel.chart === 'news' &&
        remarks.map((remark) => (
          <p key={remark} class="remark">
            {remark}
          </p>
        ))}
      {'failure' in result ? (
        <p class="problem">This panel could not be read: {result.failure}</p>
      ) : (
        <Result
          panel={panel}
          rows={result}
          marks={marks}
          isCut={result.isCut}
          unloaded={tellUnloaded(panel, sources)}
          place={place}
          context={context}
        />
      )}
      {panel.note && <p class="note">{panel.note}</p>}
    </section>
  );
}

type TitleProps = Readonly<{ id: string; panel: Panel; page: Place; isAlone: boolean }>;

/** The name of a measure leads to what it means, any other to the panel with more detail. */
function Title({ id, panel: { title, measure, from }, page, isAlone }: TitleProps): JSX.Element {
  const Heading = isAlone ? 'h1' : 'h2';
  const href = measure ? glossaryOf(measure) : from && !isAlone ? moreOf(from, page) : undefined;
  return <Heading id={id}>{href ? <a href={href}>{title}</a> : title}</Heading>;
}

function Question({ panel, page }: Readonly<{ panel: Panel; page: Place }>): JSX.Element {
  return (
    <p class="question">
      {panel.question} <Ways panel={panel} page={page} />
    </p>
  );
}

/** Where the change of a measure is explained, and where there is more of it. */
function Ways({ panel: { title, measure, from }, page }: Readonly<{ panel: Panel; page: Place }>): JSX.Element | null {
  if (!measure) return null;
  return (
    <>
      <a class="why" href={whyOf(measure, page)}>
        Why<span class="hidden"> has {title} changed</span>?
      </a>{' '}
      {from && (
        <a class="detail" href={moreOf(from, page)}>
          Details<span class="hidden"> of {title}</span>
        </a>
      )}
    </>
  );
}

/** What a picture of a panel says under its title: of which account and filters, and when it was read. */
function tellContext(panel: Panel, choices: readonly Choice[], now: Date): string {
  const own = choices.filter(({ variable }) => panel.variables.some(({ name }) => name === variable.name));
  return [tellChoices(own), `read ${showTime(now)}`].filter(Boolean).join(' · ');
}

/** The choices made on the board that this panel cannot go by: it counts all. */
function Unfiltered({ panel, choices }: Readonly<{ panel: Panel; choices: readonly Choice[] }>): JSX.Element | null {
  const names = choices
    .filter(
      ({ variable, chosen, options }) =>
        variable.allLabel !== undefined &&
        !variable.isDate &&
        variable.isFilter !== false &&
        chosen.length > 0 &&
        chosen.join() !== defaultOf(variable, options).join() &&
        panel.variables.every(({ name }) => name !== variable.name),
    )
    .map(({ variable }) => variable.label);
  return names.length === 0 ? null : <p class="notice">Counts all, regardless of: {names.join(', ')}.</p>;
}

/** That no job of the account loads a dataset that the figures need; undefined when all are loaded. */
function tellUnloaded({ datasets, variables }: Panel, sources: readonly Source[]): string | undefined {
  if (variables.every(({ name }) => name !== 'account')) return undefined;
  const missing = datasets.filter((dataset) => sources.every((source) => source.dataset !== dataset));
  if (missing.length === 0) return undefined;
  // A panel of all datasets shows what there is.
  if (datasets.length === DATASETS.length) return missing.length < DATASETS.length ? undefined : 'No job loads anything for this account.';
  const titles = DATASETS.filter(({ name }) => missing.includes(name)).map(({ title }) => title);
  return `No job loads ${titles.join(' or ')} for this account.`;
}

type ResultProps = Readonly<{
  panel: Panel;
  rows: Rows;
  marks: readonly Mark[];
  isCut: boolean;
  unloaded: string | undefined;
  place: TablePlace;
  context: string;
}>;

function Result({ panel, rows: all, marks, isCut, unloaded, place, context }: ResultProps): JSX.Element {
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
        {panel.chart === 'movers' && !place.isAlone ? (
          <Movers panel={panel} rows={rows} place={place} />
        ) : (
          <PanelTables panel={panel} rows={rows} place={place} />
        )}
        {cut}
      </>
    );
  }
  if (panel.chart === 'text') {
    return (
      <>
        <Notices rows={rows} />
        {unloaded && <p class="notice">{unloaded}</p>}
        <Answers panel={panel} rows={rows} />
        {cut}
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

/** Says no more than which weeks are compared. */
const ONLY_WEEKS = /^Week of [0-9-]+(?:, compared with the week of [0-9-]+)?\.$/;

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

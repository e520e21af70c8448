// One panel on the page of its board: the chart, then everything that explains it.
import type { JSX } from 'preact';
import { DATASETS } from '../datasets/index.ts';
import type { Annotation } from '../warehouse/annotations.ts';
import type { Source } from '../warehouse/sources.ts';
import { Annotations, type Mark, marksOf } from './annotations.tsx';
import { Answers } from './answers.tsx';
import { type Choice, defaultOf, type Query, type ShownPanel } from './board-view.ts';
import { NOTICE_COLUMN, type Rows, separateReasons } from './cells.ts';
import { Gaps, nameWeeks } from './gaps.tsx';
import { Calendar, Figures, Heatmap } from './grid-charts.tsx';
import { moreOf, type Place, whyOf } from './links.ts';
import { Movers } from './movers.tsx';
import { isTabular, type Panel } from './panel-file.ts';
import { PanelTables } from './panel-tables.tsx';
import { Scroll, type TablePlace } from './result-table.tsx';
import { fillIn } from './sql-text.ts';
import { readOrder } from './table-order.ts';
import { Tiles } from './tiles.tsx';
import type { Values } from './variables.ts';

const WIDE: readonly Panel['chart'][] = ['calendar', 'heatmap', 'text'];
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
  annotations: readonly Annotation[];
  query: Query;
  /** Whether it takes the whole width. */
  isWhole: boolean;
  /** Whether it has the page for itself. */
  isAlone: boolean;
}>;

export function PanelSection({
  shown,
  choices,
  values,
  search,
  place: page,
  sources,
  annotations,
  query,
  isWhole,
  isAlone,
}: Props): JSX.Element {
  const { panel, result } = shown;
  const id = panel.name;
  const marks = 'failure' in result ? [] : marksOf(panel, result, annotations);
  const Title = isAlone ? 'h1' : 'h2';
  const alone = `/boards/${panel.board}/${panel.name}${search}`;
  const place = { ...page, order: readOrder(panel, query), alone, isAlone };
  const classes = ['panel', panel.chart === 'tiles' ? 'tile' : '', isWhole ? 'wide' : ''].filter(Boolean).join(' ');
  return (
    <section id={id} class={classes} aria-labelledby={`${id}-title`}>
      <header>
        <Title id={`${id}-title`}>{panel.from && !isAlone ? <a href={moreOf(panel.from, page)}>{panel.title}</a> : panel.title}</Title>
        <p class="question">
          {panel.question}
          {panel.measure && (
            <>
              {' '}
              <a class="why" href={whyOf(panel.measure, page)}>
                Why<span class="hidden"> has {panel.title} changed</span>?
              </a>
            </>
          )}
        </p>
      </header>
      <Unfiltered panel={panel} choices={choices} />
      {'failure' in result ? (
        <p class="problem">This panel could not be read: {result.failure}</p>
      ) : (
        <Result panel={panel} rows={result} marks={marks} isCut={result.isCut} unloaded={tellUnloaded(panel, sources)} place={place} />
      )}
      <Annotations marks={marks} isOfAll={!values.account} isFolded={panel.chart === 'tiles'} />
      {panel.note && <p class="note">{panel.note}</p>}
      <div class="more">
        <details>
          <summary>How this is computed</summary>
          <p>{panel.computed}</p>
          <p>Filters of the jobs that load it:</p>
          <Filters sources={sources.filter(({ dataset }) => panel.datasets.includes(dataset))} />
        </details>
        <details>
          <summary>SQL</summary>
          <p class="fine">Runs in psql unchanged.</p>
          <Scroll label={`SQL of ${panel.title}`}>
            <pre class="sql">
              <code>{fillIn(panel, values)}</code>
            </pre>
          </Scroll>
        </details>
        {isAlone ? (
          <a class="copied" href={alone}>
            Link<span class="hidden"> to {panel.title}</span>
          </a>
        ) : (
          <a class="alone" href={alone}>
            Own page<span class="hidden">: {panel.title}</span>
          </a>
        )}
        <a class="csv" href={`/boards/${panel.board}/${panel.name}.csv${search}`} download>
          CSV<span class="hidden"> of {panel.title}</span>
        </a>
      </div>
    </section>
  );
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
}>;

function Result({ panel, rows: all, marks, isCut, unloaded, place }: ResultProps): JSX.Element {
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
          <ChartOf panel={panel} rows={rows} marks={marks} place={place} />
        </>
      ) : (
        <p class="empty">{unloaded ?? 'There are no rows with figures for these choices.'}</p>
      )}
      <Gaps panel={panel} rows={rows} />
      {/* Open where there is no JavaScript. With it, the chart comes first, and the style sheet and charts.js close it. */}
      <details class="figures-table" open>
        <summary>Table</summary>
        <PanelTables panel={panel} rows={rows} place={place} />
      </details>
      {cut}
    </>
  );
}

/** What a panel has to say of its own figures: the texts of its column `notice`. */
function Notices({ rows: { columns, rows } }: Readonly<{ rows: Rows }>): JSX.Element {
  const at = columns.findIndex(({ name }) => name === NOTICE_COLUMN);
  const notices = new Set(rows.flatMap((row) => row[at] ?? []));
  return (
    <>
      {[...notices].map((notice) => (
        <p key={notice} class="notice">
          <bdi>{notice}</bdi>
        </p>
      ))}
    </>
  );
}

/** Whether there is anything to draw. */
function hasFigures({ y }: Panel, { columns, rows }: Rows): boolean {
  const drawn = columns.flatMap(({ name }, at) => (y.includes(name) ? [at] : []));
  return rows.some((row) => drawn.some((at) => row[at] !== null));
}

type ChartProps = Readonly<{ panel: Panel; rows: Rows; marks: readonly Mark[]; place: Place }>;

function ChartOf({ panel, rows, marks, place }: ChartProps): JSX.Element | null {
  if (panel.chart === 'calendar') return <Calendar panel={panel} rows={rows} marks={marks} place={place} />;
  if (panel.chart === 'heatmap') return <Heatmap panel={panel} rows={rows} marks={marks} place={place} />;
  if (panel.chart === 'number') return <Figures panel={panel} rows={rows} />;
  if (panel.chart === 'tiles') return <Tiles panel={panel} rows={rows} />;
  const { chart, x, y, series, unit, title, isScale } = panel;
  return <div class="chart" data-chart={JSON.stringify({ chart, x, y, series, unit, title, ...(isScale && { isScale }) })} />;
}

/** `countries: US, DE · devices: DESKTOP` */
export function describeFilters(filters: Source['filters']): string {
  const all = Object.entries(filters).map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') : String(value)}`);
  return all.length === 0 ? 'no filters: everything' : all.join(' · ');
}

/** The filters of each job. */
export function Filters({ sources }: Readonly<{ sources: readonly Source[] }>): JSX.Element {
  if (sources.length === 0) return <p class="fine">No job loads it for this account.</p>;
  return (
    <dl class="filters">
      {sources.map(({ job, filters, isConfigured, isEnabled, weeksOfOtherFilters }) => (
        <div key={job}>
          <dt>
            {job}
            {!isConfigured && ' (removed)'}
            {isConfigured && !isEnabled && ' (not planned)'}
          </dt>
          <dd>
            {describeFilters(filters)}
            {weeksOfOtherFilters && weeksOfOtherFilters.length > 0 && (
              <strong class="warning"> Weeks of other filters: {nameWeeks(weeksOfOtherFilters)}</strong>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

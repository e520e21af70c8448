// One panel on the page of its board: the chart, then everything that explains it.
import type { JSX } from 'preact';
import type { Source } from '../warehouse/sources.ts';
import type { Choice, ShownPanel } from './board-view.ts';
import { NOTICE_COLUMN, REASON_COLUMN, type Row, type Rows, showCell } from './cells.ts';
import type { Panel } from './panel-file.ts';
import { Calendar, Figures, Heatmap, ResultTable, Scroll } from './result-tables.tsx';
import type { Values } from './run-panels.ts';
import { fillIn } from './sql-text.ts';

const WIDE: readonly Panel['chart'][] = ['calendar', 'heatmap'];
/** Tables with more columns take the whole width. */
const MAX_NARROW_COLUMNS = 4;

function isWide({ panel, result }: ShownPanel): boolean {
  if (panel.chart !== 'table') return WIDE.includes(panel.chart);
  return 'columns' in result && result.rows.length > 0 && result.columns.length > MAX_NARROW_COLUMNS;
}

type Props = Readonly<{ shown: ShownPanel; choices: readonly Choice[]; values: Values; search: string; sources: readonly Source[] }>;

export function PanelSection({ shown, choices, values, search, sources }: Props): JSX.Element {
  const { panel, result } = shown;
  const id = panel.name;
  return (
    <section id={id} class={isWide(shown) ? 'panel wide' : 'panel'} aria-labelledby={`${id}-title`}>
      <header>
        <h2 id={`${id}-title`}>{panel.title}</h2>
        <p class="question">{panel.question}</p>
      </header>
      <Unfiltered panel={panel} choices={choices} />
      {'failure' in result ? (
        <p class="problem">This panel could not be read: {result.failure}</p>
      ) : (
        <Result panel={panel} rows={result} isCut={result.isCut} />
      )}
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
          <p class="fine">Runs in psql as it stands.</p>
          <Scroll label={`SQL of ${panel.title}`}>
            <pre class="sql">
              <code>{fillIn(panel, values)}</code>
            </pre>
          </Scroll>
        </details>
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
      ({ variable, value }) =>
        variable.allLabel !== undefined && value !== null && panel.variables.every(({ name }) => name !== variable.name),
    )
    .map(({ variable }) => variable.label);
  return names.length === 0 ? null : <p class="notice">Counts all, whatever is chosen for: {names.join(', ')}.</p>;
}

function Result({ panel, rows, isCut }: Readonly<{ panel: Panel; rows: Rows; isCut: boolean }>): JSX.Element {
  if (rows.rows.length === 0) return <p class="empty">{panel.empty ?? 'There is nothing to show for these choices.'}</p>;
  const cut = isCut ? <p class="note">Only the first {rows.rows.length} rows are shown. The CSV has all.</p> : null;
  if (panel.chart === 'table') {
    return (
      <>
        <Notices rows={rows} />
        <ResultTable panel={panel} rows={rows} />
        {cut}
      </>
    );
  }
  return (
    <>
      <Notices rows={rows} />
      <ChartOf panel={panel} rows={rows} />
      <Gaps panel={panel} rows={rows} />
      {/* Open where there is no JavaScript. With it, the chart comes first, and the style sheet and charts.js close it. */}
      <details class="figures-table" open>
        <summary>Table</summary>
        <ResultTable panel={panel} rows={rows} />
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

function ChartOf({ panel, rows }: Readonly<{ panel: Panel; rows: Rows }>): JSX.Element | null {
  if (panel.chart === 'calendar') return <Calendar panel={panel} rows={rows} />;
  if (panel.chart === 'heatmap') return <Heatmap panel={panel} rows={rows} />;
  if (panel.chart === 'number') return <Figures panel={panel} rows={rows} />;
  const { chart, x, y, series, unit, title } = panel;
  return <div class="chart" data-chart={JSON.stringify({ chart, x, y, series, unit, title })} />;
}

const MAX_GAPS = 8;

/** Weeks without a figure, and why; then those whose figures lack something. */
function Gaps({ panel, rows: { columns, rows } }: Readonly<{ panel: Panel; rows: Rows }>): JSX.Element | null {
  const x = columns.findIndex((column) => column.name === panel.x);
  const reason = columns.findIndex((column) => column.name === REASON_COLUMN);
  const y = columns.findIndex((column) => column.name === panel.y[0]);
  if (reason < 0 || x < 0 || panel.chart === 'calendar') return null;
  const told = rows.filter((row) => row[reason]);
  const list = (some: readonly Row[]): string[] => [...new Set(some.map((row) => `${showCell(row[x] ?? null, 'text')} (${row[reason]})`))];
  return (
    <>
      <Reasons title="Gaps" reasons={list(told.filter((row) => row[y] === null))} />
      <Reasons title="Not whole" reasons={list(told.filter((row) => row[y] !== null))} />
    </>
  );
}

function Reasons({ title, reasons }: Readonly<{ title: string; reasons: readonly string[] }>): JSX.Element | null {
  if (reasons.length === 0) return null;
  const rest = reasons.length - MAX_GAPS;
  return (
    <p class="gaps">
      <strong>{title}:</strong> <bdi>{reasons.slice(0, MAX_GAPS).join(', ')}</bdi>
      {rest > 0 ? ` and ${rest} more` : ''}
    </p>
  );
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
              <strong class="warning"> Weeks of other filters: {weeksOfOtherFilters.join(', ')}</strong>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

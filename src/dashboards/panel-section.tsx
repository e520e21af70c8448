// One panel on the page of its board: the chart, then everything that explains it.
import type { JSX } from 'preact';
import { DATASETS } from '../datasets/index.ts';
import { type Mark, marksOf } from './annotations.tsx';
import { type Choice, defaultOf, type Query, type ShownPanel } from './board-view.ts';
import type { Rows } from './cells.ts';
import { tellChoices } from './filter-line.tsx';
import { glossaryOf } from './glossary-page.tsx';
import type { NewsRemarks } from './headline.ts';
import { againstOf, moreOf, type Place, whyOf } from './links.ts';
import type { Panel } from './panel-file.ts';
import { PanelMenu } from './panel-menu.tsx';
import { Result } from './panel-result.tsx';
import type { Source } from './sources.ts';
import { readOrder } from './table-order.ts';
import { showTime } from './times.ts';
import type { Values } from './variables.ts';

const WIDE: readonly Panel['chart'][] = ['calendar', 'heatmap', 'text', 'news', 'bridge'];
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
  remarks?: NewsRemarks;
  /** Whether it takes the whole width. */
  isWhole: boolean;
  /** Whether it has the page for itself. */
  isAlone: boolean;
  /** In a report, which has panels of several boards: the id and the title of the part that it belongs to. */
  part?: Readonly<{ id: string; title: string; firstRows?: number }>;
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
  remarks = { said: [], uncompared: undefined },
  isWhole,
  isAlone,
  part,
}: Props): JSX.Element {
  const { panel, result } = shown;
  const id = part ? `${part.id}-${panel.name}` : panel.name;
  const marks = 'failure' in result ? [] : marksOf(panel, result, marksOfPage);
  const alone = `/boards/${panel.board}/${panel.name}${search}`;
  const place = { ...page, order: readOrder(panel, query), alone, isAlone, partOf: part?.title, firstRows: part?.firstRows };
  const classes = ['panel', panel.chart === 'tiles' ? 'tile' : '', isWhole ? 'wide' : ''].filter(Boolean).join(' ');
  const context = tellContext(panel, choices, now);
  return (
    <section id={id} class={classes} aria-labelledby={[part?.id, `${id}-title`].filter(Boolean).join(' ')}>
      <header>
        <Title id={`${id}-title`} panel={panel} page={page} isAlone={isAlone} />
        {!part && <PanelMenu {...{ panel, values, sources, search, alone, isAlone }} />}
        {(panel.chart !== 'tiles' || isAlone) && <Question panel={panel} page={page} />}
      </header>
      <Unfiltered panel={panel} choices={choices} />
      {panel.chart === 'news' &&
        remarks.said.map((remark) => (
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
          unloaded={tellUnloaded(panel, sources) ?? (panel.chart === 'news' ? remarks.uncompared : undefined)}
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

/** Where the change of a measure is explained, where a site is set against us, and where there is more of it. */
function Ways({ panel, page }: Readonly<{ panel: Panel; page: Place }>): JSX.Element | null {
  const { title, measure, from } = panel;
  const against = againstOf(panel, page);
  if (!measure && !against) return null;
  return (
    <>
      {against && (
        <>
          <a class="why" href={against}>
            Why<span class="hidden"> has {title} changed, and who gained what the other lost</span>?
          </a>{' '}
        </>
      )}
      {measure && (
        <a class="why" href={whyOf(measure, page)}>
          {/* Of a page about a site, a measure is about ours. */}
          Why{against && ' ours'}
          <span class="hidden"> has {title} changed</span>?
        </a>
      )}{' '}
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

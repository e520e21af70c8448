// A figure of the newest week, large: what it was before, whether that is more than noise, and its weeks as a line. One tile for each series.
import type { JSX } from 'preact';
import { groupBy } from '../core/group-by.ts';
import { type Cell, digitsOf, REASON_COLUMN, type Row, type Rows, showCell } from './cells.ts';
import { labelOf } from './labels.ts';
import { unitsOf } from './measures.ts';
import type { Panel } from './panel-file.ts';
import { isSignal, tellReading } from './readings.ts';
import { Value } from './result-table.tsx';

/** What tiles read of a panel beside its axes; those of search_reports.tile_of. */
const COLUMNS = [
  'low',
  'high',
  'compared_with',
  'change',
  'added',
  'dropped',
  'reading',
  'mean_of_four',
  'against_mean',
  'uncompared',
  'question',
] as const;
type Name = (typeof COLUMNS)[number] | 'week' | 'figure' | 'reason';
export type TileWeek = Readonly<Record<Name, Cell>>;

/** Of each tile its name and its weeks, the oldest first. */
export function tilesOf({ x, y, series }: Panel, { columns, rows }: Rows): ReadonlyMap<string, readonly TileWeek[]> {
  const at = (name: string | undefined): number => columns.findIndex((column) => column.name === name);
  const names: readonly (readonly [Name, number])[] = [
    ['week', at(x)],
    ['figure', at(y[0])],
    ['reason', at(REASON_COLUMN)],
    ...COLUMNS.map((name) => [name, at(name)] as const),
  ];
  const read = (row: Row): TileWeek => Object.fromEntries(names.map(([name, place]) => [name, row[place] ?? null])) as TileWeek;
  // A row without a week says why there is none.
  const known = rows.filter((row) => row[at(x)] !== null);
  const byName = groupBy(known, (row) => labelOf(series, row[at(series)] ?? ''));
  return new Map([...byName].map(([name, own]) => [name, own.map(read)]));
}

type TilesProps = Readonly<{
  panel: Panel;
  rows: Rows;
  /** Where the change is explained, and where there is more of it. */
  why?: string | undefined;
  more?: string | undefined;
}>;

export function Tiles({ panel, rows, why, more }: TilesProps): JSX.Element {
  return (
    <div class="tiles">
      {[...tilesOf(panel, rows)].map(([name, weeks]) => (
        <div key={name} class="figure-tile">
          {name && (
            <p class="side">
              <bdi>{name}</bdi>
            </p>
          )}
          <Tile panel={panel} weeks={weeks} why={why} more={more} />
        </div>
      ))}
    </div>
  );
}

type TileProps = Omit<TilesProps, 'rows'> & Readonly<{ weeks: readonly TileWeek[] }>;

/** The level, its change and whether that is noise, and its weeks; what else there is to say stands under them in small type. */
function Tile({ panel, weeks, why, more }: TileProps): JSX.Element | null {
  const newest = weeks.at(-1);
  if (!newest) return null;
  const digits = digitsOf(weeks.map(({ figure }) => figure));
  const show = (cell: Cell, isChange = false): JSX.Element => (
    <Value cell={cell} kind="number" unit={isChange ? undefined : panel.unit} digits={digits} isChange={isChange} />
  );
  const last = weeks.findLast(({ figure }) => figure !== null);
  return (
    <>
      <p class="large">
        {more === undefined ? (
          show(newest.figure)
        ) : (
          <a class="detail" href={more}>
            {show(newest.figure)}
            <span class="hidden">: details of {panel.title}</span>
          </a>
        )}{' '}
        {why !== undefined && (
          <a class="why" href={why}>
            Why<span class="hidden"> has {panel.title} changed</span>?
          </a>
        )}
      </p>
      <p class="change">
        <Change panel={panel} week={newest} digits={digits} />
      </p>
      <Sparkline weeks={weeks} isPlace={isPlace(panel)} describe={(cell) => showCell(cell, 'number', digits)} />
      {newest.figure === null ? (
        <p class="fine warning">
          Week of <time>{newest.week}</time>: <bdi>{newest.reason ?? 'no figure'}</bdi>.{' '}
          {last && (
            <>
              In the week of <time>{last.week}</time>: {show(last.figure)}.
            </>
          )}
        </p>
      ) : (
        newest.uncompared !== null && (
          <p class="fine warning">
            Not compared: <bdi>{newest.uncompared}</bdi>
          </p>
        )
      )}
      {newest.figure !== null && <Others of={unitsOf(panel.measure)} week={newest} show={(cell) => show(cell, true)} />}
      {newest.figure !== null && <Around week={newest} digits={digits} />}
    </>
  );
}

type OthersProps = Readonly<{ of: string; week: TileWeek; show: (cell: Cell) => JSX.Element }>;

/** What units that only one of the weeks has add to the difference of the two figures, beside the change. */
function Others({ of, week, show }: OthersProps): JSX.Element | null {
  const parts = [
    { what: 'Added', cell: week.added },
    { what: 'Dropped', cell: week.dropped },
  ].filter(({ cell }) => Number(cell) !== 0);
  if (parts.length === 0) return null;
  return (
    <ul class="fine">
      {parts.map(({ what, cell }) => (
        <li key={what}>
          {what} {of}: {show(cell)}
        </li>
      ))}
    </ul>
  );
}

/** What surrounds the figure: its interval, and the mean of the weeks before. */
function Around({ week, digits }: Readonly<{ week: TileWeek; digits: number }>): JSX.Element {
  const show = (cell: Cell): string => showCell(cell, 'number', digits);
  const told = [
    ...(week.low === null ? [] : [`95 % interval: ${show(week.low)}–${show(week.high)}`]),
    ...(week.mean_of_four === null ? [] : [`Mean of 4 weeks before: ${show(week.mean_of_four)}`]),
  ];
  return (
    <ul class="fine">
      {told.map((each) => (
        <li key={each}>{each}</li>
      ))}
    </ul>
  );
}

/** Of places the first is the best. */
export const isPlace = ({ unit }: Pick<Panel, 'unit'>): boolean => unit === 'place';

/** The change like for like. Noise has no colour. */
function Change({ panel, week, digits }: Readonly<{ panel: Panel; week: TileWeek; digits: number }>): JSX.Element | null {
  if (week.change === null) return null;
  const isKnown = isSignal(week.reading);
  const amount = Number(week.change) * (isPlace(panel) ? -1 : 1);
  return (
    <>
      <strong class={isKnown ? (amount > 0 ? 'up' : amount < 0 ? 'down' : undefined) : undefined}>
        <Value cell={week.change} kind="number" digits={digits} isChange />
      </strong>{' '}
      <span class="fine">
        <span class="hidden">
          like for like against <time>{week.compared_with}</time>,{' '}
        </span>
        <span class={isKnown ? 'signal' : 'noise'}>{tellReading(week.reading, week.change)}</span>
      </span>
    </>
  );
}

const WIDTH = 240;
const HEIGHT = 40;
const EDGE = 4;

type SparklineProps = Readonly<{ weeks: readonly TileWeek[]; isPlace: boolean; describe: (cell: Cell) => string }>;

/** Interrupted where a week has no figure, and where less than most of it is the same as the week before. */
function Sparkline({ weeks, isPlace, describe }: SparklineProps): JSX.Element | null {
  const known = weeks.flatMap(({ figure }) => (figure === null ? [] : [Number(figure)]));
  if (known.length < 2) return null;
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const x = (index: number): number => EDGE + (index * (WIDTH - 2 * EDGE)) / (weeks.length - 1);
  const y = (figure: number): number => {
    const share = most > least ? (figure - least) / (most - least) : 0.5;
    return Math.round((EDGE + (isPlace ? share : 1 - share) * (HEIGHT - 2 * EDGE)) * 10) / 10;
  };
  const points = weeks.map(({ figure, question }, index) => {
    if (figure === null) return undefined;
    const before = weeks[index - 1];
    const isJoined = before !== undefined && before.figure !== null && before.question === question;
    return { isJoined, x: Math.round(x(index) * 10) / 10, y: y(Number(figure)) };
  });
  const path = points.map((point) => (point ? `${point.isJoined ? 'L' : 'M'}${point.x} ${point.y}` : '')).join('');
  const alone = points.filter((point, index) => point && !point.isJoined && !points[index + 1]?.isJoined);
  const dots = [...new Set([...alone, points.at(-1)])].flatMap((point) => point ?? []);
  const label = `${weeks.length} weeks: from ${describe(String(least))} to ${describe(String(most))}`;
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
      <path d={path} fill="none" />
      {dots.map(({ x: cx, y: cy }) => (
        <path key={cx} class="dot" d={`M${cx} ${cy}h0.01`} fill="none" />
      ))}
    </svg>
  );
}

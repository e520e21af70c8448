// The news of a page, as home and messages tell it: lines of its panels of news, the largest first, and what must be known of the week: that it is
// quiet, what could not be compared, and which figures end before it.
import { groupBy } from '../core/group-by.ts';
import type { ShownPanel } from './board-view.ts';
import { type Cell, digitsOf, type Row, type Rows, showCell } from './cells.ts';
import { nameAssistant } from './labels.ts';
import { type Named, namedOf } from './links.ts';
import { type Measure, readMeasures } from './measures.ts';
import type { Panel } from './panel-file.ts';
import { isSignal, READING_COLUMN } from './readings.ts';
import type { PanelResult } from './run-panels.ts';
import { type TileWeek, tilesOf } from './tiles.tsx';

/** One line of news. `amount` is in points of the measure. */
export type NewsLine = Readonly<{
  panel: Panel;
  text: string;
  amount: number;
  /** The amount with its sign: `−0.44`. */
  shown: string;
  measure: Measure | undefined;
  reading: Cell;
  /** Whether it is known to be more than noise, and for the better. */
  isSignal: boolean;
  isGood: boolean;
  /** The rival whose figure it is about: more for it is less for us. Null for a figure of ours. */
  rival: Cell;
  /** What it is about. */
  named: readonly Named[];
}>;

/** The column of a panel of news that names the measure of each row. */
const MEASURE_COLUMN = 'measure';
/** The column that names the rival of a row. */
export const RIVAL_COLUMN = 'competitor';
const AMOUNT_DIGITS = 2;

/** The lines of a panel of news in their order. */
export function newsOf(panel: Panel, { columns, rows }: Rows): readonly NewsLine[] {
  const cellOf = (row: Row, column: string | undefined): Cell => row[columns.findIndex(({ name }) => name === column)] ?? null;
  return rows.flatMap((row): NewsLine[] => {
    const text = cellOf(row, panel.x);
    if (text === null) return [];
    const amount = Number(cellOf(row, panel.y[0]));
    const measure = readMeasures().find(({ name }) => name === cellOf(row, MEASURE_COLUMN));
    const reading = cellOf(row, READING_COLUMN);
    const rival = cellOf(row, RIVAL_COLUMN);
    return [
      {
        panel,
        text: nameAssistant(text, cellOf(row, 'assistant')),
        amount,
        shown: showAmount(amount),
        measure,
        reading,
        // The whole may be more than chance and have moved the other way.
        isSignal: isSignal(reading) && (reading === 'more') === amount > 0,
        isGood: amount > 0 === (measure?.better !== 'lower' && rival === null),
        rival,
        named: namedOf(panel, { columns }, row),
      },
    ];
  });
}

/** Never 0 for an amount that is not. */
function showAmount(amount: number): string {
  const size = Math.abs(amount);
  const least = 10 ** -AMOUNT_DIGITS;
  const shown = size > 0 && size < least / 2 ? `<${least}` : size.toFixed(AMOUNT_DIGITS);
  return `${amount > 0 ? '+' : amount < 0 ? '\u2212' : '\u00b1'}${shown}`;
}

/** `−1.10 points of mention rate: ChatGPT stopped naming us in answers to 2 prompts: …`, as messages tell a line. */
export const tellNews = ({ shown, measure, text }: NewsLine): string =>
  `${shown} points${measure ? ` of ${measure.title.toLowerCase()}` : ''}: ${text}`;

type Read = Readonly<{ panel: Panel; rows: PanelResult }>;

const readOf = (shown: readonly ShownPanel[]): readonly Read[] =>
  shown.flatMap(({ panel, result }) => ('failure' in result ? [] : [{ panel, rows: result }]));

/**
 * What must be known of the week beside its news, from the tiles of the page: what it is as a whole, what the news leave out, and why no figure can be compared,
 * if none can, so that there can be no news.
 */
type Remarks = Readonly<{ isQuiet: boolean; whole: readonly string[]; beside: readonly string[]; uncompared: string | undefined }>;

function readRemarks(shown: readonly ShownPanel[]): Remarks {
  const all = readOf(shown)
    .filter(({ panel }) => panel.chart === 'tiles')
    .flatMap(readNewest);
  const newest = newestOf(all);
  if (newest === undefined) return { isQuiet: false, whole: [], beside: [], uncompared: undefined };
  // One week is told of: a dataset that is no longer loaded, or loaded later, is not news.
  const tiles = all.filter(({ week }) => week.week === newest);
  const compared = tiles.filter(({ week }) => week.change !== null);
  const lines = linesOf(shown, newest);
  const isQuiet = compared.length > 0 && !compared.some(({ week }) => isSignal(week.reading)) && !lines.some((line) => line.isSignal);
  const silent = tiles.filter(({ week }) => week.figure === null || week.uncompared !== null);
  const reasons = new Set(silent.flatMap(({ week }) => week.uncompared ?? []));
  const uncompared = compared.length === 0 && reasons.size > 0 ? `Nothing can be compared: ${[...reasons].join('; ')}.` : undefined;
  const ended = groupBy(
    all.filter(({ week }) => week.week !== newest),
    ({ week }) => String(week.week),
  );
  return {
    isQuiet,
    uncompared,
    whole: isQuiet
      ? [
          `A quiet week: no change since the week of ${compared[0]?.week.compared_with} is known to be more than chance (${titlesOf(compared)}).`,
        ]
      : tellWholes(compared, lines),
    beside: [
      ...tellOthers(compared),
      ...(uncompared === undefined && silent.length > 0 ? [`Without a comparison: ${titlesOf(silent)}.`] : []),
      ...[...ended].map(([week, of]) => `No week after that of ${week}: ${titlesOf(of)}.`),
    ],
  };
}

/** What panels of news say before their lines, or, if no figure can be compared, in place of them. */
export type NewsRemarks = Readonly<{ said: readonly string[]; uncompared: string | undefined }>;

export function remarksOf(shown: readonly ShownPanel[]): NewsRemarks {
  const { whole, beside, uncompared } = readRemarks(shown);
  return { said: [...whole, ...beside], uncompared };
}

/** The figures whose change is more than chance, although no line of news in its direction is: the largest first. */
function tellWholes(compared: readonly Newest[], lines: readonly NewsLine[]): readonly string[] {
  return compared
    .filter(({ week }) => isSignal(week.reading))
    .map((tile) => ({ ...tile, amount: Number(tile.week.change) }))
    .filter(
      ({ panel, amount }) => !lines.some((line) => line.isSignal && line.measure?.name === panel.measure && line.amount > 0 === amount > 0),
    )
    .toSorted((a, b) => Math.abs(b.amount) - Math.abs(a.amount))
    .map(({ panel, amount, digits }) => {
      const hasLines = lines.some((line) => line.measure?.name === panel.measure);
      const by = `${showCell(String(Math.abs(amount)), 'number', digits)} ${panel.unit === '%' ? 'points' : 'places'}`;
      const alone = hasLines ? '; no line below is so by itself' : '';
      return `${panel.title} ${amount > 0 ? 'rose' : 'fell'} by ${by} like for like, more than chance${alone}.`;
    });
}

/** The lines of news of a week. */
const linesOf = (shown: readonly ShownPanel[], week: string | undefined): readonly NewsLine[] =>
  readOf(shown)
    .filter(({ panel }) => panel.chart === 'news')
    .flatMap(({ panel, rows }) => newsOf(panel, week === undefined ? rows : chooseWeek(rows, week)));

/**
 * Where more of the difference of two figures comes from what is tracked than from what happened. Otherwise a figure that rises with the tracked
 * searches or prompts would be taken for a success.
 */
function tellOthers(compared: readonly Newest[]): readonly string[] {
  const moved = compared.flatMap(({ panel, week, digits }) => {
    const amount = Number(week.added) + Number(week.dropped);
    const shown = showCell(String(Math.abs(amount)), 'number', digits);
    const isMost = Math.abs(amount) > Math.abs(Number(week.change)) && Number(shown) > 0;
    return isMost ? [`${panel.title.toLowerCase()} by ${amount > 0 ? '+' : '\u2212'}${shown}`] : [];
  });
  if (moved.length === 0) return [];
  return [
    `Searches or prompts that were added or dropped since the week of ${compared[0]?.week.compared_with} move ${moved.join(', ')} points; the changes above leave them out.`,
  ];
}

/** The news of a page as sentences, with the panel of each: a quiet week says so first. */
export function headlineOf(shown: readonly ShownPanel[]): readonly Readonly<{ panel: string; text: string }>[] {
  const panelOfNews = shown.find(({ panel }) => panel.chart === 'news')?.panel.name ?? '';
  const { isQuiet, whole, uncompared, ...left } = readRemarks(shown);
  const beside = [uncompared ?? [], left.beside].flat();
  const asRemark = (text: string) => ({ panel: panelOfNews, text });
  const told = linesOf(shown, findNewestWeek(shown)).map((line) => ({ panel: line.panel.name, text: tellNews(line) }));
  const [first, second] = isQuiet ? [beside.map(asRemark), told] : [told, beside.map(asRemark)];
  return [...whole.map(asRemark), ...first, ...second];
}

const titlesOf = (tiles: readonly Newest[]): string => tiles.map(({ panel }) => panel.title.toLowerCase()).join(', ');

type Newest = Readonly<{ panel: Panel; week: TileWeek; digits: number }>;

function readNewest({ panel, rows }: Read): Newest[] {
  return [...tilesOf(panel, rows).values()].flatMap((weeks) => {
    const week = weeks.at(-1);
    return week ? [{ panel, week, digits: digitsOf(weeks.map(({ figure }) => figure)) }] : [];
  });
}

function newestOf(tiles: readonly Newest[]): string | undefined {
  return tiles
    .map(({ week }) => week.week)
    .reduce<string | undefined>((latest, week) => (week && week > (latest ?? '') ? week : latest), undefined);
}

/** The newest week of any tile, which the news are about; undefined if there is none. */
export function findNewestWeek(shown: readonly ShownPanel[]): string | undefined {
  return newestOf(
    readOf(shown)
      .filter(({ panel }) => panel.chart === 'tiles')
      .flatMap(readNewest),
  );
}

/** The rows of one week; all rows if the panel has no column `week`. */
export function chooseWeek<R extends Rows>(rows: R, week: string): R {
  const at = rows.columns.findIndex(({ name }) => name === 'week');
  return { ...rows, rows: rows.rows.filter((row) => at < 0 || row[at] === week) };
}

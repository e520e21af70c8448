// The headline: a few sentences from the panels of a page: which tiles moved by more than noise, which signals were found, what won and lost
// most. Each fact is as its panel shows it.

import { groupBy } from '../core/group-by.ts';
import type { ShownPanel } from './board-view.ts';
import { type Cell, digitsOf, type Row, type Rows, showCell } from './cells.ts';
import { labelOf } from './labels.ts';
import { MARKET, type Named, namedOf } from './links.ts';
import type { Panel } from './panel-file.ts';
import { isMoreThanNoise, isSignal } from './readings.ts';
import type { PanelResult } from './run-panels.ts';
import { isPlace, type TileWeek, tilesOf } from './tiles.tsx';

export type Part = Readonly<{ text: string; named?: readonly Named[] }>;
/** A sentence and the panel it is from. A part links to what its `named` cells lead to. */
export type Fact = Readonly<{ panel: string; text: string; parts: readonly Part[] }>;

const factOf = (panel: string, ...parts: readonly Part[]): Fact => ({ panel, text: parts.map(({ text }) => text).join(''), parts });

type Read = Readonly<{ panel: Panel; rows: PanelResult }>;

/** The facts of a page, most important first; none for a page without tiles. */
export function headlineOf(shown: readonly ShownPanel[]): readonly Fact[] {
  const read = shown.flatMap(({ panel, result }): Read[] => ('failure' in result ? [] : [{ panel, rows: result }]));
  const all = read.filter(({ panel }) => panel.chart === 'tiles').flatMap(readNewest);
  const newest = newestOf(all);
  if (newest === undefined) return [];
  // The headline covers one week: a dataset that is no longer loaded, or loaded later, is not news.
  const tiles = all.filter(({ week }) => week.week === newest);
  const moved = tiles.filter(({ week }) => week.change !== null && isSignal(week.reading));
  const compared = tiles.filter(({ week }) => week.change !== null);
  const silent = tiles.filter(({ week }) => week.figure === null || week.uncompared !== null);
  const ofWeek = read.map(({ panel, rows }) => ({ panel, rows: chooseWeek(rows, newest) }));
  const facts = [
    ...moved.map(tellMove),
    ...ofWeek.flatMap(tellFound),
    ...ofWeek.filter(({ panel }) => panel.chart === 'movers').flatMap(tellMost),
  ];
  // Tiles that did not move are mentioned only when none moved.
  const [still] = moved.length > 0 ? [] : compared;
  if (still) {
    const text = `A quiet week: no change since the week of ${still.week.compared_with} is known to be more than chance (${titlesOf(compared)}).`;
    facts.push(factOf(still.panel.name, { text }));
  }
  if (silent.length > 0) facts.push(factOf(silent[0]?.panel.name ?? '', { text: `Without a comparison: ${titlesOf(silent)}.` }));
  const ended = groupBy(
    all.filter(({ week }) => week.week !== newest),
    ({ week }) => String(week.week),
  );
  for (const [week, of] of ended) facts.push(factOf(of[0]?.panel.name ?? '', { text: `No week after that of ${week}: ${titlesOf(of)}.` }));
  return facts;
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

/** The newest week of any tile, which the headline is about; undefined if there is none. */
export function findNewestWeek(shown: readonly ShownPanel[]): string | undefined {
  return newestOf(
    shown.flatMap(({ panel, result }) => ('failure' in result || panel.chart !== 'tiles' ? [] : readNewest({ panel, rows: result }))),
  );
}

/** The rows of one week; all rows if the panel has no column `week`. */
export function chooseWeek<R extends Rows>(rows: R, week: string): R {
  const at = rows.columns.findIndex(({ name }) => name === 'week');
  return { ...rows, rows: rows.rows.filter((row) => at < 0 || row[at] === week) };
}

/** `Mention rate fell by 4.2 points to 31.0 %.` */
function tellMove({ panel, week, digits }: Newest): Fact {
  const change = Number(week.change);
  const by = showCell(String(Math.abs(change)), 'number', digits);
  const figure = showCell(week.figure, 'number', digits);
  const verb = isPlace(panel) ? (change < 0 ? 'improved' : 'worsened') : change > 0 ? 'rose' : 'fell';
  const unit = isPlace(panel) ? (Number(by) === 1 ? 'place' : 'places') : 'points';
  return factOf(panel.name, { text: `${panel.title} ${verb} by ${by} ${unit} to ${figure}${panel.unit === '%' ? ' %' : ''}.` });
}

/** Most kinds of news in the headline, in the order of the panel. */
const MOST_SIGNALS = 6;

/** The first sentence of each kind, from a panel whose header names the two columns. */
function tellFound({ panel, rows: { columns, rows } }: Read): Fact[] {
  if (!panel.headline) return [];
  const cellOf = (row: Row, column: string): Cell => row[columns.findIndex(({ name }) => name === column)] ?? null;
  const { kind, sentence } = panel.headline;
  const first = new Map<Cell, Row>();
  for (const row of rows) if (!first.has(cellOf(row, kind))) first.set(cellOf(row, kind), row);
  return [...first.values()]
    .flatMap((row) => {
      const text = cellOf(row, sentence);
      return text === null
        ? []
        : [factOf(panel.name, { text: asSentence(nameFirst(text, cellOf(row, 'assistant'))), named: namedOf(panel, { columns }, row) })];
    })
    .slice(0, MOST_SIGNALS);
}

/** A sentence that begins with the name of an assistant, with the readable one. */
const nameFirst = (text: string, assistant: Cell): string =>
  assistant !== null && text.startsWith(`${assistant} `) ? `${labelOf('assistant', assistant)}${text.slice(assistant.length)}` : text;

/** Adds a full stop unless the text ends with a punctuation mark, also inside a final quotation mark. */
function asSentence(text: string): string {
  return /[.!?…][”"’']?$/.test(text) ? text : `${text}.`;
}

/** Most things named on each side of the sentence. */
const MOST_MOVED = 2;

/** `Searches, won most: a (Desktop, Google, US: place 9 → 2); lost most: c (Smartphone, Bing, US: place 1 → –).` A repeated name, as on another device, is named once. */
function tellMost({ panel, rows }: Read): Fact[] {
  const parts = sidesOf(panel, rows).flatMap(({ word, moved }): Part[] => {
    const most = moved.filter(({ name }, at) => moved.findIndex((other) => other.name === name) === at).slice(0, MOST_MOVED);
    return most.flatMap(({ cell, name, market, places }, at): Part[] => [
      { text: at === 0 ? `; ${word.toLowerCase()} most: ` : ', ' },
      { text: name, named: [{ column: panel.x ?? '', cell }, ...market] },
      { text: ` ${places}` },
    ]);
  });
  const [first, ...others] = parts;
  if (first === undefined) return [];
  return [factOf(panel.name, { text: panel.title }, { text: first.text.replace(';', ',') }, ...others, { text: '.' })];
}

/** A thing that moved: name `boots`, places `(Desktop, Google, US: place 9 → 2)`, with the market of a search. */
type Moved = Readonly<{ cell: Cell; name: string; market: readonly Named[]; places: string }>;

/** What moved up and what moved down in a panel of movers, largest change first. Changes within noise are left out. */
export function sidesOf(panel: Panel, { columns, rows }: Rows): readonly Readonly<{ word: string; moved: readonly Moved[] }>[] {
  const find = (name: string | undefined): number => columns.findIndex((column) => column.name === name);
  const [name, before, now, change] = [find(panel.x), find(panel.y[0]), find(panel.y[1]), find(panel.beside?.column)];
  const show = (row: readonly Cell[], at: number): string => showCell(row[at] ?? null, columns[at]?.kind ?? 'text');
  const what = unitOf(panel);
  const marketOf = (row: readonly Cell[]): readonly Named[] =>
    MARKET.map((column) => ({ column, cell: row[find(column)] ?? null })).filter(({ cell }) => cell);
  const tell = (row: readonly Cell[]): Moved => {
    const market = marketOf(row);
    const tracked = market.map(({ column, cell }) => labelOf(column, cell)).join(', ');
    return {
      cell: row[name] ?? null,
      name: labelOf(panel.x, row[name] ?? ''),
      market,
      places: `(${tracked && `${tracked}: `}${what}${show(row, before)} → ${show(row, now)})`,
    };
  };
  const known = rows.filter((row) => row[name] !== null && isMoreThanNoise(columns, row));
  return [
    { word: panel.beside?.above ?? '', moved: known.filter((row) => Number(row[change]) > 0).map(tell) },
    {
      word: panel.beside?.below ?? '',
      moved: known
        .filter((row) => Number(row[change]) < 0)
        .reverse()
        .map(tell),
    },
  ];
}

/** The unit of a panel of movers, from its first y column: `place ` from `place_before`. */
function unitOf({ y: [before = ''] }: Pick<Panel, 'y'>): string {
  return before.endsWith('_before') ? before.replace(/before$/, '').replaceAll('_', ' ') : '';
}

// A few sentences of what the panels of a page say: which tiles moved by more than noise, what the rules have found, what won and lost most. Facts
// only, each as its panel has it.

import type { ShownPanel } from './board-view.ts';
import { type Cell, digitsOf, type Rows, showCell } from './cells.ts';
import { labelOf } from './labels.ts';
import type { Panel } from './panel-file.ts';
import type { PanelResult } from './run-panels.ts';
import { isPlace, NOISE, type TileWeek, tilesOf } from './tiles.tsx';

/** A piece of the sentence, and the panel that it is from. */
export type Fact = Readonly<{ panel: string; text: string }>;

type Read = Readonly<{ panel: Panel; rows: PanelResult }>;

/** What there is to say, the most important first; none for a page without tiles. */
export function headlineOf(shown: readonly ShownPanel[]): readonly Fact[] {
  const read = shown.flatMap(({ panel, result }): Read[] => ('failure' in result ? [] : [{ panel, rows: result }]));
  const tiles = read.filter(({ panel }) => panel.chart === 'tiles').flatMap(readNewest);
  if (tiles.length === 0) return [];
  const moved = tiles.filter(({ week }) => week.change !== null && week.reading !== null && week.reading !== NOISE);
  const compared = tiles.filter(({ week }) => week.change !== null);
  const silent = tiles.filter(({ week }) => week.figure === null || week.uncompared !== null);
  const facts = moved.map(tellMove);
  if (moved.length === 0 && compared.length > 0)
    facts.push({
      panel: compared[0]?.panel.name ?? '',
      text: `No figure is known to have moved by more than noise since the week of ${compared[0]?.week.compared_with}.`,
    });
  facts.push(
    ...read.filter(({ rows }) => isOfRules(rows)).flatMap(tellFound),
    ...read.filter(({ panel }) => panel.chart === 'movers').flatMap(tellMost),
  );
  if (silent.length > 0)
    facts.push({
      panel: silent[0]?.panel.name ?? '',
      text: `Without a comparison: ${silent.map(({ panel }) => panel.title.toLowerCase()).join(', ')}.`,
    });
  return facts;
}

type Newest = Readonly<{ panel: Panel; week: TileWeek; digits: number }>;

function readNewest({ panel, rows }: Read): Newest[] {
  return [...tilesOf(panel, rows).values()].flatMap((weeks) => {
    const week = weeks.at(-1);
    return week ? [{ panel, week, digits: digitsOf(weeks.map(({ figure }) => figure)) }] : [];
  });
}

/** `Mention rate fell by 4.2 points to 31.0 %.` */
function tellMove({ panel, week, digits }: Newest): Fact {
  const change = Number(week.change);
  const by = showCell(String(Math.abs(change)), 'number', digits);
  const figure = showCell(week.figure, 'number', digits);
  const verb = isPlace(panel) ? (change < 0 ? 'improved' : 'worsened') : change > 0 ? 'rose' : 'fell';
  const unit = isPlace(panel) ? (Number(by) === 1 ? 'place' : 'places') : 'points';
  return { panel: panel.name, text: `${panel.title} ${verb} by ${by} ${unit} to ${figure}${panel.unit === '%' ? ' %' : ''}.` };
}

/** Signals of the most different kinds, in the order of the rules. */
const MOST_SIGNALS = 4;

const isOfRules = ({ columns }: PanelResult): boolean =>
  ['what', 'details'].every((name) => columns.some((column) => column.name === name));

/** The weightiest of each rule. */
function tellFound({ panel, rows: { columns, rows } }: Read): Fact[] {
  const [what, details] = ['what', 'details'].map((name) => columns.findIndex((column) => column.name === name));
  const first = new Map<Cell, Cell>();
  for (const row of rows) if (!first.has(row[what ?? -1] ?? null)) first.set(row[what ?? -1] ?? null, row[details ?? -1] ?? null);
  return [...first.values()].flatMap((text) => (text === null ? [] : [{ panel: panel.name, text: `${text}.` }])).slice(0, MOST_SIGNALS);
}

/** `Searches, won most: a (9 → 2); lost most: b (1 → –).` */
function tellMost({ panel, rows }: Read): Fact[] {
  const told = sidesOf(panel, rows).flatMap(({ word, moved: [most] }) => (most ? [`${word.toLowerCase()} most: ${most}`] : []));
  return told.length === 0 ? [] : [{ panel: panel.name, text: `${panel.title}, ${told.join('; ')}.` }];
}

/** What moved up and what moved down in a panel of movers, the most first, as `boots (9 → 2)`. What chance explains is left out. */
export function sidesOf(panel: Panel, { columns, rows }: Rows): readonly Readonly<{ word: string; moved: readonly string[] }>[] {
  const find = (name: string | undefined): number => columns.findIndex((column) => column.name === name);
  const [name, before, now, change, reading] = [
    find(panel.x),
    find(panel.y[0]),
    find(panel.y[1]),
    find(panel.beside?.column),
    find('reading'),
  ];
  const show = (row: readonly Cell[], at: number): string => showCell(row[at] ?? null, columns[at]?.kind ?? 'text');
  const tell = (row: readonly Cell[]): string => `${labelOf(panel.x, row[name] ?? '')} (${show(row, before)} → ${show(row, now)})`;
  const known = rows.filter((row) => row[name] !== null && row[reading] !== NOISE);
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

// Links from one board to another, with the current choices and the way back.
import { addDays } from '../core/weeks.ts';
import { type Choice, defaultOf, type Query } from './board-view.ts';
import type { Board } from './boards.ts';
import type { Cell, Row, Rows } from './cells.ts';
import { isCutText } from './cut-texts.ts';
import type { Panel } from './panel-file.ts';
import { findName } from './table-order.ts';
import { isVariableName, type VariableName } from './variables.ts';

/** The parameter with the address of the page that linked here. */
export const BACK = 'back';
/** Cells of rows that name nothing. */
const NOTHING: ReadonlySet<string> = new Set(['(none)', '(no page)', '(unknown)']);
/** The line of all that a table does not name (search_reports.contributions). */
const OTHERS = /^(?:1 other|\d+ others|all \d+)$/;

/** Whether a cell is the name of something that a board can show. */
const isNamed = (cell: Cell): cell is string =>
  Boolean(cell) && !NOTHING.has(cell ?? '') && !OTHERS.test(cell ?? '') && !isCutText(cell ?? '');
/** In characters. A longer way back is left out: it contains the earlier ones, and each link of a table repeats it. */
const MAX_BACK = 500;

export type Place = Readonly<{
  /** The address of the current page, with its query. */
  here: string;
  /** The choices that links to a board carry. */
  chosenFor: (board: string) => URLSearchParams;
  /** The one thing that the page is about. */
  about?: Readonly<{ name: VariableName; value: string }> | undefined;
  /** In a report, which has panels of one name several times: what this one is a part of. */
  partOf?: string | undefined;
  /** How many rows of a table are shown there. */
  firstRows?: number | undefined;
}>;

/** All choices as a query, including defaults, so that a shared link shows the same to others. */
export function writeChoices(choices: readonly Choice[], query: Query): URLSearchParams {
  const written = keptOf(choices, query);
  for (const choice of choices) writeChoice(written, choice);
  return written;
}

type Target = Pick<Board, 'variables'>;

/**
 * The choices for links to other boards, without the variable `about`: the account and those that differ from their default, on this board, or
 * on the one that the link leads to, so that this counts the same.
 */
export function chosenOf(choices: readonly Choice[], query: Query, about: string | undefined, target?: Target): URLSearchParams {
  const written = keptOf(choices, query);
  for (const choice of choices) {
    const { variable, chosen, options } = choice;
    const there = target?.variables.find(({ name }) => name === variable.name) ?? variable;
    const isUsual = [variable, there].every((each) => chosen.join() === defaultOf(each, options).join());
    if (variable.name !== about && (variable.name === 'account' || !isUsual)) writeChoice(written, choice);
  }
  return written;
}

function writeChoice(written: URLSearchParams, { variable, chosen }: Choice): void {
  written.delete(variable.name);
  for (const value of chosen.length > 0 ? chosen : ['']) written.append(variable.name, value);
}

/** Variables in the query that this board does not have, kept for other boards. */
function keptOf(choices: readonly Choice[], query: Query): URLSearchParams {
  const kept = new URLSearchParams();
  for (const [name, given] of Object.entries(query)) {
    if (!isVariableName(name) || given === undefined || choices.some(({ variable }) => variable.name === name)) continue;
    for (const value of [given].flat()) kept.append(name, value);
  }
  return kept;
}

/** The columns that tell apart the searches for one keyword, as search_reports.tracked_as names them. They are variables, too. */
const MARKET = ['device', 'engine', 'country'] as const;

/** The link of a cell; undefined if it has none. */
export function hrefOf(panel: Pick<Panel, 'name' | 'links'>, column: string | undefined, cell: Cell, place: Place): string | undefined {
  const link = panel.links.get(column ?? '');
  if (!link || !isNamed(cell)) return undefined;
  const query = place.chosenFor(link.board);
  // If the target board is not about one thing, the cell filters it by the column's variable, if there is one.
  const chosen = link.about ?? column;
  if (chosen !== undefined && isVariableName(chosen)) query.set(chosen, cell);
  rememberWay(query, `${place.here}#${panel.name}`);
  return `/boards/${link.board}?${query}`;
}

/** The address of a board with what is chosen here. */
export function boardFrom(board: string, { here, chosenFor }: Place): string {
  const query = chosenFor(board);
  rememberWay(query, here);
  return `/boards/${board}?${query}`;
}

/** A place whose links lead to a search as it is tracked, whatever is chosen. */
function inMarket(place: Place, named: readonly Named[]): Place {
  const chosenFor = (board: string): URLSearchParams => {
    const query = place.chosenFor(board);
    for (const { column, cell } of named) if (MARKET.some((name) => name === column) && cell) query.set(column, cell);
    return query;
  };
  return { ...place, chosenFor };
}

/** A cell of a column that a row names something by. */
export type Named = Readonly<{ column: string; cell: Cell }>;

/** What a row is about: the cells of the columns that lead somewhere, in their order. */
export function namedOf({ links, leads }: Panel, { columns }: Pick<Rows, 'columns'>, row: Row): readonly Named[] {
  const names = [...links.keys(), ...(leads?.panel === undefined ? [] : [leads.panel, WEEK])];
  return names.map((column) => ({ column, cell: row[columns.findIndex(({ name }) => name === column)] ?? null }));
}

/** The address of the board or panel that the row names, about what it names; else the link of the first of the cells that has one. */
export function leadOf(panel: Pick<Panel, 'name' | 'links' | 'leads'>, named: readonly Named[], place: Place): string | undefined {
  const cellOf = (name: string | undefined): Cell => named.find(({ column }) => column === name)?.cell ?? null;
  const to = panel.leads?.panel && cellOf(panel.leads.panel);
  if (to) {
    const things = named.flatMap(({ column, cell }): Thing[] => {
      const link = panel.links.get(column);
      return link && cell ? [[link.about ?? column, cell]] : [];
    });
    return addressOf(to, { account: place.chosenFor('').get('account'), week: cellOf(WEEK), things, here: `${place.here}#${panel.name}` });
  }
  const market = inMarket(place, named);
  for (const { column, cell } of named) {
    const href = hrefOf(panel, column, cell, market);
    if (href !== undefined) return href;
  }
  return undefined;
}

const WEEK = 'week';
const WEEKS_SHOWN = 13;
/** The weeks that boards show by default, up to this one. */
export const spanTo = (week: string): string => `${addDays(week, -7 * (WEEKS_SHOWN - 1))}..${week}`;
/** A variable, or what only a table names, and its value. */
type Thing = readonly [name: string, value: string];
type Opened = Readonly<{ account: string | null; week: string | null; things: readonly Thing[]; here?: string }>;

/**
 * The address of a board, or a panel, where something found in a week can be read: `to` is such as `search` or `ai-visibility/against-us?branded=`,
 * with the choices that differ from the defaults. Other choices are not carried over, since it was found without them. A variable chooses a
 * thing; one that has no variable, such as a brand, is looked for in the panel's table.
 */
export function addressOf(to: string, { account, week, things, here }: Opened): string {
  const { board, panel, choices } = readTarget(to);
  const query = new URLSearchParams({ ...(account !== null && { account }), ...choices });
  for (const [name, value] of things) {
    if (isVariableName(name)) query.set(name, value);
    else if (panel !== undefined) query.set(findName(panel), value);
  }
  if (week !== null) query.set('weeks', spanTo(week));
  if (here !== undefined) rememberWay(query, here);
  return `/boards/${board}?${query}${panel === undefined ? '' : `#${panel}`}`;
}

/** The address of the panel with more detail, with what is chosen here and the choices that it is named with. */
export function moreOf(from: string, { here, chosenFor }: Place): string {
  const { board, panel, choices } = readTarget(from);
  const query = chosenFor(board);
  for (const [name, value] of Object.entries(choices)) query.set(name, value);
  rememberWay(query, here);
  return `/boards/${board}?${query}#${panel}`;
}

/** The address of the panel that sets the site that a page is about against us; undefined on a page about anything else. */
export function againstOf(panel: Pick<Panel, 'against'>, place: Place): string | undefined {
  const { about, chosenFor } = place;
  if (panel.against === undefined || about?.name !== 'site') return undefined;
  const withSite = (board: string): URLSearchParams => {
    const query = chosenFor(board);
    query.set('competitor', about.value);
    return query;
  };
  return moreOf(panel.against, { ...place, chosenFor: withSite });
}

const WHY = 'why';
/** `here` is undefined where no page leads there, so that there is no way back. */
type WhyPlace = Pick<Place, 'chosenFor' | 'about'> & Readonly<{ here: string | undefined }>;

/** What the board Why can choose, by the variable or the column that names it. A topic is one of several there. */
const ON_WHY: Readonly<Partial<Record<string, VariableName>>> = {
  keyword: 'keyword',
  query: 'keyword',
  prompt: 'prompt',
  topic: 'topics',
  assistant: 'assistant',
  device: 'device',
  engine: 'engine',
  country: 'country',
};

/**
 * The address of the board that tells why a measure changed, against the week that it is compared with: of what the page is about, and of what a
 * row names, as far as it can choose this.
 */
export function whyOf(measure: string, { here, chosenFor, about }: WhyPlace, named: readonly Named[] = []): string {
  const query = chosenFor(WHY);
  query.set('measure', measure);
  for (const { column, cell } of [...(about ? [{ column: about.name, cell: about.value }] : []), ...named]) {
    const name = ON_WHY[column];
    if (name && isNamed(cell)) query.set(name, cell);
  }
  // Whatever kind it is of.
  if (query.has('prompt')) query.set('branded', '');
  // A board of one week and another one has variables of its own for these.
  const [week, before] = [query.get(WEEK), query.get('before')];
  if (week) query.set('weeks', spanTo(week));
  if (before) query.set('compare', before);
  for (const name of [WEEK, 'before']) query.delete(name);
  if (here !== undefined) rememberWay(query, here);
  return `/boards/${WHY}?${query}`;
}

const WHY_COLUMNS = Object.keys(ON_WHY);

/** The address that explains a change in a column of a row; undefined if it has none, or the row is of a site of others. */
export function whyOfCell({ name, whys }: Pick<Panel, 'name' | 'whys'>, column: string, cellOf: CellOf, place: Place): string | undefined {
  const measure = whys.get(column);
  if (measure === undefined || !cellOf(column) || cellOf('is_ours') === 'f') return undefined;
  const named = WHY_COLUMNS.map((each) => ({ column: each, cell: cellOf(each) }));
  return whyOf(measure, { ...place, here: `${place.here}#${name}` }, named);
}

/** The cell of a row in a column; null where there is none. */
type CellOf = (column: string) => Cell;

/** The parts of `rankings/rank-distribution?weighted=false`. */
export function readTarget(to: string): Readonly<{ board: string; panel: string | undefined; choices: Readonly<Record<string, string>> }> {
  const [path = '', choices = ''] = to.split('?');
  const [board = '', panel] = path.split('/');
  return { board, panel, choices: Object.fromEntries(new URLSearchParams(choices)) };
}

/** Adds the way back to a query, unless it is too long. */
export function rememberWay(query: URLSearchParams, here: string): void {
  if (here.length <= MAX_BACK) query.set(BACK, here);
}

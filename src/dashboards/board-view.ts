// What a board shows for one address: the values of its variables, their options, and each panel's result, all from one snapshot.

import { SECOND } from '../core/clock.ts';
import { compareText } from '../core/compare-text.ts';
import { addDays, type IsoDate } from '../core/weeks.ts';
import { type Annotation, readAnnotations } from '../ledger/annotations.ts';
import type { Client, Pool } from '../postgres/pool.ts';
import { inSavepoint } from '../postgres/transaction.ts';
import { hasWeeks } from './annotations.tsx';
import { type Based, type Basis, readOnBasis } from './basis.ts';
import type { Board, BoardVariable } from './boards.ts';
import type { Cell } from './cells.ts';
import { labelOf } from './labels.ts';
import { NoSharedSnapshot, readInLanes } from './lanes.ts';
import type { Panel } from './panel-file.ts';
import { inSnapshot, type PanelFailure, type PanelResult, runPanel } from './run-panels.ts';
import { type DatasetWeek, knowsChoice, type OwnDomain, readNewestWeek, readOwnDomains, readSources, type Source } from './sources.ts';
import { findFault, findUnknown, isManyName, type Option, readDays, type Values, type VariableName } from './variables.ts';

/** The query of an address: one or several values by name. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A variable with its chosen values, of which none means all. Only some variables may have several. */
export type Choice = Readonly<{ variable: BoardVariable; chosen: readonly string[]; options: readonly Option[] }>;

export type ShownPanel = Readonly<{ panel: Panel; result: PanelResult | PanelFailure }>;

export type BoardView = Readonly<{
  board: Board;
  choices: readonly Choice[];
  values: Values;
  /** Mistakes in the address. */
  faults: readonly string[];
  sources: readonly Source[];
  /** Own domains of the account; undefined on a board of all accounts. */
  ownDomains: readonly OwnDomain[] | undefined;
  panels: readonly ShownPanel[];
  /** The state that the view depends on; undefined if the view must not be cached. */
  basis: Basis | undefined;
  /** The newest week that is chosen, of each dataset that has it; undefined on a board of all accounts. */
  week: readonly DatasetWeek[] | undefined;
  /** Annotations from the oldest week that a panel shows. */
  annotations: readonly Annotation[];
}>;

/** The form's fields for the two days of a span of weeks. */
export const SINCE = 'since';
export const UNTIL = 'until';
/** Most values of one variable, since each may need a query to check it. */
const MAX_CHOSEN = 100;
/** Variables whose values must be among the options. */
const OFFERED_ONLY: ReadonlySet<VariableName> = new Set(['account', 'measure', 'compare']);
/** The column and the variable of web properties. */
const PROPERTY = 'web_property';
/** Where a span of weeks has no beginning. */
const ANY_WEEK: IsoDate = '0001-01-01';
/** After this time the remaining panels of a board are not read. */
const MAX_BOARD_MS = 45 * SECOND;
const NOT_READ: PanelFailure = { failure: `the panels before it took more than ${MAX_BOARD_MS / SECOND} s together` };

/** Reads a whole board in one snapshot; `signal` ends it. Throws StoreError, or the signal's reason. */
export async function viewBoard(pool: Pool, board: Board, query: Query, signal: AbortSignal): Promise<BoardView> {
  try {
    return await viewInLanes(2, pool, { board, query, signal });
  } catch (error) {
    if (error instanceof NoSharedSnapshot) return viewInLanes(1, pool, { board, query, signal });
    throw error;
  }
}

/** How long each panel took when it was read last, in milliseconds. */
const tookMs = new WeakMap<Panel, number>();

type Asked = Readonly<{ board: Board; query: Query; signal: AbortSignal }>;

async function viewInLanes(most: 1 | 2, pool: Pool, { board, query, signal }: Asked): Promise<BoardView> {
  let isCovered = true;
  const readPanels = async (client: Client, { choices, values, faults }: Chosen): Promise<Omit<BoardView, 'basis'>> => {
    const started = performance.now();
    const isLost = faults.length > 0 && choices.some(({ variable, chosen }) => chosen.length === 0 && isSubject(board, variable));
    const readPanel = async (lane: Client, panel: Panel): Promise<ShownPanel> => {
      const begun = performance.now();
      if (begun - started > MAX_BOARD_MS) return { panel, result: NOT_READ };
      const result = nameProperties(await runPanel(lane, panel, values), choices);
      tookMs.set(panel, performance.now() - begun);
      return { panel, result };
    };
    const expectMs = (panel: Panel) => tookMs.get(panel) ?? 0;
    const lanes = await readInLanes(pool, client, { items: isLost ? [] : board.panels, read: readPanel, expectMs, most, signal });
    const panels = lanes.read;
    isCovered = lanes.isCovered;
    const datasets = [...new Set(board.panels.flatMap((panel) => panel.datasets))];
    const sources = isLost ? [] : await readSources(client, datasets, values.account ?? null);
    const ownDomains = values.account ? await readOwnDomains(client, values.account) : undefined;
    const week =
      values.account && !isLost ? await readNewestWeek(client, { accountId: values.account, datasets, until: untilOf(values) }) : undefined;
    const from = oldestWeek(panels) ?? oldestChosen(values, sources);
    const annotations = from === undefined ? [] : await readAnnotations(client, values.account ?? null, { from });
    return { board, choices, values, faults, sources, ownDomains, panels, week, annotations };
  };
  const { read, basis } = await readBased(pool, board, query, { signal, panels: board.panels, read: readPanels });
  return { ...read, basis: isCovered ? basis : undefined };
}

/** On a page web properties have the names that stand in its choices. In CSVs they are numbers, as in the tables. */
function nameProperties(result: ShownPanel['result'], choices: readonly Choice[]): ShownPanel['result'] {
  if ('failure' in result || !result.columns.some(({ name }) => name === PROPERTY)) return result;
  const options = choices.find(({ variable }) => variable.name === PROPERTY)?.options ?? [];
  const names = new Map<Cell, string>(options.map(({ value, label }) => [value, label]));
  const isProperty = result.columns.map(({ name }) => name === PROPERTY);
  return {
    ...result,
    columns: result.columns.map((column, at) => (isProperty[at] ? { ...column, kind: 'text' } : column)),
    rows: result.rows.map((row) => row.map((cell, at) => (isProperty[at] ? (names.get(cell) ?? cell) : cell))),
  };
}

type Chosen = Pick<BoardView, 'choices' | 'values' | 'faults'>;
type ReadOptions<T> = Readonly<{
  signal: AbortSignal;
  panels: readonly Panel[];
  read: (client: Client, chosen: Chosen) => Promise<T>;
}>;

/** Reads panels of a board and their basis in one snapshot. Throws StoreError, or the signal's reason. */
export function readBased<T>(pool: Pool, board: Board, query: Query, { signal, panels, read }: ReadOptions<T>): Promise<Based<T>> {
  return inSnapshot(
    pool,
    async (client) => {
      const chosen = await chooseValues(client, board, query);
      const statements = [...panels.map(({ sql }) => sql), ...board.variables.flatMap(({ optionsSql }) => optionsSql ?? [])];
      return readOnBasis(client, { accountId: chosen.values.account, statements }, () => read(client, chosen));
    },
    signal,
  );
}

/** The oldest week in any chart of weeks; undefined if there is none. */
function oldestWeek(panels: readonly ShownPanel[]): IsoDate | undefined {
  const weeks = panels.flatMap(({ panel, result }) => {
    if (!hasWeeks(panel) || 'failure' in result) return [];
    const at = result.columns.findIndex(({ name }) => name === panel.x);
    return result.rows.flatMap((row) => row[at] ?? []);
  });
  return weeks.reduce<IsoDate | undefined>((oldest, week) => (oldest === undefined || week < oldest ? week : oldest), undefined);
}

/** The oldest week that is chosen, as search_reports.span_of reads it, on a board without charts of weeks; undefined if it is not known. */
function oldestChosen({ weeks }: Values, sources: readonly Source[]): IsoDate | undefined {
  const newest = newestWeek(sources);
  if (!weeks || newest === undefined) return undefined;
  const days = readDays(weeks);
  if (days) return days.since || ANY_WEEK;
  return weeks === 'year' ? `${newest.slice(0, 4)}-01-01` : addDays(newest, -7 * (Number(weeks) - 1));
}

/** The last day that is chosen; null for none. */
const untilOf = ({ weeks, week }: Values): string | null => (week ?? (weeks ? readDays(weeks)?.until : undefined)) || null;

/** The newest week that any job has loaded. */
export const newestWeek = (sources: readonly Source[]): IsoDate | undefined =>
  sources
    .flatMap((source) => source.newestWeek ?? [])
    .toSorted(compareText)
    .at(-1);

/**
 * The values of a board's variables: from the address, or else the defaults. Invalid values become faults. What a board is about, and whose
 * figures it shows, has no default in place of an invalid value: that would be something else than was asked for.
 */
export async function chooseValues(client: Client, board: Board, query: Query): Promise<Chosen> {
  let values: Values = {};
  const choices: Choice[] = [];
  const faults: string[] = [];
  for (const variable of board.variables) {
    const options = await readOptions(client, variable, values);
    const written = writtenOf(query, variable);
    const given = written?.filter(Boolean) ?? [];
    const known: string[] = [];
    if (given.length > MAX_CHOSEN) faults.push(`${variable.name}: expected at most ${MAX_CHOSEN} values`);
    for (const value of given.slice(0, MAX_CHOSEN)) {
      const fault = findFault(variable, value) ?? (await findStranger(client, { variable, given: value, options, values }));
      if (fault) faults.push(`${variable.name}: ${fault}`);
      else known.push(value);
    }
    const isAll = written !== undefined && given.length === 0 && variable.allLabel !== undefined;
    const isLost = given.length > 0 && isSubject(board, variable);
    const chosen = known.length > 0 || isAll || isLost ? known : defaultOf(variable, options);
    values = { ...values, [variable.name]: isManyName(variable.name) ? (chosen.length > 0 ? chosen : null) : (chosen[0] ?? null) };
    choices.push({ variable, chosen, options });
  }
  return { choices, values, faults };
}

/** Whether a variable says what all figures of a board are of. */
const isSubject = ({ about }: Board, { name }: BoardVariable): boolean => name === about || name === 'account';

type Given = Readonly<{ variable: BoardVariable; given: string; options: readonly Option[]; values: Values }>;

/** The fault of a value that is unknown. Without it the empty board would look as if figures had vanished. A value of any week is known. */
async function findStranger(client: Client, { variable, given, options, values }: Given): Promise<string | undefined> {
  const unknown = variable.choice.kind === 'query' ? findUnknown(given, options) : undefined;
  const { account } = values;
  if (variable.name === 'account' && options.length === 0) return undefined;
  if (unknown === undefined || OFFERED_ONLY.has(variable.name) || !account) return unknown;
  const isKnown = await inSavepoint(
    client,
    () => knowsChoice(client, { variable: variable.name, accountId: account, value: given }),
    () => true,
  );
  return isKnown === false ? unknown : undefined;
}

function firstOf(given: string | readonly string[] | undefined): string | undefined {
  return typeof given === 'string' ? given : given?.[0];
}

/** A variable's values in the address; undefined if it is not there. For a span, the two days take precedence over a number. */
function writtenOf(query: Query, { name, choice, spell }: Pick<BoardVariable, 'name' | 'choice' | 'spell'>): readonly string[] | undefined {
  const days = `${firstOf(query[SINCE]) ?? ''}..${firstOf(query[UNTIL]) ?? ''}`;
  if (choice.kind === 'span' && days !== '..') return [days];
  const given = query[name];
  if (given === undefined) return undefined;
  const values = [given].flat().map((value) => spell?.(value) ?? value);
  return isManyName(name) ? sortValues(values) : values.slice(0, 1);
}

/** Sorted values without duplicates, so that the order of choosing makes no difference to the address or the page. */
const sortValues = (values: readonly string[]): readonly string[] => [...new Set(values)].toSorted(compareText);

/** The canonical form of a query: sorted names, and for variables with several values these sorted and without duplicates. */
export function canonicalQuery(query: Query): Query {
  const named = Object.entries(query).toSorted(([a], [b]) => compareText(a, b));
  return Object.fromEntries(
    named.flatMap(([name, given]) => {
      if (!isManyName(name) || given === undefined) return given === undefined ? [] : [[name, given]];
      const values = sortValues([given].flat());
      // A form without JavaScript sends the empty "all" together with chosen values; drop it then.
      return [[name, values.length > 1 ? values.filter(Boolean) : values]];
    }),
  );
}

/** A query as the text of an address. */
export function writeQuery(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, given]) => [given ?? []].flat().map((value) => [name, value] as [string, string]));
  return new URLSearchParams(pairs).toString();
}

export function defaultOf(variable: BoardVariable, options: readonly Option[]): readonly string[] {
  if (typeof variable.default === 'string') return [variable.default];
  const first = variable.default === null ? undefined : options[0];
  return first ? [first.value] : [];
}

/** The options of a variable, given the values of those before it. None if the statement fails: the panels will say why. */
async function readOptions(client: Client, variable: BoardVariable, values: Values): Promise<readonly Option[]> {
  const { name, choice, optionsSql, isLinked } = variable;
  if (choice.kind === 'fixed') return choice.options;
  if (optionsSql === undefined || isLinked) return [];
  const result = await runPanel(client, { sql: optionsSql }, values);
  if ('failure' in result) return [];
  return result.rows.map(([value, label]) => ({ value: value ?? '', label: labelOf(name, label ?? value ?? '') }));
}

// What a board shows for one address: the values of its variables, what may be chosen, and each panel's result, all of one moment.

import { SECOND } from '../core/clock.ts';
import type { IsoDate } from '../core/weeks.ts';
import { type Annotation, readAnnotations } from '../warehouse/annotations.ts';
import type { Client, Pool } from '../warehouse/pool.ts';
import { knowsChoice, type OwnDomain, readOwnDomains, readSources, type Source } from '../warehouse/sources.ts';
import { inSavepoint } from '../warehouse/transaction.ts';
import { hasWeeks } from './annotations.tsx';
import { type Based, type Basis, readOnBasis } from './basis.ts';
import type { Board, BoardVariable } from './boards.ts';
import { labelOf } from './labels.ts';
import type { Panel } from './panel-file.ts';
import { inSnapshot, type PanelFailure, type PanelResult, runPanel, type Values } from './run-panels.ts';
import { findFault, findUnknown, type Option, type VariableName, writeList } from './variables.ts';

/** The query of an address: one value for a name, or several. */
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

export type Choice = Readonly<{ variable: BoardVariable; value: string | null; options: readonly Option[] }>;

export type ShownPanel = Readonly<{ panel: Panel; result: PanelResult | PanelFailure }>;

export type BoardView = Readonly<{
  board: Board;
  choices: readonly Choice[];
  values: Values;
  /** What is wrong with the address. */
  faults: readonly string[];
  sources: readonly Source[];
  /** Of the account; undefined on a board of all accounts. */
  ownDomains: readonly OwnDomain[] | undefined;
  panels: readonly ShownPanel[];
  /** What it follows from; without it, it may be other at the next moment. */
  basis: Basis | undefined;
  /** From the oldest week that a panel shows. */
  annotations: readonly Annotation[];
}>;

/** The two days of a span of weeks, as the form names them. */
export const SINCE = 'since';
export const UNTIL = 'until';
/** A board that takes longer shows what it has. */
const MAX_BOARD_MS = 45 * SECOND;
const NOT_READ: PanelFailure = { failure: `the panels before it took more than ${MAX_BOARD_MS / SECOND} s together` };

/** Reads a whole board in one transaction, until `signal`. Throws StoreError, the signal's reason. */
export async function viewBoard(pool: Pool, board: Board, query: Query, signal: AbortSignal): Promise<BoardView> {
  const readPanels = async (client: Client, { choices, values, faults }: Chosen): Promise<Omit<BoardView, 'basis'>> => {
    const started = performance.now();
    const panels: ShownPanel[] = [];
    for (const panel of board.panels) {
      const isLate = performance.now() - started > MAX_BOARD_MS;
      panels.push({ panel, result: isLate ? NOT_READ : await runPanel(client, panel, values) });
    }
    const datasets = [...new Set(board.panels.flatMap((panel) => panel.datasets))];
    const sources = await readSources(client, datasets, values.account ?? null);
    const ownDomains = values.account ? await readOwnDomains(client, values.account) : undefined;
    const from = oldestWeek(panels);
    const annotations = from === undefined ? [] : await readAnnotations(client, values.account ?? null, { from });
    return { board, choices, values, faults, sources, ownDomains, panels, annotations };
  };
  const { read, basis } = await readBased(pool, board, query, { signal, panels: board.panels, read: readPanels });
  return { ...read, basis };
}

type Chosen = Pick<BoardView, 'choices' | 'values' | 'faults'>;
type Reading<T> = Readonly<{
  signal: AbortSignal;
  panels: readonly Panel[];
  read: (client: Client, chosen: Chosen) => Promise<T>;
}>;

/** Reads panels of a board and what they follow from, all of one moment. Throws StoreError, the signal's reason. */
export function readBased<T>(pool: Pool, board: Board, query: Query, { signal, panels, read }: Reading<T>): Promise<Based<T>> {
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

/** The first week of any chart of weeks. */
function oldestWeek(panels: readonly ShownPanel[]): IsoDate | undefined {
  const weeks = panels.flatMap(({ panel, result }) => {
    if (!hasWeeks(panel) || 'failure' in result) return [];
    const at = result.columns.findIndex(({ name }) => name === panel.x);
    return result.rows.flatMap((row) => row[at] ?? []);
  });
  return weeks.reduce<IsoDate | undefined>((oldest, week) => (oldest === undefined || week < oldest ? week : oldest), undefined);
}

/** The values of a board's variables: those of the address, else the defaults. */
export async function chooseValues(client: Client, board: Board, query: Query): Promise<Chosen> {
  const values: Partial<Record<VariableName, string | null>> = {};
  const choices: Choice[] = [];
  const faults: string[] = [];
  for (const variable of board.variables) {
    const options = await readOptions(client, variable, values);
    const written = writtenOf(query, variable);
    const given = written && variable.isList ? writeList(written) : written;
    const fault = given ? (findFault(variable, given) ?? (await findStranger(client, { variable, given, options, values }))) : undefined;
    if (fault) faults.push(`${variable.name}: ${fault}`);
    if (given && !fault) values[variable.name] = given;
    else values[variable.name] = given === '' && variable.allLabel ? null : defaultOf(variable, options);
    choices.push({ variable, value: values[variable.name] ?? null, options });
  }
  return { choices, values, faults };
}

type Given = Readonly<{ variable: BoardVariable; given: string; options: readonly Option[]; values: Values }>;

/** What is wrong with a value that no row has: shown in silence it would look like figures that are gone. Weeks that are not offered count. */
async function findStranger(client: Client, { variable, given, options, values }: Given): Promise<string | undefined> {
  const unknown = variable.choice.kind === 'query' ? findUnknown(variable, given, options) : undefined;
  const { account } = values;
  if (variable.name === 'account' && options.length === 0) return undefined;
  if (unknown === undefined || variable.isList || variable.name === 'account' || variable.name === 'compare' || !account) return unknown;
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

/** Of weeks, two days that were written beside a number count. */
function writtenOf(query: Query, { name, choice }: Pick<BoardVariable, 'name' | 'choice'>): string | undefined {
  const days = `${firstOf(query[SINCE]) ?? ''}..${firstOf(query[UNTIL]) ?? ''}`;
  return choice.kind === 'span' && days !== '..' ? days : firstOf(query[name]);
}

function defaultOf(variable: BoardVariable, options: readonly Option[]): string | null {
  return typeof variable.default === 'object' && variable.default !== null ? (options[0]?.value ?? null) : variable.default;
}

/** What may be chosen for a variable, given those before it. None where the statement fails: the panels will say why. */
async function readOptions(client: Client, { name, choice, optionsSql }: BoardVariable, values: Values): Promise<readonly Option[]> {
  if (choice.kind === 'fixed') return choice.options;
  if (optionsSql === undefined) return [];
  const result = await runPanel(client, { sql: optionsSql }, values);
  if ('failure' in result) return [];
  return result.rows.map(([value, label]) => ({ value: value ?? '', label: labelOf(name, label ?? value ?? '') }));
}

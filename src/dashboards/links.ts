// Addresses that lead from one board to another: with what is chosen, and with the way back.
import { type Choice, defaultOf, type Query } from './board-view.ts';
import type { Cell } from './cells.ts';
import type { Panel } from './panel-file.ts';
import { isVariableName } from './variables.ts';

/** The address that led here. */
export const BACK = 'back';
/** What stands where a row names nothing. */
const NOTHING: ReadonlySet<string> = new Set(['(none)', '(no page)', '(unknown)']);
/** A way back that is longer is left out: each step is written into the next, and each cell of a table has it. */
const MAX_BACK = 500;

export type Place = Readonly<{
  /** The page that is shown, with all that its address says. */
  here: string;
  /** What is chosen, and goes along to other boards. */
  chosen: URLSearchParams;
}>;

/** The choices as they stand in addresses, complete, so that they show the same to a colleague. */
export function writeChoices(choices: readonly Choice[], query: Query): URLSearchParams {
  const written = keptOf(choices, query);
  for (const choice of choices) writeChoice(written, choice);
  return written;
}

/** What goes along to other boards: the account and what is other than by default, but not the one thing that a board is about. */
export function chosenOf(choices: readonly Choice[], query: Query, about: string | undefined): URLSearchParams {
  const written = keptOf(choices, query);
  for (const choice of choices) {
    const { variable, chosen, options } = choice;
    const isUsual = chosen.join() === defaultOf(variable, options).join();
    if (variable.name !== about && (variable.name === 'account' || !isUsual)) writeChoice(written, choice);
  }
  return written;
}

function writeChoice(written: URLSearchParams, { variable, chosen }: Choice): void {
  written.delete(variable.name);
  for (const value of chosen.length > 0 ? chosen : ['']) written.append(variable.name, value);
}

/** What other boards go by and this one does not. */
function keptOf(choices: readonly Choice[], query: Query): URLSearchParams {
  const kept = new URLSearchParams();
  for (const [name, given] of Object.entries(query)) {
    if (!isVariableName(name) || given === undefined || choices.some(({ variable }) => variable.name === name)) continue;
    for (const value of [given].flat()) kept.append(name, value);
  }
  return kept;
}

/** Where a cell of a column leads; undefined where it leads nowhere. */
export function hrefOf(panel: Pick<Panel, 'name' | 'links'>, column: string | undefined, cell: Cell, place: Place): string | undefined {
  const link = panel.links.get(column ?? '');
  if (!link || !cell || NOTHING.has(cell)) return undefined;
  const query = new URLSearchParams(place.chosen);
  // A board of no one thing shows it alone, where it goes by it.
  const chosen = link.about ?? column;
  if (chosen !== undefined && isVariableName(chosen)) query.set(chosen, cell);
  rememberWay(query, `${place.here}#${panel.name}`);
  return `/boards/${link.board}?${query}`;
}

/** To the first of several cells that leads somewhere. */
export function leadOf(
  panel: Pick<Panel, 'name' | 'links'>,
  named: readonly Readonly<{ column: string; cell: Cell }>[],
  place: Place,
): string | undefined {
  for (const { column, cell } of named) {
    const href = hrefOf(panel, column, cell, place);
    if (href !== undefined) return href;
  }
  return undefined;
}

/** Writes the way back into a query, where it is short. */
export function rememberWay(query: URLSearchParams, here: string): void {
  if (here.length <= MAX_BACK) query.set(BACK, here);
}

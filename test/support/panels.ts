// Asks panels as the pages do.
import { type Board, readBoards } from '../../src/dashboards/boards.ts';
import { separateReasons } from '../../src/dashboards/cells.ts';
import { inSnapshot, runPanel } from '../../src/dashboards/run-panels.ts';
import type { Values } from '../../src/dashboards/variables.ts';
import type { Pool } from '../../src/postgres/pool.ts';

export type PanelRow = Readonly<Record<string, string | null>>;

/** What a board has until somebody chooses, of an account. */
export const USUAL: Values = { account: '12345', weeks: '13', compare: 'week', top_n: '10', weighted: 'true', rank: 'standard' };

/** A function that returns the rows of a board's panel by their columns, without those that only say why there are no others, unless asked. It throws for a panel that fails. */
export function asksOf(
  pool: () => Pool,
  boardName: string,
  { isWhole = false } = {},
): (panel: string, values: Values) => Promise<PanelRow[]> {
  const board: Board | undefined = readBoards().find(({ name }) => name === boardName);
  return async (name, values) => {
    const panel = board?.panels.find((each) => each.name === name);
    if (!panel) throw new Error(`board ${boardName} has no panel ${name}`);
    const result = await inSnapshot(pool(), (client) => runPanel(client, panel, values));
    if ('failure' in result) throw new Error(result.failure);
    const { rows } = isWhole ? result : separateReasons(result);
    return rows.map((row) => Object.fromEntries(result.columns.map((column, at) => [column.name, row[at] ?? null])));
  };
}

/** Some columns of each row, in this order. */
export const columnsOf = (rows: readonly PanelRow[], ...names: string[]): (string | null | undefined)[][] =>
  rows.map((row) => names.map((name) => row[name]));

/** Whether a row's value is one of those chosen, where some are. */
export const isChosen = (value: string | null | undefined, chosen: readonly string[] | null | undefined): boolean =>
  !chosen || chosen.includes(value || '(none)');

/** 100 x part / whole as a panel rounds it, half up; null of nothing. */
export function percentOf(part: number, whole: number, digits = 1): string | null {
  if (whole === 0) return null;
  const factor = 10 ** digits;
  return (Math.round((100 * part * factor) / whole + 1e-9) / factor).toFixed(digits);
}

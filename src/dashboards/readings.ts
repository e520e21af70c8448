// The column `reading` of panels: whether a change is within noise.
import type { Cell, Column, Row } from './cells.ts';

export const READING_COLUMN = 'reading';

/** What search_reports.changes says of a change within noise. */
const NOISE = 'within noise';

/** Whether a change is known to be more than noise. False if its reading is unknown. */
export const isSignal = (reading: Cell): boolean => reading !== null && reading !== NOISE;

/** The same for a row. True in a panel without readings, since such a panel shows all data and not a sample. */
export function isMoreThanNoise(columns: readonly Column[], row: Row): boolean {
  const at = columns.findIndex(({ name }) => name === READING_COLUMN);
  return at < 0 || isSignal(row[at] ?? null);
}

/** Whether a change in a table has a colour: only if it is known to be more than noise. */
export const isColoured = (columns: readonly Column[], row: Row): boolean =>
  isSignal(row[columns.findIndex(({ name }) => name === READING_COLUMN)] ?? null);

/** A reading in words. The database's `more` and `less` are not shown, since more is worse for a place. */
export function tellReading(reading: Cell): string {
  return reading === NOISE ? NOISE : reading === null ? 'noise not known' : 'more than noise';
}

// The column `reading` of panels: whether a change is within noise.
import type { Cell, Column, Row } from './cells.ts';

export const READING_COLUMN = 'reading';

/** What search_reports.changes says of a change within noise. */
const NOISE = 'within noise';

/** Whether a change is known to be more than noise. False if its reading is unknown. */
export const isSignal = (reading: Cell): boolean => reading !== null && reading !== NOISE;

/** Whether a change in a table has a colour: only if it is known to be more than noise. */
export const isColoured = (columns: readonly Column[], row: Row): boolean =>
  isSignal(row[columns.findIndex(({ name }) => name === READING_COLUMN)] ?? null);

/**
 * A reading of a change in words. The database's `more` and `less` are not shown, since more is worse for a place. Without a reading too few
 * keywords or prompts changed to tell a change from noise (search_reports.noise_of).
 */
export function tellReading(reading: Cell, change?: Cell): string {
  if (reading !== null) return reading === NOISE ? NOISE : 'more than noise';
  return change !== undefined && Number(change) === 0 ? 'no change' : 'too few to tell';
}

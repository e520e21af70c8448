// What panels say of a change: whether chance explains it, by the column `reading`.
import type { Cell, Column, Row } from './cells.ts';

export const READING_COLUMN = 'reading';

/** What search_reports.change_reading says of a change that chance explains. */
const NOISE = 'within noise';

/** Whether a change is known to be more than chance: of one whose reading is not known nothing can be said. */
export const isSignal = (reading: Cell): boolean => reading !== null && reading !== NOISE;

/** The same of a row. A panel without readings shows all there is, and no sample of it. */
export function isMoreThanNoise(columns: readonly Column[], row: Row): boolean {
  const at = columns.findIndex(({ name }) => name === READING_COLUMN);
  return at < 0 || isSignal(row[at] ?? null);
}

/** A reading in the words of a reader: `more` says of a place that it is worse. */
export function tellReading(reading: Cell): string {
  return reading === NOISE ? NOISE : reading === null ? 'noise not known' : 'more than noise';
}

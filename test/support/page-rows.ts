// Rows of a page that fits into memory.
import { areSpooled, type PageRows, rowAt as rowInMemory, type SpooledRows } from '../../src/codec/page-rows.ts';

/** Row `index`, from 0, as JSON has it. */
export function rowAt(rows: PageRows | SpooledRows, index: number): unknown {
  if (areSpooled(rows)) throw new Error('these rows are in a file');
  return rowInMemory(rows, index);
}

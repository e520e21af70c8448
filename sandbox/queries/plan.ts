// How the answer to a query is laid out: a row of units (a search, an AI answer), each with a few rows. A unit's rows
// depend on nothing but its number, so a page can begin anywhere and costs the same wherever it is.
import type { WireRow } from '../../src/service/wire.ts';

/**
 * A row in pieces: its values are those of the segments, one after the other. Rows of a unit share the segments that
 * are equal (the very same arrays), so that the JSON of a segment is made once.
 */
export type SegmentedRow = readonly WireRow[];

export interface Plan {
  readonly unitCount: number;
  /** The rows of a unit that the query asks for, in order. */
  rowsOf(unit: number): readonly SegmentedRow[];
  /** How many rows `rowsOf` would return, without making them where that can be known. */
  countOf(unit: number): number;
}

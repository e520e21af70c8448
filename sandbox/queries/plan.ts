// The layout of an answer: a sequence of units (a search, an AI answer), each with a few rows. A unit's rows depend only on its number, so a page
// can begin anywhere at the same cost.
import type { WireRow } from '../../src/service/wire.ts';

/**
 * A row in segments: its values are those of the segments in order. Rows of a unit share equal segments (the same array objects), so that
 * the JSON of a segment is made once.
 */
export type SegmentedRow = readonly WireRow[];

export interface Plan {
  readonly unitCount: number;
  /** The rows of a unit that the query selects, in order. */
  rowsOf(unit: number): readonly SegmentedRow[];
  /** Number of rows that `rowsOf` would return, without making them if possible. */
  countOf(unit: number): number;
}

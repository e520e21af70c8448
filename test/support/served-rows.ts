// Expects the tables to hold what the sandbox served, row by row with duplicates counted.
import { expect } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
import type { Mill } from './mill.ts';
import { compareBags, type PublishedSlice, publishedAs, readPublishedSlices, servedBy } from './row-bags.ts';

const MOST_SHOWN = 3;

/**
 * Expects every published slice to have in its table exactly the rows that the sandbox serves for its submit body, and
 * the tables to have no others. Returns the slices compared. `sandboxOf` names the one that served a slice.
 */
export async function expectExactlyServed(
  mill: Mill,
  sandboxOf: (slice: PublishedSlice) => Sandbox = () => mill.sandbox,
): Promise<readonly PublishedSlice[]> {
  const slices = await readPublishedSlices(mill.pool);
  for (const slice of slices) {
    const { missing, surplus } = compareBags(servedBy(sandboxOf(slice), slice), await publishedAs(mill.pool, slice));
    const shown = { missing: missing.slice(0, MOST_SHOWN), surplus: surplus.slice(0, MOST_SHOWN) };
    expect(shown, `${slice.job} ${slice.window}`).toEqual({ missing: [], surplus: [] });
  }
  for (const dataset of new Set(slices.map((slice) => slice.dataset))) {
    const own = slices.filter((slice) => slice.dataset === dataset);
    const [table] = await mill.read<{ rows: number }>(`SELECT count(*) AS rows FROM search.${dataset}`);
    expect(table?.rows, dataset).toBe(own.reduce((sum, slice) => sum + slice.rows, 0));
  }
  return slices;
}

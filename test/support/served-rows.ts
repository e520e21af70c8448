// Expects the tables to hold what the sandbox served, row by row with duplicates counted.
import { expect } from 'vitest';
import type { Sandbox } from '../../sandbox/server.ts';
import { compareBags, type PublishedSlice, publishedAs, readPublishedSlices, servedBy, servedTo } from './row-bags.ts';
import type { TestStack } from './test-stack.ts';

const MAX_SHOWN = 3;

/**
 * Expects every published slice to have in its table exactly the rows that the sandbox serves for its submit body, and
 * the tables to have no others. Returns the slices compared. `sandboxOf` names the one that served a slice.
 */
export async function expectExactlyServed(
  stack: TestStack,
  sandboxOf: (slice: PublishedSlice) => Sandbox = () => stack.sandbox,
): Promise<readonly PublishedSlice[]> {
  return expectServed(stack, (slice) => servedBy(sandboxOf(slice), slice));
}

/** The same with the rows that were to be published of each slice's last load, whatever was restated since. */
export async function expectServedAsLoaded(stack: TestStack): Promise<readonly PublishedSlice[]> {
  return expectServed(stack, (slice) => servedTo(stack.sandbox, slice));
}

async function expectServed(stack: TestStack, rowsOf: (slice: PublishedSlice) => string[]): Promise<readonly PublishedSlice[]> {
  const slices = await readPublishedSlices(stack.pool);
  for (const slice of slices) {
    const { missing, surplus } = compareBags(rowsOf(slice), await publishedAs(stack.pool, slice));
    const shown = { missing: missing.slice(0, MAX_SHOWN), surplus: surplus.slice(0, MAX_SHOWN) };
    expect(shown, `${slice.job} ${slice.window}`).toEqual({ missing: [], surplus: [] });
  }
  for (const dataset of new Set(slices.map((slice) => slice.dataset))) {
    const own = slices.filter((slice) => slice.dataset === dataset);
    const [table] = await stack.read<{ rows: number }>(`SELECT count(*) AS rows FROM search.${dataset}`);
    expect(table?.rows, dataset).toBe(own.reduce((sum, slice) => sum + slice.rows, 0));
  }
  return slices;
}

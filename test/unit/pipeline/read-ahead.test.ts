import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAhead } from '../../../src/pipeline/read-ahead.ts';

/** Lets everything that can go on go on. */
const settle = async (): Promise<void> => {
  for (let i = 0; i < 20; i += 1) await Promise.resolve();
};

/** A source of `items`, and what it has handed out and whether it was told to stop. */
function sourceOf(items: readonly number[], failure?: Error) {
  const state = { made: 0, isStopped: false };
  async function* produce(): AsyncGenerator<number, void, undefined> {
    try {
      for (const item of items) {
        state.made += 1;
        yield item;
      }
      if (failure) throw failure;
    } finally {
      state.isStopped = true;
    }
  }
  return { source: produce(), state };
}

const options = { sizeOf: (item: number) => item, maxWaiting: () => 10, gatherMs: 0 };

describe('reading ahead', () => {
  it('hands over every item once, in order, and no empty batch, however slow the consumer is', async () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 15 }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.array(fc.nat(5), { minLength: 1 }), async (items, pauses) => {
        const { source, state } = sourceOf(items);
        const seen: number[] = [];
        let batches = 0;
        for await (const batch of readAhead(source, options)) {
          expect(batch.length).toBeGreaterThan(0);
          seen.push(...batch);
          for (let i = 0; i < (pauses[batches % pauses.length] ?? 0); i += 1) await Promise.resolve();
          batches += 1;
        }
        expect(seen).toEqual(items);
        expect(state.isStopped).toBe(true);
      }),
    );
  });

  it('gives together the items that became ready while the consumer was busy', async () => {
    const { source } = sourceOf([1, 2, 3, 4]);
    const batches: (readonly number[])[] = [];
    for await (const batch of readAhead(source, options)) {
      batches.push(batch);
      await settle();
    }
    expect(batches.flat()).toEqual([1, 2, 3, 4]);
    expect(batches.length).toBeLessThan(4);
  });

  it('waits a moment for more, until there is enough or no more comes', async () => {
    const gathering = { ...options, gatherMs: 60_000 };
    const { source } = sourceOf([1, 2, 1, 3, 4, 1]);
    const batches: number[] = [];
    for await (const batch of readAhead(source, gathering)) batches.push(batch.reduce((sum, item) => sum + item, 0));
    expect(batches).toEqual([expect.any(Number), expect.any(Number)]);
    expect(batches[0]).toBeGreaterThanOrEqual(options.maxWaiting() / 2);
    expect(batches.reduce((sum, size) => sum + size, 0)).toBe(12);
  });

  it('stays within its bound, counting an item that is too large as one', async () => {
    const { source, state } = sourceOf(new Array<number>(50).fill(4));
    const batches = readAhead(source, options);
    await batches.next();
    await settle();
    const ahead = state.made;
    await settle();
    expect(state.made).toBe(ahead);
    expect(ahead).toBeLessThanOrEqual(1 + 3 + 1);
    await batches.return(undefined);
  });

  it('throws the error of the source after the items before it', async () => {
    const { source } = sourceOf([1, 2], new Error('the third failed'));
    const seen: number[] = [];
    const reading = (async () => {
      for await (const batch of readAhead(source, options)) seen.push(...batch);
    })();
    await expect(reading).rejects.toThrow('the third failed');
    expect(seen).toEqual([1, 2]);
  });

  it('stops the source when the consumer stops, and has ended when the source has', async () => {
    const { source, state } = sourceOf(new Array<number>(50).fill(4));
    for await (const _ of readAhead(source, options)) break;
    expect(state.isStopped).toBe(true);
    expect(state.made).toBeLessThan(50);
  });

  it('does not lose the consumer\u2019s own error', async () => {
    const { source, state } = sourceOf([1, 2, 3]);
    const reading = (async () => {
      for await (const _ of readAhead(source, options)) throw new Error('the copy failed');
    })();
    await expect(reading).rejects.toThrow('the copy failed');
    expect(state.isStopped).toBe(true);
  });
});

import { describe, expect, it } from 'vitest';
import { SECOND } from '../../../src/core/clock.ts';
import type { LiveExecution } from '../../../src/ledger/coverage.ts';
import { estimateLeft } from '../../../src/operations/under-way.tsx';

const START = Date.parse('2026-11-23T09:00:00Z');
/** Pages of 1,000 rows, of which one came at the start and one each 2 s since. */
const at = (seconds: number, own: Partial<LiveExecution> = {}): number | undefined => {
  const pages = 1 + Math.floor(seconds / 2);
  const load = {
    state: 'loading',
    pages,
    rowsReceived: pages * 1000,
    totalRowCount: '100000',
    stateSince: new Date(START),
    errorsInRow: 0,
  };
  return estimateLeft({ ...load, ...own } as LiveExecution, new Date(START + seconds * SECOND));
};

describe('the time that a load still needs', () => {
  it('follows from the rows left at the speed so far, and decreases with them', () => {
    expect(at(20)).toBe(89 * 2 * SECOND);
    expect(at(100)).toBe(49 * 2 * SECOND);
    expect(at(196)).toBe(2 * SECOND);
  });

  it('is not shown while it is unknown', () => {
    // The first page took no time that is known.
    expect(at(1)).toBeUndefined();
    expect(at(4)).toBeUndefined();
    expect(at(20, { totalRowCount: null })).toBeUndefined();
    expect(at(20, { errorsInRow: 1 })).toBeUndefined();
    expect(at(20, { state: 'in_progress' })).toBeUndefined();
    expect(at(20, { rowsReceived: 100_000 })).toBeUndefined();
  });

  it('grows while no page comes', () => {
    expect(at(60, { pages: 11, rowsReceived: 11_000 })).toBe(89 * 6 * SECOND);
  });
});

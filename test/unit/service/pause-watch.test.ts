import { beforeEach, describe, expect, it } from 'vitest';
import { StoreError } from '../../../src/core/errors.ts';
import type { CallBudget, SlotsTaken } from '../../../src/service/budget.ts';
import { PauseWatch } from '../../../src/service/pause-watch.ts';

let reports: string[];
let answer: SlotsTaken;
let failure: Error | undefined;
let pausesEnded: number;
let watch: PauseWatch;

const report = async (name: string): Promise<void> => {
  if (failure) throw failure;
  reports.push(name);
};
const budget: CallBudget = {
  takeSlots: async () => answer,
  returnSlots: (kind, slots) => report(`returned ${kind} ${slots.length}`),
  renewSlots: (kind, slots) => report(`renewed ${kind} ${slots.length}`),
  reportRateLimited: (retryAfterMs) => report(`rate_limited ${retryAfterMs}`),
  reportUnauthorized: () => report('unauthorized'),
  reportAccepted: () => report('accepted'),
};

beforeEach(() => {
  reports = [];
  failure = undefined;
  pausesEnded = 0;
  answer = { taken: 1, waitMs: 0 };
  watch = new PauseWatch(budget, () => {
    pausesEnded++;
  });
});

async function takeNumber(): Promise<number> {
  return (await watch.takeSlots('read', 1)).pauseNumber;
}

describe('answers that the service took', () => {
  it('cause no report while no pause is known', async () => {
    await watch.noteAccepted(await takeNumber());
    expect(reports).toEqual([]);
  });

  it('end, once, a pause that a 429 to this process began', async () => {
    await watch.noteRateLimited(await takeNumber(), 5_000);
    const later = await takeNumber();
    await watch.noteAccepted(later);
    await watch.noteAccepted(later);
    expect(reports).toEqual(['rate_limited 5000', 'accepted']);
    expect(pausesEnded).toBe(1);
  });

  it('end a pause that was learned from the ledger', async () => {
    answer = { taken: 0, waitMs: 9_000, pausedBecause: 'rate_limited' };
    await takeNumber();
    answer = { taken: 1, waitMs: 0 };
    await watch.noteAccepted(await takeNumber());
    expect(reports).toEqual(['accepted']);
  });

  it('end a pause after a refused credential when they answer the probe, even if others asked meanwhile', async () => {
    await watch.noteUnauthorized();
    answer = { taken: 1, waitMs: 0, pausedBecause: 'unauthorized' };
    const probe = await takeNumber();
    answer = { taken: 0, waitMs: 60_000, pausedBecause: 'unauthorized' };
    await takeNumber();
    await watch.noteAccepted(probe);
    expect(reports).toEqual(['unauthorized', 'accepted']);
  });

  it('do not end a pause when their slot was taken before it', async () => {
    const inFlight = await takeNumber();
    await watch.noteRateLimited(inFlight, 30_000);
    await watch.noteAccepted(inFlight);
    expect(reports).toEqual(['rate_limited 30000']);
  });

  it('do not end a pause of another process when their slot was taken before it was learned', async () => {
    const inFlight = await takeNumber();
    answer = { taken: 0, waitMs: 9_000, pausedBecause: 'rate_limited' };
    await takeNumber();
    await watch.noteAccepted(inFlight);
    expect(reports).toEqual([]);
  });
});

describe('a burst of 429s', () => {
  it('counts as one when the service does not say how long to wait', async () => {
    const numbers = [await takeNumber(), await takeNumber(), await takeNumber()];
    for (const pauseNumber of numbers) await watch.noteRateLimited(pauseNumber, undefined);
    expect(reports).toEqual(['rate_limited undefined']);
  });

  it('is reported 429 by 429 when each says how long to wait, since a later wait may be longer', async () => {
    const numbers = [await takeNumber(), await takeNumber()];
    for (const [at, pauseNumber] of numbers.entries()) await watch.noteRateLimited(pauseNumber, 1_000 * (at + 1));
    expect(reports).toEqual(['rate_limited 1000', 'rate_limited 2000']);
  });

  it('is not mistaken for a 429 to a call whose slot was taken after the pause', async () => {
    await watch.noteRateLimited(await takeNumber(), undefined);
    await watch.noteRateLimited(await takeNumber(), undefined);
    expect(reports).toEqual(['rate_limited undefined', 'rate_limited undefined']);
  });
});

describe('a ledger that cannot be reached', () => {
  it('does not hide the answer of the call', async () => {
    failure = new StoreError('away', { retryable: true });
    await expect(watch.noteRateLimited(0, 5_000)).resolves.toBeUndefined();
  });

  it('is told of the pause, once it can be, before it is asked for another slot', async () => {
    failure = new StoreError('away', { retryable: true });
    await watch.noteRateLimited(0, 5_000);
    await expect(watch.takeSlots('read', 1)).rejects.toBe(failure);
    failure = undefined;
    await watch.takeSlots('read', 1);
    await watch.takeSlots('read', 1);
    expect(reports).toEqual(['rate_limited 5000']);
  });
});

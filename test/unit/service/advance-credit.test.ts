import { describe, expect, it } from 'vitest';
import { AdvanceCredit } from '../../../src/service/advance-credit.ts';

function creditAt(clock: { nowMs: number }): AdvanceCredit {
  return new AdvanceCredit(() => clock.nowMs);
}

function loseAll(credit: AdvanceCredit): void {
  while (credit.available > 0) credit.noteLost();
}

describe('AdvanceCredit', () => {
  it('bears 32 losses at once and no more', () => {
    const credit = creditAt({ nowMs: 0 });
    for (let loss = 0; loss < 32; loss++) {
      expect(credit.available).toBe(32 - loss);
      credit.noteLost();
    }
    expect(credit.available).toBe(0);
  });

  it('earns one loss by a hundred used grants', () => {
    const credit = creditAt({ nowMs: 0 });
    loseAll(credit);
    for (let used = 0; used < 250; used++) credit.noteUsed();
    expect(credit.available).toBe(2);
  });

  it('earns one loss every twelve seconds, up to its bound', () => {
    const clock = { nowMs: 0 };
    const credit = creditAt(clock);
    loseAll(credit);
    clock.nowMs = 25_000;
    expect(credit.available).toBe(2);
    clock.nowMs = 10_000_000;
    expect(credit.available).toBe(32);
  });
});

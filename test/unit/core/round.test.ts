import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SECOND } from '../../../src/core/clock.ts';
import { StoreError } from '../../../src/core/errors.ts';
import { Round } from '../../../src/core/round.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 16) });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a round', () => {
  it('does its work at once, and again each time the span has passed', async () => {
    const work = vi.fn(async () => undefined);
    const round = new Round(10 * SECOND, work, () => {});
    await round.start();
    expect(work).toHaveBeenCalledTimes(1);
    expect(round.standing.succeededAt).toEqual(new Date(Date.UTC(2026, 10, 16)));
    // Whoever sets the machine's clock changes nothing.
    vi.setSystemTime(new Date(Date.UTC(2026, 10, 15)));
    await vi.advanceTimersByTimeAsync(5 * SECOND);
    expect(round.standing.ageMs).toBe(5 * SECOND);
    await vi.advanceTimersByTimeAsync(5 * SECOND);
    expect(work).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(50 * SECOND);
    expect(work.mock.calls.length).toBeGreaterThanOrEqual(7);
    await round.stop();
  });

  it('does its work once more when it is asked to, after the work at hand, and then as before', async () => {
    let [atOnce, most] = [0, 0];
    const work = vi.fn(async () => {
      most = Math.max(most, ++atOnce);
      await new Promise((resolve) => setTimeout(resolve, SECOND));
      atOnce -= 1;
    });
    const round = new Round(10 * SECOND, work, () => {});
    void round.start();
    void round.again();
    await vi.advanceTimersByTimeAsync(2 * SECOND);
    expect([work.mock.calls.length, most]).toEqual([2, 1]);
    await vi.advanceTimersByTimeAsync(10 * SECOND);
    expect(work).toHaveBeenCalledTimes(3);
    void round.stop();
    void round.again();
    await vi.advanceTimersByTimeAsync(20 * SECOND);
    expect(work).toHaveBeenCalledTimes(3);
  });

  it('goes on after a failure, sooner than usual, and tells of it', async () => {
    const onError = vi.fn();
    const work = vi.fn(async () => undefined as unknown).mockRejectedValueOnce(new Error('away'));
    const round = new Round(60 * SECOND, work, onError);
    await round.start();
    expect(onError).toHaveBeenCalledExactlyOnceWith(new Error('away'));
    expect(round.standing).toMatchObject({ succeededAt: undefined, ageMs: undefined, failure: 'away', failingSince: expect.any(Date) });
    await vi.advanceTimersByTimeAsync(2 * SECOND);
    expect(work).toHaveBeenCalledTimes(2);
    expect(round.standing).toMatchObject({ succeededAt: expect.any(Date), failure: undefined, failingSince: undefined });
    await round.stop();
  });

  it('says since when it fails for lasting reasons, whatever passing failures come between', async () => {
    const failures = [new StoreError('away', { retryable: true }), new Error('no right'), new StoreError('away', { retryable: true })];
    const work = async (): Promise<void> => {
      const failure = failures.shift();
      if (failure) throw failure;
    };
    const round = new Round(60 * SECOND, work, () => undefined);
    await round.start();
    expect(round.standing.failingSince).toBeUndefined();
    await vi.advanceTimersByTimeAsync(2 * SECOND);
    const { failingSince } = round.standing;
    expect(failingSince).toBeInstanceOf(Date);
    await vi.advanceTimersByTimeAsync(2 * SECOND);
    expect(round.standing).toMatchObject({ failure: 'away', failingSince });
    await vi.advanceTimersByTimeAsync(2 * SECOND);
    expect(round.standing).toMatchObject({ failure: undefined, failingSince: undefined });
    await round.stop();
  });

  it('never does its work twice at once, however long it takes', async () => {
    let atOnce = 0;
    let most = 0;
    const round = new Round(
      SECOND,
      async () => {
        atOnce += 1;
        most = Math.max(most, atOnce);
        await new Promise((resolve) => setTimeout(resolve, 7 * SECOND));
        atOnce -= 1;
      },
      () => {},
    );
    void round.start();
    await vi.advanceTimersByTimeAsync(60 * SECOND);
    expect(most).toBe(1);
    const stopped = round.stop();
    await vi.advanceTimersByTimeAsync(10 * SECOND);
    await stopped;
  });

  it('that was stopped waits for the work at hand and does no more', async () => {
    let isDone = false;
    const work = vi.fn(async () => {
      await new Promise((resolve) => setTimeout(resolve, 3 * SECOND));
      isDone = true;
    });
    const round = new Round(SECOND, work, () => {});
    void round.start();
    const stopped = round.stop().then(() => isDone);
    await vi.advanceTimersByTimeAsync(60 * SECOND);
    expect(await stopped).toBe(true);
    expect(work).toHaveBeenCalledTimes(1);
    await round.start();
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('does not report a failure while it stops', async () => {
    const onError = vi.fn();
    const round = new Round(SECOND, () => new Promise((_, reject) => setTimeout(() => reject(new Error('closed')), SECOND)), onError);
    void round.start();
    const stopped = round.stop();
    await vi.advanceTimersByTimeAsync(SECOND);
    await stopped;
    expect(onError).not.toHaveBeenCalled();
  });
});

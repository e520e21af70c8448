import { describe, expect, it, vi } from 'vitest';
import { SubmitPlaces } from '../../../src/queue/submit-places.ts';

/** Submits that end when they are told to. */
function createSubmits() {
  const ends: (() => void)[] = [];
  const submit = vi.fn(() => new Promise<void>((resolve) => ends.push(resolve)));
  return { submit, endOne: () => ends.shift()?.() };
}
const ring = () => vi.fn(async () => undefined);

describe('the places of submits', () => {
  it('are as many for each connection, so that one which hangs takes none of another', async () => {
    const places = new SubmitPlaces(2);
    const { submit } = createSubmits();
    for (let bell = 0; bell < 5; bell += 1) void places.use('hung', submit, ring());
    expect(submit).toHaveBeenCalledTimes(2);
    const other = vi.fn(async () => undefined);
    await places.use('other', other, ring());
    expect(other).toHaveBeenCalledOnce();
  });

  it('ring once when one is free again, if somebody was turned away', async () => {
    const places = new SubmitPlaces(1);
    const { submit, endOne } = createSubmits();
    const rung = ring();
    const first = places.use('main', submit, rung);
    await places.use('main', submit, rung);
    await places.use('main', submit, rung);
    expect(rung).not.toHaveBeenCalled();
    endOne();
    await first;
    expect(rung).toHaveBeenCalledOnce();
    const next = places.use('main', submit, rung);
    endOne();
    await next;
    expect(submit).toHaveBeenCalledTimes(2);
    expect(rung).toHaveBeenCalledOnce();
  });

  it('are free again after a submit that failed', async () => {
    const places = new SubmitPlaces(1);
    await expect(places.use('main', () => Promise.reject(new Error('no')), ring())).rejects.toThrow('no');
    const submit = vi.fn(async () => undefined);
    await places.use('main', submit, ring());
    expect(submit).toHaveBeenCalledOnce();
  });
});

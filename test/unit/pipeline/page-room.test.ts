import { describe, expect, it } from 'vitest';
import { CancelledError } from '../../../src/core/errors.ts';
import { PageRoom, type PageShare } from '../../../src/pipeline/page-room.ts';

const MOST = 100;
const URGENT = 1;
const ORDINARY = 4;

/** One whose pages are so large, as is known. */
const datasetOf = (bytes: number): string => `pages of ${bytes} bytes`;

/** A load whose pages are so large, and who has one. */
async function loadIn(room: PageRoom, bytes: number): Promise<PageShare> {
  const share = room.openShare(datasetOf(bytes));
  room.noteFirstPage(datasetOf(bytes), bytes);
  await share.reserve(ORDINARY, undefined);
  share.fill(bytes);
  return share;
}

/** Asks for the next page, and tells whether there is room by now. */
function ask(share: PageShare, { priority = ORDINARY, signal }: { priority?: number; signal?: AbortSignal } = {}) {
  let isIn = false;
  const settled = share.reserve(priority, signal).then(() => {
    isIn = true;
  });
  settled.catch(() => undefined);
  return { isIn: () => tick().then(() => isIn), settled };
}

const tick = () => new Promise((resolve) => setImmediate(resolve));

describe('room for pages', () => {
  it('is had at once while all fit, by what the page before took', async () => {
    const room = new PageRoom(MOST);
    const [a, b] = [await loadIn(room, 20), await loadIn(room, 30)];
    expect(await ask(a).isIn()).toBe(true);
    expect(await ask(b).isIn()).toBe(true);
    expect(room.held).toBe(MOST);
  });

  it('is waited for until enough pages are gone', async () => {
    const room = new PageRoom(MOST);
    const [a, b, c] = [await loadIn(room, 50), await loadIn(room, 40), await loadIn(room, 10)];
    const next = ask(a);
    expect(await next.isIn()).toBe(false);
    c.giveBack(10);
    expect(await next.isIn()).toBe(false);
    b.giveBack(40);
    expect(await next.isIn()).toBe(true);
    expect(room.held).toBe(MOST);
  });

  it('lets a page through that is larger than all of it, alone', async () => {
    const room = new PageRoom(MOST);
    const large = await loadIn(room, 3 * MOST);
    const small = await Promise.race([loadIn(room, 1), tick()]);
    expect(small).toBeUndefined();
    const next = ask(large);
    expect(await next.isIn()).toBe(false);
    large.giveBack(3 * MOST);
    expect(await next.isIn()).toBe(true);
  });

  it('goes to the most urgent first, then to the load that was opened first, and nobody overtakes', async () => {
    const room = new PageRoom(MOST);
    const [old, young, tiny] = [await loadIn(room, 40), await loadIn(room, 40), await loadIn(room, 1)];
    const waiting = [ask(young), ask(old), ask(tiny)];
    room.noteFirstPage('polled', 30);
    const poll = ask(room.openShare('polled'), { priority: URGENT });
    const areIn = () => Promise.all([poll, ...waiting].map((asked) => asked.isIn()));
    expect(await areIn()).toEqual([false, false, false, false]);
    old.giveBack(40);
    expect(await areIn()).toEqual([true, false, false, false]);
    young.giveBack(40);
    expect(await areIn()).toEqual([true, false, true, false]);
    old.giveBack(40);
    expect(await areIn()).toEqual([true, true, true, true]);
  });

  it('expects of a first page what the last first page of the dataset took', async () => {
    const room = new PageRoom(MOST);
    const first = await loadIn(room, 45);
    await first.reserve(ORDINARY, undefined);
    first.fill(10);
    first.close();
    const polls = [1, 2, 3].map(() => ask(room.openShare(datasetOf(45)), { priority: URGENT }));
    expect(await Promise.all(polls.map((poll) => poll.isIn()))).toEqual([true, true, false]);
  });

  it('is given back when a load ends in the middle, and wanted no more when it is cancelled', async () => {
    const room = new PageRoom(MOST);
    const [a, b, c] = [await loadIn(room, 60), await loadIn(room, 40), await loadIn(room, 0)];
    const stop = new AbortController();
    const cancelled = ask(a, { signal: stop.signal });
    const behind = ask(c);
    expect(await behind.isIn()).toBe(false);
    stop.abort();
    await expect(cancelled.settled).rejects.toThrow(CancelledError);
    expect(await behind.isIn()).toBe(true);
    await expect(ask(a, { signal: stop.signal }).settled).rejects.toThrow(CancelledError);
    for (const share of [a, b, c]) share.close();
    expect(room.held).toBe(0);
  });
});

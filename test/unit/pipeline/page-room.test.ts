import { describe, expect, it, vi } from 'vitest';
import { parsedRows } from '../../../src/codec/page-rows.ts';
import { CancelledError } from '../../../src/core/errors.ts';
import { createRooms, PageRoom, type PageShare } from '../../../src/pipeline/page-room.ts';

const MEBIBYTE = 1024 * 1024;
/** All sizes are in MiB. */
const MOST = 100;
const FIRST_PAGE = 2;
const URGENT = 1;
const ORDINARY = 4;

const pageOf = (size: number) => ({ rows: parsedRows([]), bytes: size * MEBIBYTE });
const createRoom = (): PageRoom => new PageRoom(MOST * MEBIBYTE);

/** A load whose pages are so large, and who has one. */
async function loadIn(room: PageRoom, size: number): Promise<PageShare> {
  const share = room.openShare('job');
  await share.reserve(ORDINARY, undefined);
  share.fill(pageOf(size));
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
    const room = createRoom();
    const [a, b] = [await loadIn(room, 20), await loadIn(room, 30)];
    expect(await ask(a).isIn()).toBe(true);
    expect(await ask(b).isIn()).toBe(true);
    expect(room.held).toBe(MOST * MEBIBYTE);
  });

  it('is waited for until enough pages are gone', async () => {
    const room = createRoom();
    const [a, b, c] = [await loadIn(room, 50), await loadIn(room, 40), await loadIn(room, 10)];
    const next = ask(a);
    expect(await next.isIn()).toBe(false);
    c.giveBack(10 * MEBIBYTE);
    expect(await next.isIn()).toBe(false);
    b.giveBack(40 * MEBIBYTE);
    expect(await next.isIn()).toBe(true);
    expect(room.held).toBe(MOST * MEBIBYTE);
  });

  it('lets a page through that is larger than all of it, alone', async () => {
    const room = createRoom();
    const large = await loadIn(room, 3 * MOST);
    const small = await Promise.race([loadIn(room, 1), tick()]);
    expect(small).toBeUndefined();
    const next = ask(large);
    expect(await next.isIn()).toBe(false);
    large.giveBack(3 * MOST * MEBIBYTE);
    expect(await next.isIn()).toBe(true);
  });

  it('goes to the most urgent first, then to the load that was opened first, and nobody overtakes', async () => {
    const room = createRoom();
    const [old, young, tiny] = [await loadIn(room, 40), await loadIn(room, 40), await loadIn(room, 19)];
    const waiting = [ask(young), ask(old), ask(tiny)];
    const poll = ask(room.openShare('job'), { priority: URGENT });
    const areIn = () => Promise.all([poll, ...waiting].map((asked) => asked.isIn()));
    expect(await areIn()).toEqual([false, false, false, false]);
    old.giveBack(40 * MEBIBYTE);
    expect(await areIn()).toEqual([true, false, false, false]);
    young.giveBack(40 * MEBIBYTE);
    expect(await areIn()).toEqual([true, false, true, false]);
    old.giveBack(40 * MEBIBYTE);
    expect(await areIn()).toEqual([true, true, true, true]);
  });

  it('is asked for little before a first page, and what came beyond counts', async () => {
    const room = createRoom();
    const shares = Array.from({ length: MOST / FIRST_PAGE + 1 }, () => room.openShare('job'));
    const polls = shares.map((share) => ask(share, { priority: URGENT }));
    const areIn = await Promise.all(polls.map((poll) => poll.isIn()));
    expect(areIn).toEqual(shares.map((_, at) => at < MOST / FIRST_PAGE));
    shares[0]?.fill(pageOf(50));
    for (const share of shares.slice(1, 25)) share.close();
    expect(await polls.at(-1)?.isIn()).toBe(false);
    shares[25]?.close();
    expect(await polls.at(-1)?.isIn()).toBe(true);
  });

  it('is given back when a load ends in the middle, and wanted no more when it is cancelled', async () => {
    const room = createRoom();
    const [c, a, b] = [await loadIn(room, 0), await loadIn(room, 60), await loadIn(room, 38)];
    const stop = new AbortController();
    const cancelled = ask(a, { signal: stop.signal });
    const behind = ask(c, { priority: ORDINARY + 1 });
    expect(await behind.isIn()).toBe(false);
    stop.abort();
    await expect(cancelled.settled).rejects.toThrow(CancelledError);
    expect(await behind.isIn()).toBe(true);
    await expect(ask(a, { signal: stop.signal }).settled).rejects.toThrow(CancelledError);
    for (const share of [a, b, c]) share.close();
    expect(room.held).toBe(0);
  });

  it('counts little of a page in a file, and closes the file at the end', async () => {
    const room = createRoom();
    const share = room.openShare('job');
    await share.reserve(ORDINARY, undefined);
    const rows = { length: 1_000, async *parts() {}, close: vi.fn() };
    share.fill({ rows, bytes: 200 * MEBIBYTE });
    expect(room.held).toBeLessThan(10 * MEBIBYTE);
    expect(rows.close).not.toHaveBeenCalled();
    share.close();
    expect(rows.close).toHaveBeenCalledOnce();
    expect(room.held).toBe(0);
  });

  it('is divided among connections, so that none waits for the calls of another', async () => {
    const rooms = createRooms(['a', 'b']);
    const many = Array.from({ length: 100 }, () => ask(rooms.get('a')?.openShare('job') as PageShare));
    expect(await many.at(-1)?.isIn()).toBe(false);
    expect(await ask(rooms.get('b')?.openShare('job') as PageShare).isIn()).toBe(true);
  });
});

describe('room for the pages of several jobs', () => {
  it('is left to a job that has none, however much another holds', async () => {
    const room = createRoom();
    const hung = Array.from({ length: MOST / FIRST_PAGE + 5 }, () => ask(room.openShare('hung'), { priority: URGENT }));
    expect(await hung.at(-1)?.isIn()).toBe(false);
    const [poll, second] = [ask(room.openShare('other')), ask(room.openShare('other'))];
    expect(await poll.isIn()).toBe(true);
    expect(await second.isIn()).toBe(false);
  });

  it('is bounded all the same', async () => {
    const room = createRoom();
    const polls = Array.from({ length: 2 * MOST }, (_, job) => ask(room.openShare(`job ${job}`)));
    await tick();
    expect((await Promise.all(polls.map((poll) => poll.isIn()))).filter(Boolean)).toHaveLength((2 * MOST) / FIRST_PAGE);
    expect(room.held).toBe(2 * MOST * MEBIBYTE);
  });
});

import { describe, expect, it } from 'vitest';
import { ConcurrencySlots, type SlotOptions, type Work } from '../../../src/queue/concurrency-slots.ts';

/** Slots, what has begun in them in order, and a way to end it. */
function slotsFor(options: SlotOptions) {
  const slots = new ConcurrencySlots(options);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const use = (key: string, own: Partial<Work> = {}): Promise<void> => {
    const run = (): Promise<void> => {
      begun.push(key);
      return new Promise((resolve) => ends.set(key, resolve));
    };
    return slots.use({ connection: 'main', job: '', priority: 1, run, ...own, key });
  };
  const end = async (key: string): Promise<void> => {
    ends.get(key)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { slots, begun, use, end };
}

const isShared = (): boolean => true;

describe('the slots of a process', () => {
  it('are counted per connection, so that a hanging connection takes none of another', () => {
    const { begun, use } = slotsFor({ slotsPerConnection: 2 });
    for (const key of ['a', 'b', 'c', 'd']) void use(key, { connection: 'hung' });
    void use('other', { connection: 'other' });
    expect(begun).toEqual(['a', 'b', 'other']);
  });

  it('go to the most urgent that waits as soon as one is free, then to the one that came first', async () => {
    const { begun, use, end } = slotsFor({ slotsPerConnection: 1 });
    const first = use('first');
    for (const key of ['c', 'd']) await use(key, { priority: 2 });
    for (const key of ['a', 'b']) await use(key, { priority: 1 });
    for (const key of ['first', 'a', 'b', 'c', 'd']) await end(key);
    await first;
    expect(begun).toEqual(['first', 'a', 'b', 'c', 'd']);
  });

  it('become free when no work waits', async () => {
    const { begun, use, end } = slotsFor({ slotsPerConnection: 1 });
    const first = use('a');
    await end('a');
    await first;
    void use('b');
    expect(begun).toEqual(['a', 'b']);
  });

  it('are waited for once by a message that comes several times', async () => {
    const { slots, begun, use, end } = slotsFor({ slotsPerConnection: 1 });
    void use('a');
    for (let bell = 0; bell < 3; bell += 1) await use('b');
    expect(slots.isWaiting({ connection: 'main', job: '', key: 'b' })).toBe(true);
    await end('a');
    expect(slots.isWaiting({ connection: 'main', job: '', key: 'b' })).toBe(false);
    await end('b');
    expect(begun).toEqual(['a', 'b']);
  });

  it('are remembered for a bounded number of waiting messages', async () => {
    const { slots, use } = slotsFor({ slotsPerConnection: 1 });
    for (let step = 0; step < 10_000; step += 1) void use(String(step));
    const waiting = Array.from({ length: 10_000 }, (_, step) => slots.isWaiting({ connection: 'main', job: '', key: String(step) }));
    expect(waiting.filter(Boolean)).toHaveLength(500);
  });
});

describe('the slots of a connection with several jobs', () => {
  it('are never all taken by one of them', () => {
    const { begun, use } = slotsFor({ slotsPerConnection: 4, isShared });
    for (const key of ['a1', 'a2', 'a3', 'a4']) void use(key, { job: 'a' });
    expect(begun).toEqual(['a1', 'a2']);
    void use('b', { job: 'b' });
    expect(begun).toEqual(['a1', 'a2', 'b']);
  });

  it('are left for a fifth job while four jobs hang with all they may take', () => {
    const { begun, use } = slotsFor({ slotsPerConnection: 16, isShared });
    for (const job of ['a', 'b', 'c', 'd', 'e']) for (let step = 0; step < 16; step += 1) void use(`${job}${step}`, { job });
    expect(Array.from('abcde', (job) => begun.filter((key) => key.startsWith(job)).length)).toEqual([8, 4, 2, 1, 1]);
  });

  it('go to a job that has fewer, even if another waits longer and is more urgent', async () => {
    const { begun, use, end } = slotsFor({ slotsPerConnection: 2, isShared });
    void use('b1', { job: 'b', priority: 5 });
    void use('a1', { job: 'a', priority: 1 });
    await use('a2', { job: 'a', priority: 1 });
    await use('b2', { job: 'b', priority: 5 });
    await end('b1');
    expect(begun).toEqual(['b1', 'a1', 'b2']);
  });

  it('leave a job one slot where there is only one, and all of them to a job without others', () => {
    const few = slotsFor({ slotsPerConnection: 1, isShared });
    void few.use('a', { job: 'a' });
    expect(few.begun).toEqual(['a']);
    const alone = slotsFor({ slotsPerConnection: 3 });
    for (const key of ['a1', 'a2', 'a3', 'a4']) void alone.use(key, { job: 'a' });
    expect(alone.begun).toEqual(['a1', 'a2', 'a3']);
  });
});

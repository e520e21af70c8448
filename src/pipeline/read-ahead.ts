// Lets a producer run ahead of its consumer by a bounded amount. The consumer receives all ready items at once.

import { EventEmitter, once } from 'node:events';
import { openDeadline } from '../core/deadline.ts';

export type ReadAheadOptions<T> = Readonly<{
  sizeOf: (item: T) => number;
  /** The producer pauses while waiting items have this total size or more; a single larger item still passes. Read each time. */
  maxWaiting: () => number;
  /** How long to wait for more once an item is ready, in milliseconds; shorter when half of `maxWaiting` is reached. */
  gatherMs: number;
}>;

/**
 * Yields batches of the items of `source` in order: those produced since the last batch and within `gatherMs`, at least one. An
 * error of the source is thrown after the items before it. When the consumer stops early, the source is stopped, and has ended
 * before this generator returns.
 */
export async function* readAhead<T>(
  source: AsyncGenerator<T, void, undefined>,
  { sizeOf, maxWaiting, gatherMs }: ReadAheadOptions<T>,
): AsyncGenerator<readonly T[], void, undefined> {
  let ready: T[] = [];
  let waiting = 0;
  let end: { error?: unknown } | undefined;
  let isAbandoned = false;
  const changes = new EventEmitter();
  const changed = (signal?: AbortSignal): Promise<unknown> => once(changes, 'change', signal && { signal });

  const produce = async (): Promise<void> => {
    try {
      for await (const item of source) {
        ready.push(item);
        waiting += sizeOf(item);
        changes.emit('change');
        while (ready.length > 0 && waiting >= maxWaiting() && !isAbandoned) await changed();
        if (isAbandoned) break;
      }
      end = {};
    } catch (error) {
      end = { error };
    }
    changes.emit('change');
  };
  const produced = produce();

  try {
    for (;;) {
      while (ready.length === 0 && !end) await changed();
      if (ready.length === 0) break;
      if (gatherMs > 0) {
        using gathering = openDeadline(gatherMs);
        const { signal } = gathering;
        while (!signal.aborted && !end && waiting < maxWaiting() / 2) await changed(signal).catch(() => undefined);
      }
      const items = ready;
      ready = [];
      waiting = 0;
      changes.emit('change');
      yield items;
    }
    if (end && 'error' in end) throw end.error;
  } finally {
    isAbandoned = true;
    changes.emit('change');
    await produced;
  }
}

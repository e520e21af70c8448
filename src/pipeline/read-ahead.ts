// Lets a producer run ahead of its consumer by a bounded amount: the consumer gets all that is ready at once.

export type ReadAheadOptions<T> = Readonly<{
  sizeOf: (item: T) => number;
  /** The producer pauses while items of this size together wait; a single larger one still passes. */
  mostWaiting: number;
  /** How long to wait for more once an item is there, in milliseconds, unless half of `mostWaiting` is. */
  gatherMs: number;
}>;

/**
 * Yields what `source` has produced since the last time, and a moment later, in order, at least one item each. An error of
 * the source is thrown after the items before it. When the consumer stops early, the source is told to and has ended when
 * this has.
 */
export async function* readAhead<T>(
  source: AsyncGenerator<T, void, undefined>,
  { sizeOf, mostWaiting, gatherMs }: ReadAheadOptions<T>,
): AsyncGenerator<readonly T[], void, undefined> {
  let ready: T[] = [];
  let waiting = 0;
  let end: { error?: unknown } | undefined;
  let isAbandoned = false;
  let wakeConsumer = (): void => undefined;
  let wakeProducer = (): void => undefined;

  const produce = async (): Promise<void> => {
    try {
      for await (const item of source) {
        ready.push(item);
        waiting += sizeOf(item);
        wakeConsumer();
        while (waiting >= mostWaiting && !isAbandoned) await new Promise<void>((resolve) => (wakeProducer = resolve));
        if (isAbandoned) break;
      }
      end = {};
    } catch (error) {
      end = { error };
    }
    wakeConsumer();
  };
  const produced = produce();

  const gather = async (): Promise<void> => {
    const until = performance.now() + gatherMs;
    while (!end && waiting < mostWaiting / 2) {
      const left = until - performance.now();
      if (left <= 0) return;
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        wakeConsumer = resolve;
        timer = setTimeout(resolve, left);
      });
      clearTimeout(timer);
    }
  };

  try {
    for (;;) {
      while (ready.length === 0 && !end) await new Promise<void>((resolve) => (wakeConsumer = resolve));
      if (ready.length > 0) {
        await gather();
        const items = ready;
        ready = [];
        waiting = 0;
        wakeProducer();
        yield items;
      } else {
        if (end && 'error' in end) throw end.error;
        return;
      }
    }
  } finally {
    isAbandoned = true;
    wakeProducer();
    await produced;
  }
}

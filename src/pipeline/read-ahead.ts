// Lets a producer run ahead of its consumer by a bounded amount: the consumer gets all that is ready at once.

export type ReadAheadOptions<T> = Readonly<{
  sizeOf: (item: T) => number;
  /** The producer pauses while items of this size together wait; a single larger one still passes. */
  mostWaiting: number;
}>;

/**
 * Yields what `source` has produced since the last time, in order, at least one item each. An error of the source is
 * thrown after the items before it. When the consumer stops early, the source is told to and has ended when this has.
 */
export async function* readAhead<T>(
  source: AsyncGenerator<T, void, undefined>,
  { sizeOf, mostWaiting }: ReadAheadOptions<T>,
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

  try {
    for (;;) {
      while (ready.length === 0 && !end) await new Promise<void>((resolve) => (wakeConsumer = resolve));
      if (ready.length > 0) {
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

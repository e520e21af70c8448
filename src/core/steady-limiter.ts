// Bottleneck whose waits are durations. Bottleneck remembers when the next task may start as a time of the wall clock, even without `minTime`.
// When that clock is set back by two hours, tasks would wait for two hours. Here it remembers the time on the monotonic clock.
import Bottleneck from 'bottleneck';

/** The field of Bottleneck's store that holds when the next task may start. */
const NEXT = '_nextRequest';

/** As `new Bottleneck(options)`. */
export function createSteadyLimiter(options: Bottleneck.ConstructorOptions): Bottleneck {
  const limiter = new Bottleneck(options);
  const { _store: store } = limiter as unknown as { _store?: Readonly<Record<string, unknown>> };
  if (typeof store?.[NEXT] !== 'number') throw new Error(`this version of Bottleneck has no ${NEXT}: see steady-limiter.ts`);
  let nextMs = performance.now();
  Object.defineProperty(store, NEXT, {
    get: () => nextMs - performance.now() + Date.now(),
    set: (atMs: number) => {
      nextMs = atMs - Date.now() + performance.now();
    },
  });
  return limiter;
}

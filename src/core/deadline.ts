// The one way to limit how long something may take, and to stop for several reasons. On Node 20 the signal of
// `AbortSignal.any([signal, AbortSignal.timeout(ms)])` never aborts once garbage was collected, and each joined signal leaks something
// at long-lived signals. Here Node's timers hold the deadline, and nothing leaks.
import { watchAbort } from './abort-watch.ts';

/** The longest delay that Node's timers take; they fire at once for a longer one. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export type Deadline = Disposable & Readonly<{ signal: AbortSignal }>;

/**
 * A signal that aborts after `ms` with a TimeoutError, or with the first of `others` and its reason. Dispose of it when the limited work has
 * ended. It does not keep the process alive.
 */
export function openDeadline(ms: number, ...others: readonly (AbortSignal | undefined)[]): Deadline {
  const expired = new AbortController();
  const timer = setTimeout(() => expired.abort(new DOMException('it took too long', 'TimeoutError')), Math.min(ms, MAX_TIMER_MS)).unref();
  const joined = joinSignals(expired.signal, ...others);
  return {
    signal: joined.signal,
    [Symbol.dispose]() {
      clearTimeout(timer);
      joined[Symbol.dispose]();
    },
  };
}

/** A signal that aborts with the first of `signals` and its reason. Dispose of it when it is no longer needed. */
export function joinSignals(...signals: readonly (AbortSignal | undefined)[]): Deadline {
  const first = new AbortController();
  const stops = signals.map((signal) => {
    if (signal?.aborted) first.abort(signal.reason);
    return watchAbort(signal, () => first.abort(signal?.reason));
  });
  return {
    signal: first.signal,
    [Symbol.dispose]() {
      for (const stop of stops) stop();
    },
  };
}

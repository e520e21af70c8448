// Progress of long work, told every few seconds.
import { SECOND } from '../core/clock.ts';

const TELL_EVERY_MS = 5 * SECOND;

/** Returns `tell`, called at most once in a time and not before the first is over: what comes between is left out, unless it is the last. */
export function paced<T>(tell: (progress: T) => void, everyMs: number = TELL_EVERY_MS): (progress: T, isLast?: boolean) => void {
  let toldAt = performance.now();
  return (progress, isLast = false) => {
    if (performance.now() - toldAt < everyMs && !isLast) return;
    toldAt = performance.now();
    tell(progress);
  };
}

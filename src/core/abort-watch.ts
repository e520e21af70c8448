// Listening to an AbortSignal that outlives the call: one stop signal serves every call of a process.
import { setMaxListeners } from 'node:events';

/** Calls `onAbort` once when the signal aborts from now on. The returned function stops listening; call it when done. */
export function watchAbort(signal: AbortSignal | undefined, onAbort: () => void): () => void {
  if (!signal) return () => {};
  // Dozens of calls waiting on one signal are not a leak, but Node 20 warns above ten.
  setMaxListeners(0, signal);
  signal.addEventListener('abort', onAbort, { once: true });
  return () => signal.removeEventListener('abort', onAbort);
}

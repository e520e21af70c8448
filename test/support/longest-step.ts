// The longest step of this thread between two turns of its event loop, in CPU time: a busy machine makes steps longer, but not more work.
import { readFileSync } from 'node:fs';

/** CPU time of this thread in milliseconds. Elsewhere than on Linux that of the process, which is more. */
function threadCpuMs(): number {
  if (process.platform === 'linux') return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Does the work, and measures its longest step. */
export async function longestStepMs<T>(work: () => Promise<T>): Promise<Readonly<{ result: T; longestMs: number }>> {
  let [longestMs, before] = [0, threadCpuMs()];
  const done = new AbortController();
  const look = (): void => {
    const now = threadCpuMs();
    longestMs = Math.max(longestMs, now - before);
    before = now;
    if (!done.signal.aborted) setImmediate(look);
  };
  setImmediate(look);
  const result = await work();
  done.abort();
  look();
  return { result, longestMs };
}

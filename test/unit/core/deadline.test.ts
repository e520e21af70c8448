import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SECOND } from '../../../src/core/clock.ts';
import { joinSignals, openDeadline } from '../../../src/core/deadline.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Only the waiting code references the signal, and garbage is collected before the signal is due. */
const AFTER_COLLECTION = `
import { openDeadline } from './src/core/deadline.ts';
const stopping = new AbortController();
const hangs = setInterval(() => globalThis.gc(), 10);
const hang = (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason.name)));
console.log(await hang(openDeadline(200, stopping.signal).signal));
clearInterval(hangs);
`;

it('aborts also after garbage collection', async () => {
  const flags = ['--expose-gc', '--import', 'tsx', '--input-type=module', '--eval', AFTER_COLLECTION];
  // Killed only when it does not abort.
  const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: ROOT, timeout: 30 * SECOND });
  expect(stdout).toBe('TimeoutError\n');
});

describe('a deadline', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('aborts after its time, with a TimeoutError', () => {
    using deadline = openDeadline(SECOND);
    vi.advanceTimersByTime(SECOND - 1);
    expect(deadline.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(deadline.signal.reason).toMatchObject({ name: 'TimeoutError' });
  });

  it('aborts earlier with another signal, for the reason of that signal', () => {
    const stopping = new AbortController();
    using deadline = openDeadline(SECOND, undefined, stopping.signal);
    stopping.abort('a stop');
    expect(deadline.signal.reason).toBe('a stop');
  });

  it('leaves no timer when what it limits has ended, and does not abort any more', () => {
    const stopping = new AbortController();
    const deadline = openDeadline(SECOND, stopping.signal);
    deadline[Symbol.dispose]();
    expect(vi.getTimerCount()).toBe(0);
    stopping.abort();
    expect(deadline.signal.aborted).toBe(false);
  });

  it('beyond the longest time of a timer does not fire at once', () => {
    using deadline = openDeadline(2 ** 40);
    vi.advanceTimersByTime(SECOND);
    expect(deadline.signal.aborted).toBe(false);
  });
});

it('joined signals abort with the first, also when that was aborted before', () => {
  const [lost, stopping] = [new AbortController(), new AbortController()];
  using joined = joinSignals(lost.signal, stopping.signal);
  expect(joined.signal.aborted).toBe(false);
  stopping.abort('a stop');
  lost.abort('a loss');
  expect(joined.signal.reason).toBe('a stop');
  using late = joinSignals(lost.signal);
  expect(late.signal.reason).toBe('a loss');
});

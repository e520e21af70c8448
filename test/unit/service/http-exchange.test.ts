// How slow an answer may be. What comes is written by the test, and time is the test's.
import type { Dispatcher } from 'undici';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BufferPool } from '../../../src/codec/buffer-pool.ts';
import { SECOND } from '../../../src/core/clock.ts';
import { DEFAULT_CLIENT_OPTIONS } from '../../../src/service/client-options.ts';
import { exchange, type Pace } from '../../../src/service/http-exchange.ts';

const KIBIBYTE = 1024;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A call that has been sent: what a server answers to it, and how it has ended so far. */
function send(pace: Pace | null = DEFAULT_CLIENT_OPTIONS.pace) {
  let handler: Dispatcher.DispatchHandler | undefined;
  const dispatcher = { dispatch: (_: unknown, given: Dispatcher.DispatchHandler) => (handler = given) } as unknown as Dispatcher;
  const controller = {
    abort: (reason: Error) => handler?.onResponseError?.(controller, reason),
  } as unknown as Dispatcher.DispatchController;
  let ending: string | undefined;
  const post = {
    origin: 'http://s',
    path: '/',
    headers: {},
    body: '',
    beforeWrite: () => undefined,
    onArrival: () => undefined,
    cancelGraceMs: 0,
  };
  exchange(dispatcher, { ...DEFAULT_CLIENT_OPTIONS, buffers: new BufferPool(), ...post, pace: pace ?? undefined }).then(
    ({ body }) => (ending = `${body.length} bytes`),
    (error: Error) => (ending = error.message),
  );
  handler?.onRequestStart?.(controller, {});
  return {
    begin: () => handler?.onResponseStart?.(controller, 200, {}),
    bring: (bytes: number) => handler?.onResponseData?.(controller, Buffer.alloc(bytes)),
    end: () => handler?.onResponseEnd?.(controller, {}),
    /** Brings so much every second. */
    async flow(seconds: number, bytesPerSecond: number) {
      for (let second = 0; second < seconds; second += 1) {
        await vi.advanceTimersByTimeAsync(SECOND);
        if (ending === undefined && bytesPerSecond > 0) this.bring(bytesPerSecond);
      }
    },
    ending: async () => {
      await vi.advanceTimersByTimeAsync(0);
      return ending;
    },
  };
}

describe('the answer to a call', () => {
  it('is given up after a minute when it drips', async () => {
    const call = send();
    call.begin();
    await call.flow(59, 1);
    expect(await call.ending()).toBeUndefined();
    await call.flow(1, 1);
    expect(await call.ending()).toBe('no complete answer within 60000 ms, and it comes at less than 65536 bytes a second');
  });

  it('is given up after a minute when it has not begun', async () => {
    const call = send();
    await call.flow(60, 0);
    expect(await call.ending()).toBe('it did not begin to answer within 60000 ms');
  });

  it('that begins late has half a minute to reach a good pace', async () => {
    const [slow, good] = [send(), send()];
    await vi.advanceTimersByTimeAsync(55 * SECOND);
    for (const call of [slow, good]) call.begin();
    await slow.flow(29, 60 * KIBIBYTE);
    good.bring(1920 * KIBIBYTE);
    expect(await slow.ending()).toBeUndefined();
    await vi.advanceTimersByTimeAsync(SECOND);
    expect(await slow.ending()).toContain('it comes at less than');
    expect(await good.ending()).toBeUndefined();
  });

  it('may take longer than a minute while it keeps its pace, in every half minute', async () => {
    const call = send();
    call.begin();
    await call.flow(90, 64 * KIBIBYTE);
    await call.flow(60, 128 * KIBIBYTE);
    expect(await call.ending()).toBeUndefined();
    await call.flow(60, 1);
    expect(await call.ending()).toContain('it comes at less than');
  });

  it('is complete at any pace within the minute', async () => {
    const call = send();
    call.begin();
    await call.flow(59, 1);
    call.end();
    expect(await call.ending()).toBe('59 bytes');
    await vi.advanceTimersByTimeAsync(400 * SECOND);
    expect(await call.ending()).toBe('59 bytes');
  });

  it('is awaited for five minutes at any pace where no pace is required, as for a submit', async () => {
    const call = send(null);
    call.begin();
    await call.flow(299, 1);
    expect(await call.ending()).toBeUndefined();
    await call.flow(1, 1);
    expect(await call.ending()).toBe('no complete answer within 300000 ms');
  });
});

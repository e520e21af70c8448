import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { SECOND } from '../../../src/core/clock.ts';
import { silentLogger } from '../../../src/core/log.ts';
import type { RingingQueue } from '../../../src/queue/backend/queue-parts.ts';
import { createDoorbell } from '../../../src/queue/doorbell.ts';

const step = { kind: 'step', execution: 42, connection: 'main', job: 'a', steps: 3, priority: 1, delayMs: 1500.4 } as const;

function doorbellOn(add: (...args: unknown[]) => Promise<unknown>) {
  const queue = { add } as unknown as RingingQueue;
  return createDoorbell({ step: queue, submits: queue }, silentLogger);
}

// The wait is over at once.
vi.mock('node:timers/promises', () => ({ setTimeout: vi.fn(async () => undefined) }));

describe('a doorbell', () => {
  it('leaves one message, which is removed once it was answered or has failed', async () => {
    const add = vi.fn(async () => undefined);
    await doorbellOn(add)(step);
    expect(add).toHaveBeenCalledExactlyOnceWith(
      'step',
      { execution: 42, connection: 'main', job: 'a', priority: 1 },
      { jobId: 'step-42-3', priority: 2, delay: 1500, attempts: 1, removeOnComplete: true, removeOnFail: true },
    );
  });

  it('never asks for a time in the past', async () => {
    const add = vi.fn(async (..._: unknown[]) => undefined);
    await doorbellOn(add)({ ...step, delayMs: -20 });
    expect(add.mock.calls[0]?.[2]).toMatchObject({ delay: 0 });
  });

  it('does not make the ringing stage fail when the queue is away', async () => {
    await expect(doorbellOn(() => Promise.reject(new Error('ECONNREFUSED')))(step)).resolves.toBeUndefined();
  });

  it('does not hold up the ringing stage when the queue never answers', async () => {
    await expect(doorbellOn(() => new Promise(() => {}))(step)).resolves.toBeUndefined();
    expect(delay).toHaveBeenLastCalledWith(2 * SECOND, undefined, { ref: false });
  });
});

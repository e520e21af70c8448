// Rings bells: the one place where the pipeline's bells become BullMQ messages. A bell that cannot be rung is left to the reconciler.
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { SECOND } from '../core/clock.ts';
import { describeError } from '../core/errors.ts';
import type { Logger } from '../core/log.ts';
import type { Bell } from '../pipeline/pipeline.ts';
import type { RingingQueue } from './backend/backend.ts';
import { GONE_WHEN_DONE, messageOf } from './messages.ts';

/** Longest time a stage waits for its bell to be accepted. */
const RING_TIMEOUT_MS = 2 * SECOND;

/** Returns a function that rings and never rejects. `salt` is part of the message's id. */
export function createDoorbell(
  queues: Readonly<Record<Bell['kind'], RingingQueue>>,
  log: Logger,
): (bell: Bell, salt?: string) => Promise<void> {
  return async (bell, salt) => {
    const message = messageOf(bell, Date.now(), salt);
    const { id, priority, delayMs } = message;
    // Always sets an id: for a message without one, BullMQ creates a sequence, which the loading role may not do.
    const options = {
      jobId: id ?? `${message.name}-${randomUUID()}`,
      priority,
      delay: Math.max(0, Math.round(delayMs)),
      ...GONE_WHEN_DONE,
    };
    const added = queues[bell.kind]
      .add(message.name, message.body, options)
      .catch((error: unknown) => log.debug({ err: describeError(error), bell }, 'bell not rung; the reconciler will'));
    await Promise.race([added, delay(RING_TIMEOUT_MS, undefined, { ref: false })]);
  };
}

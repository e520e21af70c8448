// What BullMQ carries: a bell, which names something to do and whose slot it takes. The queue is only a doorbell: a message that is
// lost, repeated, late or forged does no harm, because every decision is read from the ledger.
import { z } from 'zod';
import type { Bell } from '../pipeline/pipeline.ts';

/**
 * Rung by the pipeline, answered by workers. Submits have their own queue and slots: page loads hold theirs for up to a minute, and
 * every second in which a permitted submit waits is lost from the allowed rate.
 */
export const BELL_QUEUES = { step: 'steps', submits: 'submits' } as const satisfies Record<Bell['kind'], string>;
/** Rung by the Job Schedulers, answered by schedulers. */
export const TICK_QUEUE = 'ticks';

/** Messages hold nothing worth keeping, and a kept one would swallow a later message with the same id. */
export const GONE_WHEN_DONE = { attempts: 1, removeOnComplete: true, removeOnFail: true } as const;

export const stepMessageSchema = z.object({
  execution: z.number().int().positive(),
  connection: z.string(),
  job: z.string(),
  priority: z.number(),
});
export const submitsMessageSchema = z.object({ connection: z.string() });
export const tickMessageSchema = z.object({ job: z.string() });

export type Message = Readonly<{
  name: Bell['kind'];
  body: Record<string, unknown>;
  id: string | undefined;
  priority: number;
  delayMs: number;
}>;

/**
 * Delayed submit bells of a connection within one such span become one message, due at its end. So a bell rung while another is being
 * answered never has the same id, which would swallow it.
 */
const SUBMITS_SPAN_MS = 100;

/**
 * The message for a bell. While a bell waits, its id swallows a second ringing of the same bell; `salt` makes it a new message (used by
 * the reconciler in case the first one is stuck).
 */
export function messageOf(bell: Bell, nowMs: number, salt = ''): Message {
  if (bell.kind === 'step') {
    const { execution, connection, job, steps, priority, delayMs } = bell;
    const body = { execution, connection, job, priority };
    return { name: 'step', body, id: `step-${execution}-${steps}${salt}`, priority: priority + 1, delayMs };
  }
  const { connection, delayMs } = bell;
  const message = { name: 'submits', body: { connection }, priority: 1 } as const;
  // Due now: always a new message, for the same reason.
  if (delayMs <= 0 && salt === '') return { ...message, id: undefined, delayMs };
  const dueMs = Math.ceil((nowMs + delayMs) / SUBMITS_SPAN_MS) * SUBMITS_SPAN_MS;
  return { ...message, id: `submits-${encodeURIComponent(connection)}-${dueMs}${salt}`, delayMs: dueMs - nowMs };
}

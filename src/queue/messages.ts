// What BullMQ carries: nothing but the name of something to look at. A message that is lost, repeated, late or forged
// does no harm, because every decision is read from the ledger.
import { z } from 'zod';
import type { Bell } from '../pipeline/pipeline.ts';

/** Rung by the pipeline, answered by workers. */
export const BELL_QUEUE = 'bells';
/** Rung by the Job Schedulers, answered by schedulers. */
export const TICK_QUEUE = 'ticks';

export const lookMessageSchema = z.object({ execution: z.number().int().positive() });
export const submitsMessageSchema = z.object({ connection: z.string() });
export const tickMessageSchema = z.object({ job: z.string() });

export type Message = Readonly<{
  name: 'look' | 'submits';
  body: Record<string, unknown>;
  id: string | undefined;
  priority: number;
  delayMs: number;
}>;

/** Bells for a later submit of a connection that are due within the same span are one. */
const SUBMITS_SPAN_MS = 500;

/**
 * The message for a bell. Its id makes a second ringing of the same bell vanish while the first still waits; `salt` makes
 * it a new one (the reconciler's, in case the first is stuck somewhere).
 */
export function messageOf(bell: Bell, nowMs: number, salt = ''): Message {
  if (bell.kind === 'look') {
    const { execution, looks, priority, delayMs } = bell;
    return { name: 'look', body: { execution }, id: `look-${execution}-${looks}${salt}`, priority: priority + 1, delayMs };
  }
  const { connection, delayMs } = bell;
  const span = Math.floor((nowMs + delayMs) / SUBMITS_SPAN_MS);
  // Rung for now: always a new message, since the one being answered at this moment would swallow it.
  const id = delayMs <= 0 && salt === '' ? undefined : `submits-${encodeURIComponent(connection)}-${span}${salt}`;
  return { name: 'submits', body: { connection }, id, priority: 1, delayMs };
}

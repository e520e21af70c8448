// Sending: the messages of a target one after another, by one process at a time. What fails is tried again and holds those behind it up,
// so that a target gets them in their order. A process that dies between sending and writing that down leaves the message to be sent again.
import type { NotifyTarget } from '../config/settings.ts';
import { backoffMs, MINUTE, SECOND } from '../core/clock.ts';
import type { Logger } from '../core/log.ts';
import type { Proxies } from '../egress/route.ts';
import { findNextMessage, noteDelivered, noteNotDelivered, releaseTarget, takeTarget } from '../warehouse/notifications.ts';
import type { Pool } from '../warehouse/pool.ts';
import type { Message } from './message-lines.ts';

/** Well above the longest attempt. */
const LEASE_MS = 30 * SECOND;
const RETRY = { baseMs: 5 * SECOND, maxMs: 15 * MINUTE };
/** A message that its target refuses this often is given up, so that those behind it get through. */
const MAX_REFUSALS = 5;

export type SenderOptions = Readonly<{
  /** Names this process in the ledger. */
  owner: string;
  log: Logger;
  proxies: Proxies;
  /** No message is begun after this. */
  stopping: AbortSignal;
  /** Cuts the one that is being sent; it is sent again later. */
  cut: AbortSignal;
  /** For tests that cannot wait. */
  retryBaseMs?: number;
}>;

/** Sends what waits for the target, until one message is not taken. Throws StoreError. */
export async function sendWaiting(
  pool: Pool,
  target: NotifyTarget,
  { owner, log, proxies, stopping, cut, retryBaseMs }: SenderOptions,
): Promise<void> {
  const { name } = target;
  const take = (): Promise<number | undefined> => takeTarget(pool, name, owner, LEASE_MS);
  for (let failures = await take(); failures !== undefined; failures = await take()) {
    const next = await findNextMessage(pool, name);
    if (next === undefined || stopping.aborted) break;
    // Loaded with the first message: a start need not wait for what speaks SMTP.
    const { deliver } = await import('./deliver.ts');
    const { isDelivered, text, isRefused, retryAfterMs } = await deliver(target, next.messageId, next.body as Message, {
      proxies,
      signal: cut,
    });
    if (isDelivered) {
      await noteDelivered(pool, name, next.id, text);
      continue;
    }
    if (cut.aborted) break;
    const isGivenUp = isRefused && next.attempts + 1 >= MAX_REFUSALS;
    const waitMs = retryAfterMs ?? backoffMs(failures, { ...RETRY, baseMs: retryBaseMs ?? RETRY.baseMs });
    await noteNotDelivered(pool, { id: next.id, target: name, owner, answer: text, waitMs, isGivenUp });
    log.warn({ target: name, message: next.messageId, answer: text, isGivenUp }, 'notification not delivered');
    return;
  }
  await releaseTarget(pool, name, owner);
}

// Sends the messages of a target in order, by one process at a time. A message that fails is retried, and those behind it wait, so that the
// order is kept. If a process dies after sending a message and before recording that, the message is sent again.
import type { NotifyTarget } from '../config/notify.ts';
import { backoffMs, MINUTE, SECOND } from '../core/clock.ts';
import type { Logger } from '../core/log.ts';
import type { Proxies } from '../egress/route.ts';
import {
  findNextMessage,
  noteDelivered,
  noteLacking,
  noteNotDelivered,
  notePartly,
  releaseTarget,
  takeTarget,
} from '../ledger/notifications.ts';
import type { Pool } from '../postgres/pool.ts';
import type { Message } from './message-lines.ts';

/** Longer than the longest attempt, which is 20 s. */
const LEASE_MS = 30 * SECOND;
const RETRY = { baseMs: 5 * SECOND, maxMs: 15 * MINUTE };
/** A message that its target refuses this often is given up, so that those behind it can be sent. */
const MAX_REFUSALS = 5;

export type SenderOptions = Readonly<{
  /** The id of this process in the ledger. */
  owner: string;
  log: Logger;
  proxies: Proxies;
  /** When aborted, no further message is sent. */
  stopping: AbortSignal;
  /** Aborts the message that is being sent; it is sent again later. */
  cut: AbortSignal;
  /** Only for tests: a shorter wait before the first retry. */
  retryBaseMs?: number;
}>;

/** Sends the target's waiting messages, until one is not accepted. Throws StoreError. */
export async function sendWaiting(
  pool: Pool,
  target: NotifyTarget,
  { owner, log, proxies, stopping, cut, retryBaseMs }: SenderOptions,
): Promise<void> {
  const { name } = target;
  if (target.kind === 'unset') return noteLacking(pool, name, target.reason);
  const take = (): Promise<number | undefined> => takeTarget(pool, name, owner, LEASE_MS);
  for (let failures = await take(); failures !== undefined; failures = await take()) {
    const next = await findNextMessage(pool, name);
    if (next === undefined || stopping.aborted) break;
    // Imported with the first message, so that starting a process does not load the mail library.
    const { deliver } = await import('./deliver.ts');
    const { isDelivered, text, isRefused, retryAfterMs, settled } = await deliver(target, next.messageId, next.body as Message, {
      proxies,
      signal: cut,
      settled: next.settled,
    });
    if (isDelivered) {
      await noteDelivered(pool, name, next.id, text);
      continue;
    }
    if (settled) {
      const waitMs = backoffMs(next.attempts, { ...RETRY, baseMs: retryBaseMs ?? RETRY.baseMs });
      await notePartly(pool, { id: next.id, settled, answer: text, waitMs });
      log.warn({ target: name, message: next.messageId, answer: text }, 'notification put off by some of its recipients');
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

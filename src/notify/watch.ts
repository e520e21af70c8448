// Watching: one process at a time compares the problems there are with what each target knows, and writes the messages in the same transaction.
import { isDeepStrictEqual } from 'node:util';
import type { Notify, NotifyTarget } from '../config/settings.ts';
import { findProblems } from '../problems/find-problems.ts';
import { readStatus } from '../problems/read-status.ts';
import type { Problem, Status } from '../problems/status.ts';
import {
  addMessage,
  claimWatch,
  countPublished,
  noteDigest,
  noteEvents,
  pruneMessages,
  readDigestTime,
  readEvents,
  readNotified,
  replaceNotified,
} from '../warehouse/notifications.ts';
import type { Client, Pool } from '../warehouse/pool.ts';
import { inTransaction } from '../warehouse/transaction.ts';
import { compareProblems } from './compare.ts';
import { digestMessage, isDigestDue } from './digest.ts';
import { eventMessage } from './events.ts';
import { problemMessages } from './messages.ts';

/** Of weeks, at one look; the rest follows at the next. */
const MAX_EVENTS = 1_000;

/**
 * Does nothing when another process watches, or has within `everyMs`. Returns what it saw; undefined where it did nothing.
 * Throws StoreError; nothing is written then.
 */
export async function watchProblems(pool: Pool, { targets, pages }: Notify, everyMs: number, now: () => Date): Promise<Status | undefined> {
  return inTransaction(pool, async (client) => {
    if (!(await claimWatch(client, everyMs))) return undefined;
    // Read while others wait their turn, so that none writes an older state over a newer one.
    const status = await readStatus(pool);
    const at = now();
    // Windows one by one: each keeps its key while others of its job are decided on.
    const problems = findProblems(status, at, Number.POSITIVE_INFINITY);
    for (const target of targets) {
      await tellTarget(client, target, problems, { pages, at });
      if (target.hasDigest) await tellDigest(client, target, status, at);
      await tellEvents(client, target, pages);
    }
    await pruneMessages(client);
    return status;
  });
}

async function tellTarget(
  client: Client,
  target: NotifyTarget,
  problems: readonly Problem[],
  { pages, at }: Readonly<{ pages: string | undefined; at: Date }>,
): Promise<void> {
  const { name } = target;
  const stored = await readNotified(client, name);
  // A target is not told that it cannot be told.
  const own = problems.filter(({ kind, key }) => kind !== 'notifications-failing' || !key.endsWith(`:${name}`));
  const comparison = compareProblems(stored, own, target, at);
  if (!isSameSet(stored, comparison.known)) await replaceNotified(client, name, comparison.known);
  for (const message of problemMessages(comparison, pages, at)) await addMessage(client, name, message);
}

async function tellDigest(client: Client, { name }: NotifyTarget, status: Status, at: Date): Promise<void> {
  const from = await readDigestTime(client, name);
  if (from === undefined || !isDigestDue(status, from, at)) return;
  await addMessage(client, name, digestMessage(status, await countPublished(client, from, at), from, at));
  await noteDigest(client, name, at);
}

async function tellEvents(client: Client, { name, events }: NotifyTarget, pages: string | undefined): Promise<void> {
  if (events.length === 0) return;
  const told = await readEvents(client, name, events, MAX_EVENTS);
  for (const event of told) await addMessage(client, name, eventMessage(event, pages));
  const last = told.at(-1);
  if (last) await noteEvents(client, name, last.cursor);
}

function isSameSet<T extends Readonly<{ key: string }>>(a: readonly T[], b: readonly T[]): boolean {
  const byKey = new Map(a.map((one) => [one.key, one]));
  return a.length === b.length && b.every((one) => isDeepStrictEqual(byKey.get(one.key), one));
}

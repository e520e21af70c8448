// Watching: one process at a time compares the present problems with what each target knows, and writes the messages in the same transaction.
import { isDeepStrictEqual } from 'node:util';
import type { Notify, NotifyTarget } from '../config/notify.ts';
import { isPassing } from '../core/errors.ts';
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
} from '../ledger/notifications.ts';
import type { Client, Pool } from '../postgres/pool.ts';
import { inSavepoint, inTransaction } from '../postgres/transaction.ts';
import { findProblems } from '../problems/find-problems.ts';
import { readStatus } from '../problems/read-status.ts';
import type { Problem, Status } from '../problems/status.ts';
import { compareProblems } from './compare.ts';
import { digestMessage, isDigestDue } from './digest.ts';
import { eventMessage } from './events.ts';
import { problemMessages } from './messages.ts';

export type Watched = Readonly<{ status: Status; failures: readonly unknown[] }>;

/** Most week events per round and target; the rest follow in the next round. */
const MAX_EVENTS = 1_000;

/**
 * Does nothing and returns undefined when another process is watching, or one has watched within `everyMs`. Otherwise returns the status,
 * and the failures of single targets, whose messages are not written while those of the others are. Throws StoreError; then nothing is written.
 */
export async function watchProblems(
  pool: Pool,
  { targets, pages }: Notify,
  everyMs: number,
  now: () => Date,
): Promise<Watched | undefined> {
  return inTransaction(pool, async (client) => {
    if (!(await claimWatch(client, everyMs))) return undefined;
    // Read after the claim, so that no process overwrites newer state with an older one.
    const status = await readStatus(pool);
    const at = now();
    // Held windows one by one, so that each keeps its key while others of its job are decided.
    const problems = findProblems(status, at, Number.POSITIVE_INFINITY);
    const failures: unknown[] = [];
    for (const target of targets) {
      const tell = async (): Promise<void> => {
        await tellTarget(client, target, problems, { pages, at });
        if (target.hasDigest) await tellDigest(client, target, status, at);
        await tellEvents(client, target, pages);
      };
      // A database that is away fails all of them.
      await inSavepoint(client, tell, (error) => !isPassing(error) && failures.push(error) > 0);
    }
    await pruneMessages(client);
    return { status, failures };
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
  // A target gets no message about its own failing notifications.
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

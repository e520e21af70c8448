// The outbox of notifications: what each target was told, and the messages waiting for it.
import type { WeekEventKind } from '../config/notify.ts';
import type { Client, Pool } from '../postgres/pool.ts';
import { type DescribedRow, execute, readRows } from '../postgres/statements.ts';
import type { Publication } from './execution-histories.ts';

/** A problem that a target was told of, or will be told of if it lasts: then `toldAt` is null. `goneAt` is null while it exists. */
export type NotifiedProblem = DescribedRow<'notifications/read-problems'>;

export type WaitingMessage = DescribedRow<'notifications/find-next'>;
export type ListedMessage = DescribedRow<'notifications/list', { state: 'waiting' | 'delivered' | 'given up' }>;
export type FailingTarget = DescribedRow<'notifications/read-failing'>;
export type PublishedSum = Publication & Readonly<{ job: string; loads: number }>;

/**
 * An event of a week. Counts are those of its publication; for a held one, `published` is the number of rows in the table. The account is a text,
 * because it may exceed 2^53.
 */
export type WeekEvent = DescribedRow<
  'notifications/read-events',
  { kind: WeekEventKind; objections: readonly Readonly<{ message: string }>[] | null }
>;

/** After this many failures in a row, a target is reported as a problem. */
const FAILURES_TOLD = 3;

/** What a target fails with that cannot be sent to; the statements know it by its first words. */
export const lackingText = (reason: string): string => `nothing can be sent: ${reason}`;
export const isLackingText = (error: string): boolean => error.startsWith(lackingText(''));

type RegisteredTarget = Readonly<{ name: string; hasEvents: boolean; lacks?: boolean }>;

/** Makes targets known. What waits for one that lacked a variable, and has it now, is due at once. */
export async function registerTargets(pool: Pool, targets: readonly RegisteredTarget[]): Promise<void> {
  const names = targets.map(({ name }) => name);
  await execute(pool, 'notifications/register-targets', { names, haveEvents: targets.map(({ hasEvents }) => hasEvents) });
  const addressed = targets.flatMap(({ name, lacks }) => (lacks ? [] : name));
  await execute(pool, 'notifications/forget-lacking', { names: addressed, lacking: lackingText('') });
}

/** A target cannot be sent to, since it lacks a variable: it is reported at once, also while no message waits. */
export async function noteLacking(pool: Pool, target: string, reason: string): Promise<void> {
  await execute(pool, 'notifications/note-lacking', { target, error: lackingText(reason), failures: FAILURES_TOLD });
}

/** Whether this process should look for problems now; no other process does until the transaction ends. */
export async function claimWatch(client: Client, everyMs: number): Promise<boolean> {
  return (await execute(client, 'notifications/claim-watch', { everyMs })).rowCount === 1;
}

export const readNotified = (client: Client, target: string): Promise<NotifiedProblem[]> =>
  readRows(client, 'notifications/read-problems', { target });

/** Replaces the problems recorded for the target. */
export async function replaceNotified(client: Client, target: string, problems: readonly NotifiedProblem[]): Promise<void> {
  await execute(client, 'notifications/keep-problems', { target, keys: problems.map(({ key }) => key) });
  await execute(client, 'notifications/write-problems', { target, problems: JSON.stringify(problems) });
}

export async function addMessage(client: Client, target: string, message: Readonly<{ type: string }>): Promise<void> {
  await execute(client, 'notifications/add', { target, type: message.type, body: JSON.stringify(message) });
}

/** Claims or keeps a target that has messages waiting. Returns its failures in a row; undefined when it must not be sent to. */
export async function takeTarget(pool: Pool, target: string, owner: string, leaseMs: number): Promise<number | undefined> {
  return (await execute(pool, 'notifications/take-target', { target, owner, leaseMs })).rows[0]?.failures;
}

export async function findNextMessage(pool: Pool, target: string): Promise<WaitingMessage | undefined> {
  return (await execute(pool, 'notifications/find-next', { target })).rows[0];
}

export async function noteDelivered(pool: Pool, target: string, id: string, answer: string): Promise<void> {
  await execute(pool, 'notifications/note-delivered', { target, id, answer });
}

type PartlyDelivered = Readonly<{ id: string; settled: readonly string[]; answer: string; waitMs: number }>;

/** Some recipients were put off: the message is tried again, and others go on. */
export async function notePartly(pool: Pool, partly: PartlyDelivered): Promise<void> {
  await execute(pool, 'notifications/note-partly', { ...partly, settled: [...partly.settled] });
}

type Failure = Readonly<{ id: string; target: string; owner: string; answer: string; waitMs: number; isGivenUp: boolean }>;

export async function noteNotDelivered(pool: Pool, failure: Failure): Promise<void> {
  await execute(pool, 'notifications/note-failure', failure);
}

export async function releaseTarget(pool: Pool, target: string, owner: string): Promise<void> {
  await execute(pool, 'notifications/release-target', { target, owner });
}

/** Gives up messages that nobody accepted for days, and deletes old ones. */
export async function pruneMessages(client: Client): Promise<void> {
  await execute(client, 'notifications/prune');
}

export const listMessages = (pool: Pool, limit: number): Promise<ListedMessage[]> => readRows(pool, 'notifications/list', { limit });

/** Targets that do not accept messages. Throws StoreError. */
export const readFailingTargets = (pool: Pool): Promise<FailingTarget[]> =>
  readRows(pool, 'notifications/read-failing', { failures: FAILURES_TOLD });

/** Events of weeks, of the given kinds, that the target was not told of; oldest first. */
export const readEvents = (client: Client, target: string, kinds: readonly string[], most: number): Promise<WeekEvent[]> =>
  readRows(client, 'notifications/read-events', { target, kinds, most });

/** Records up to which event the target was told. */
export async function noteEvents(client: Client, target: string, cursor: number): Promise<void> {
  await execute(client, 'notifications/note-events', { target, cursor });
}

/** The time up to which the last digest of a target reported. */
export async function readDigestTime(client: Client, target: string): Promise<Date | undefined> {
  return (await execute(client, 'notifications/read-digest-time', { target })).rows[0]?.digestAt;
}

export async function noteDigest(client: Client, target: string, at: Date): Promise<void> {
  await execute(client, 'notifications/note-digest', { target, at });
}

/** What was published after `from` and up to `to`, per job. */
export const countPublished = (client: Client, from: Date, to: Date): Promise<PublishedSum[]> =>
  readRows(client, 'notifications/count-published', { from, to });

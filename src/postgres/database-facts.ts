// What "searchmill check" asks a database about itself, besides whether it answers.
import type { Pool } from './pool.ts';
import { SESSION_SETTINGS } from './session-settings.ts';
import { readRows } from './statements.ts';

export type SessionFacts = Readonly<{
  version: string;
  encoding: string;
  /** Whether it is a replica that accepts no changes. */
  isStandby: boolean;
  /** Whether its settings forbid writing. */
  isReadOnly: boolean;
  isEncrypted: boolean;
  /** Whether it is reached through a socket or is on the same machine. */
  isLocal: boolean;
  /** The clock of the database. */
  now: Date;
}>;

/** Throws StoreError. */
export async function readSessionFacts(pool: Pool): Promise<SessionFacts> {
  const [facts] = await readRows(pool, 'database/read-facts');
  if (!facts) throw new Error('a statement that has a row had none');
  return facts;
}

/** Rights that loading needs and the role lacks. Throws StoreError. */
export async function findMissingRights(pool: Pool): Promise<string[]> {
  return (await readRows(pool, 'database/find-missing-rights')).map(({ name }) => name);
}

/** Settings of the role or the database that our sessions override, such as `statement_timeout of role loader`. Throws StoreError. */
export async function findOverridden(pool: Pool): Promise<string[]> {
  const settings = await readRows(pool, 'database/read-role-settings');
  const ours = new Set([...Object.keys(SESSION_SETTINGS), 'synchronous_commit'].map((name) => name.toLowerCase()));
  return settings.filter(({ name }) => ours.has(name.toLowerCase())).map(({ name, source }) => `${name} of ${source}`);
}

/** Names of logical-replication publications that cover all tables. Throws StoreError. */
export async function findPublications(pool: Pool): Promise<string[]> {
  return (await readRows(pool, 'database/find-publications')).map(({ name }) => name);
}

/** Memberships that give a login nothing, such as `ops in searchmill_reader`, each with the statement that changes it. Throws StoreError. */
export async function findIdleMemberships(pool: Pool): Promise<{ login: string; role: string; statement: string }[]> {
  return readRows(pool, 'database/find-idle-memberships');
}

/** Event triggers that run when a table is made, such as `assign_owner (public.assign())`. Throws StoreError. */
export async function findEventTriggers(pool: Pool): Promise<string[]> {
  return (await readRows(pool, 'database/find-event-triggers')).map(({ name, function: by }) => `${name} (${by})`);
}

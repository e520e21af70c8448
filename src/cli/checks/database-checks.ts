// What a database must be, and may be stricter about, for loads to end: each thing a line of "searchmill check".
import { SECOND } from '../../core/clock.ts';
import { nameSome } from '../../core/name-some.ts';
import { MAX_AHEAD_MS } from '../../pipeline/plan.ts';
import { type ConnectionNeeds, planConnections } from '../../queue/connection-plan.ts';
import { readFreeConnections } from '../../warehouse/connection-limits.ts';
import {
  findMissingRights,
  findOverridden,
  findPublications,
  readSessionFacts,
  type SessionFacts,
} from '../../warehouse/database-facts.ts';
import { requireFitDatabase } from '../../warehouse/database-needs.ts';
import { readInstances } from '../../warehouse/instances.ts';
import { pendingMigrations } from '../../warehouse/migrate.ts';
import type { Pool } from '../../warehouse/pool.ts';
import { describeAddition, findAdditions } from '../../warehouse/written-rows.ts';
import { describeFree, describeLack } from '../fit-connections.ts';
import { nameMigrations } from '../require-migrated.ts';
import type { Checks, Finding } from './checks.ts';

const MAX_NAMED = 4;

/** Checks a database. Returns whether the rest can be asked of it. */
export async function checkDatabase(checks: Checks, pool: Pool, needs: ConnectionNeeds): Promise<boolean> {
  let asked: Promise<TimedFacts> | undefined;
  const readFacts = (): Promise<TimedFacts> => (asked ??= readTimedFacts(pool));
  if (!(await checks.run('database', () => checkServer(pool, readFacts)))) return false;
  await checks.run('rights', () => checkRights(pool));
  await checks.run('settings', () => checkSettings(pool));
  await checks.run('publications', () => checkPublications(pool));
  await checks.run('tables', () => checkTables(pool));
  await checks.run('connections', () => checkConnections(pool, needs));
  await checks.run('encryption', async () => describeEncryption(await readFacts()));
  await checks.run('clock', async () => describeClock(await readFacts()));
  return true;
}

/** How far this machine's clock is ahead of the database's. */
type TimedFacts = SessionFacts & Readonly<{ aheadMs: number }>;

async function readTimedFacts(pool: Pool): Promise<TimedFacts> {
  const before = Date.now();
  const facts = await readSessionFacts(pool);
  // The database read its clock somewhere between these two moments; what is not known counts for nothing.
  const aheadMs = Math.max(0, before - facts.now.getTime()) + Math.min(0, Date.now() - facts.now.getTime());
  return { ...facts, aheadMs };
}

async function checkServer(pool: Pool, readFacts: () => Promise<SessionFacts>): Promise<Finding> {
  await requireFitDatabase(pool);
  const pending = await pendingMigrations(pool);
  if (pending.length > 0) throw new Error(`it lacks ${nameMigrations(pending)}; run "searchmill migrate"`);
  const { version, encoding, isStandby, isReadOnly } = await readFacts();
  if (isStandby) throw new Error('it is a standby, which takes no changes until it is promoted; set DATABASE_URL to its primary');
  if (isReadOnly) throw new Error('it is read-only by default_transaction_read_only; see who has set that, and why');
  return `answers: PostgreSQL ${version}, ${encoding}; its schema is that of this release`;
}

async function checkRights(pool: Pool): Promise<Finding> {
  const missing = await findMissingRights(pool);
  if (missing.length === 0) return 'this role may do all that loading needs';
  throw new Error(
    `this role lacks ${nameSome(missing, MAX_NAMED)}; GRANT searchmill_writer to it, or that to searchmill_writer as the owner`,
  );
}

async function checkSettings(pool: Pool): Promise<Finding> {
  const overridden = await findOverridden(pool);
  if (overridden.length === 0) return 'nothing is set for this role or database that loading would have to override';
  return `${overridden.join(', ')}: for others; sessions of Searchmill set what they rely on`;
}

async function checkPublications(pool: Pool): Promise<Finding> {
  const names = await findPublications(pool);
  if (names.length === 0) return 'none holds all tables';
  return {
    warning: `${names.join(', ')} of ALL TABLES: loads work, but every page is sent twice, and a subscriber stops at tables that come and go; publish TABLES IN SCHEMA search instead`,
  };
}

async function checkTables(pool: Pool): Promise<Finding> {
  const additions = (await findAdditions(pool)).map(describeAddition);
  if (additions.length === 0) return 'nothing was put on the tables that skips or refuses rows';
  return {
    warning: `somebody has put on the tables: ${additions.join('; ')}; a load that one of them keeps from writing its rows is held, or fails`,
  };
}

async function checkConnections(pool: Pool, needs: ConnectionNeeds): Promise<Finding> {
  const found = await readFreeConnections(pool);
  const plan = planConnections(needs, found.free);
  if (plan?.concurrency === needs.concurrency)
    return `${describeFree(found)}; "start" takes up to ${plan.ledger + plan.queue + (needs.beside ?? 0) + (needs.spared ?? 0)}`;
  if (plan)
    return { warning: `${describeFree(found)}; "start" would work on ${plan.concurrency} instead of ${needs.concurrency} loads at once` };
  const running = await readInstances(pool);
  if (running.length === 0) throw new Error(describeLack(found, needs));
  return { warning: `no further process can start: ${describeLack(found, needs)}` };
}

function describeEncryption({ isEncrypted, isLocal }: SessionFacts): Finding {
  if (isEncrypted) return 'the connection to the database is encrypted';
  if (isLocal) return 'the database is on this machine';
  return { warning: 'the connection to the database is not encrypted; add sslmode=verify-full to DATABASE_URL' };
}

function describeClock({ aheadMs }: TimedFacts): Finding {
  const seconds = Math.round(Math.abs(aheadMs) / SECOND);
  if (seconds < 2) return 'that of this machine and that of the database agree';
  const what = `that of this machine is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the database's`;
  if (aheadMs > MAX_AHEAD_MS) throw new Error(`${what}, and nothing is planned until they agree`);
  return { warning: `${what}; keep both in step` };
}

// What a database must have for loads to succeed, and what may get in their way: each check is a line of "searchmill check".
import { SECOND } from '../../core/clock.ts';
import { nameSome } from '../../core/name-some.ts';
import { readInstances } from '../../ledger/instances.ts';
import { MAX_AHEAD_MS } from '../../pipeline/plan.ts';
import { readFreeConnections } from '../../postgres/connection-limits.ts';
import {
  findEventTriggers,
  findIdleMemberships,
  findMissingRights,
  findOverridden,
  findPublications,
  readSessionFacts,
  type SessionFacts,
} from '../../postgres/database-facts.ts';
import type { Pool } from '../../postgres/pool.ts';
import { requireFitDatabase } from '../../postgres/schema/database-needs.ts';
import { pendingMigrations } from '../../postgres/schema/migrate.ts';
import { findLackingGrants } from '../../postgres/schema/rights.ts';
import { type ConnectionNeeds, planConnections } from '../../queue/connection-plan.ts';
import { describeAddition, findAdditions } from '../../tables/written-rows.ts';
import { describeFree, describeLack } from '../fit-connections.ts';
import { nameMigrations } from '../require-migrated.ts';
import type { Checks, Finding } from './checks.ts';

const MAX_NAMED = 4;

/** Checks a database. Returns whether further checks can use it. */
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
  // The database read its clock somewhere between these two moments; the uncertainty counts in its favour.
  const aheadMs = Math.max(0, before - facts.now.getTime()) + Math.min(0, Date.now() - facts.now.getTime());
  return { ...facts, aheadMs };
}

async function checkServer(pool: Pool, readFacts: () => Promise<SessionFacts>): Promise<Finding> {
  await requireFitDatabase(pool);
  const pending = await pendingMigrations(pool);
  if (pending.length > 0) throw new Error(`it lacks ${nameMigrations(pending)}; run "searchmill migrate"`);
  const { version, encoding, isStandby, isReadOnly } = await readFacts();
  if (isStandby) throw new Error('it is a standby, which is read-only until it is promoted; set DATABASE_URL to its primary');
  if (isReadOnly) throw new Error('it is read-only by default_transaction_read_only; find out who set that, and why');
  return `answers: PostgreSQL ${version}, ${encoding}; its schema is that of this release`;
}

/** The rights of this login, then those of the roles of Searchmill and of the other logins that are to have them. */
async function checkRights(pool: Pool): Promise<Finding> {
  const [missing, idle] = [await findMissingRights(pool), await findIdleMemberships(pool)];
  // A role that is missing is needed by nobody here.
  const lacking = (await findLackingGrants(pool)).filter((statement) => !statement.startsWith('CREATE ROLE'));
  const statements = [...idle.map(({ statement }) => statement), ...lacking];
  if (missing.length > 0) {
    const inherits = idle.length === 0 ? '' : `; logins that inherit nothing of a role: ${nameLogins(idle)}`;
    const remedy =
      statements.length === 0
        ? 'GRANT searchmill_writer to it, or that to searchmill_writer as the owner'
        : `run "searchmill migrate" as the owner, or have an administrator run ${nameSome(statements, MAX_NAMED, { separator: '; ' })}; a login of the service needs GRANT searchmill_writer`;
    throw new Error(`this role lacks ${nameSome(missing, MAX_NAMED)}${inherits}; ${remedy}`);
  }
  if (idle.length > 0)
    return {
      warning: `logins that inherit nothing of a role can use no right of it: ${nameLogins(idle)}; ${nameSome(statements, MAX_NAMED, { separator: '; ' })}`,
    };
  if (lacking.length === 0) return 'this role may do everything that loading needs, and others what their roles promise';
  return {
    warning: `other roles lack rights; run "searchmill migrate" as the owner, or ${nameSome(lacking, MAX_NAMED, { separator: '; ' })}`,
  };
}

const nameLogins = (idle: readonly { login: string; role: string }[]): string =>
  nameSome(
    idle.map(({ login, role }) => `${login} of ${role}`),
    MAX_NAMED,
  );

async function checkSettings(pool: Pool): Promise<Finding> {
  const overridden = await findOverridden(pool);
  if (overridden.length === 0) return 'no setting of this role or database would disturb loading';
  return `${overridden.join(', ')}: used by others; sessions of Searchmill set their own values`;
}

async function checkPublications(pool: Pool): Promise<Finding> {
  const names = await findPublications(pool);
  if (names.length === 0) return 'none covers all tables';
  return {
    warning: `${names.join(', ')} of ALL TABLES: loads work, but every page is sent twice, and a subscriber stops at temporary staging tables; publish TABLES IN SCHEMA search instead`,
  };
}

async function checkTables(pool: Pool): Promise<Finding> {
  const additions = (await findAdditions(pool)).map(describeAddition);
  const triggers = await findEventTriggers(pool);
  const ofTables =
    triggers.length === 0
      ? []
      : [
          `event triggers run when a load makes a table: ${nameSome(triggers, MAX_NAMED)}; one that gives tables to another role stops loads`,
        ];
  if (additions.length === 0)
    return ofTables.length === 0 ? 'the tables have nothing that skips or refuses rows' : { warning: ofTables.join('') };
  return {
    warning: `the tables have ${additions.join('; ')}; a load whose rows one of them blocks is held, or fails${ofTables.map((text) => `; ${text}`).join('')}`,
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
  if (seconds < 2) return 'the clocks of this machine and of the database agree';
  const what = `the clock of this machine is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the database's`;
  if (aheadMs > MAX_AHEAD_MS) throw new Error(`${what}, and nothing is planned until they agree`);
  return { warning: `${what}; synchronise both` };
}

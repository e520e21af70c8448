// The rights that the roles of Searchmill have in a database: what "searchmill migrate" promises, gives, and cannot give.
import type pg from 'pg';
import { ConfigurationError } from '../../core/errors.ts';
import { execute } from '../statements.ts';
import { codeOf } from '../store-errors.ts';
import { inOwnSession } from '../transaction.ts';

/** This role may not do it, or another session, perhaps of another database of the server, has just done it. */
const LEFT_TO_OTHERS = ['42501', '42710', '23505'];
const ROLES = 'CREATE ROLE';

const asList = (statements: readonly string[]): string => statements.map((statement) => `\n  ${statement};`).join('');

/** What is told of a new table that belongs to another role at once, so that we may do nothing with it. */
export function describeGivenAway(table: string, { owner, triggers }: Readonly<{ owner: string; triggers: string }>): string {
  const by = triggers === '' ? 'an extension of the server' : `an event trigger of the database, of ${triggers},`;
  return `${by} gives new tables to the role ${owner}, also ${table}; have it leave tables in the schemas search_partitions and searchmill_staging to the roles that make them, or GRANT ${owner} to searchmill_writer and to the owner of the schemas`;
}

/**
 * Makes a schema and a table as migrations do, and takes them back. Throws ConfigurationError if the table is given to another role, as an event trigger can do:
 * then the first migration would stop halfway.
 */
async function requireOwnTables(client: pg.ClientBase): Promise<void> {
  const makeTable = async (): Promise<void> => {
    await client.query('CREATE SCHEMA searchmill_staging');
    await client.query('CREATE TABLE searchmill_staging.trial ()');
    const [taker] = (await execute(client, 'database/find-taker', { name: 'trial' })).rows;
    if (taker) throw new ConfigurationError(`nothing was changed: ${describeGivenAway('searchmill_staging.trial', taker)}`);
  };
  await inOwnSession(client, makeTable, { isTrial: true });
}

/**
 * Throws ConfigurationError with the statements that clear the way when the first migration of a database would stop halfway, or would leave out roles.
 * `withoutRoles`: they are not needed, because only the owner of the tables uses the database.
 */
export async function requireClearWay(client: pg.ClientBase, { withoutRoles }: Readonly<{ withoutRoles: boolean }>): Promise<void> {
  const { rows } = await execute(client, 'database/find-obstacles');
  const of = (kind: string): string[] => rows.filter((row) => row.kind === kind).map(({ statement }) => statement);
  const [schemas, rights, roles] = [of('schema'), of('right'), withoutRoles ? [] : of('role')];
  const unmet = [
    schemas.length > 0 &&
      `schemas with names that Searchmill needs are there already; set DATABASE_URL to another database, or rename them:${asList(schemas)}`,
    rights.length > 0 && `this role may not create schemas in the database; have an administrator run:${asList(rights)}`,
    roles.length > 0 &&
      `this role may not create the roles by which logins get their rights; have an administrator run the following, or, if only the owner of the tables uses the database, add --without-roles:${asList(roles)}`,
  ].filter((text) => text !== false);
  if (unmet.length > 0) throw new ConfigurationError(`nothing was changed: ${unmet.join('\n')}`);
  if ((await execute(client, 'database/find-event-triggers')).rows.length > 0) await requireOwnTables(client);
}

/** What the roles lack of what "searchmill migrate" promises them, as statements that give it. Throws StoreError. */
export async function findLackingGrants(db: pg.Pool | pg.ClientBase): Promise<string[]> {
  return (await execute(db, 'database/find-lacking-grants')).rows.map(({ statement }) => statement);
}

/**
 * Gives the roles what they lack, so that roles made after the first migration, or rights taken since, are no dead end. Returns the statements for roles
 * that are still missing. Throws ConfigurationError with the statements that this role may not run; StoreError.
 */
export async function grantRights(client: pg.ClientBase): Promise<string[]> {
  // What a missing role lacks is known once it is there.
  for (const _round of ['roles', 'rights']) {
    for (const statement of await findLackingGrants(client)) {
      await client.query(statement).catch((error: unknown) => {
        if (!LEFT_TO_OTHERS.includes(codeOf(error))) throw error;
      });
    }
  }
  const left = await findLackingGrants(client);
  const rights = left.filter((statement) => !statement.startsWith(ROLES));
  if (rights.length > 0)
    throw new ConfigurationError(
      `the schema is that of this release, but this role may not give others the rights that they need; have an administrator run the following, then run "searchmill migrate" again:${asList(rights)}`,
    );
  return left;
}

/** What is told of roles that are missing in a database that was migrated without them. */
export function describeMissingRoles(statements: readonly string[]): string {
  return `roles are missing, so that only the owner of the tables can use the database. If others shall, have an administrator run the following, then run "searchmill migrate" again, which gives them their rights:${asList(statements)}`;
}

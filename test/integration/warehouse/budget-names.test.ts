// What the ledger calls the budget of a credential: nothing by which a reader of the ledger could test guesses of it.
import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { registerConnections } from '../../../src/ledger/call-log.ts';
import { createPool } from '../../../src/postgres/pool.ts';
import { migrate } from '../../../src/postgres/schema/migrate.ts';
import { useLedger } from '../../support/ledger.ts';
import { createEmptyDatabase } from '../../support/test-database.ts';
import { connectionOf, openBudget } from './call-budget.ts';

/** The digest of base URL and credential without salt, as anybody can compute it from a guessed token. */
const GUESSED = createHash('sha256')
  .update(JSON.stringify(['https://service.invalid', 'token', 'token']))
  .digest('hex')
  .slice(0, 32);
const ledger = useLedger();

describe('the name of a budget', () => {
  it('is the same for all processes, however many start at once, and reveals nothing about the credential', async () => {
    const connection = connectionOf({ read: 10 }, GUESSED);
    const names = await Promise.all(Array.from({ length: 8 }, () => registerConnections(ledger.pool, [connection])));
    const [name] = new Set(names.map((nameBudget) => nameBudget(connection)));
    const { rows } = await ledger.pool.query("SELECT budget_id FROM searchmill.call_slots WHERE kind = 'read'");
    expect(rows).toEqual(Array.from({ length: 10 }, () => ({ budget_id: name })));
    const { rows: found } = await ledger.pool.query(
      `SELECT b.id, c.budget_id FROM searchmill.connections c FULL JOIN searchmill.budgets b ON b.id = c.budget_id`,
    );
    expect(JSON.stringify(found)).not.toContain(GUESSED);
  });

  it('differs from ledger to ledger', async () => {
    // Not a copy of the template database, since copies share its salt.
    const database = await createEmptyDatabase();
    const url = new Secret(database.url);
    await migrate(url);
    const pool = createPool(url, { applicationName: 'test' });
    const connection = connectionOf({}, GUESSED);
    const [here, there] = await Promise.all([ledger.pool, pool].map((each) => registerConnections(each, [connection])));
    await pool.end();
    await database.drop();
    expect(here?.(connection)).toMatch(/^[0-9a-f]{64}$/);
    expect(here?.(connection)).not.toBe(there?.(connection));
  });
});

it('the salt is for logins that load: a reader of the ledger cannot see it, and a login that loads cannot change it', async () => {
  const { pool } = ledger;
  await openBudget(pool);
  const may = async (role: string, right: string): Promise<boolean | undefined> =>
    (await pool.query<{ may: boolean }>("SELECT has_table_privilege($1, 'searchmill.budget_salt', $2) AS may", [role, right])).rows[0]?.may;
  expect(await may('searchmill_reader', 'SELECT')).toBe(false);
  expect(await may('searchmill_writer', 'SELECT')).toBe(true);
  for (const right of ['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) expect(await may('searchmill_writer', right)).toBe(false);
  const nobody = `test_nobody_${randomBytes(4).toString('hex')}`;
  await pool.query(`CREATE ROLE ${nobody}`);
  try {
    expect(await may(nobody, 'SELECT')).toBe(false);
  } finally {
    await pool.query(`DROP ROLE ${nobody}`);
  }
});

// What the ledger calls the budget of a credential: nothing by which a reader of the ledger could test guesses of it.
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { createCallLog, registerConnections } from '../../../src/warehouse/call-log.ts';
import { migrate } from '../../../src/warehouse/migrate.ts';
import { createPool, type Pool } from '../../../src/warehouse/pool.ts';
import { useLedger } from '../../support/ledger.ts';
import { createDatabaseBefore, type TestDatabase } from '../../support/test-database.ts';
import { connectionOf, openBudget, takeAll } from './call-budget.ts';

/** As ledgers before 0019 named the budget of connectionOf, and as anybody can compute it from a guessed token. */
const GUESSED = createHash('sha256')
  .update(JSON.stringify(['https://service.invalid', 'token', 'token']))
  .digest('hex')
  .slice(0, 32);
const other = useLedger();
let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createDatabaseBefore('0019_budget_salt');
  pool = createPool(new Secret(database.url), { applicationName: 'test' });
  // As a release before left it: four slots of reads taken just now, a pause, and a connection that nobody configures any more.
  await pool.query(
    `INSERT INTO searchmill.budgets (id, paused_until, rate_limited_in_row) VALUES ('${GUESSED}', clock_timestamp() + interval '1 minute', 3),
                                                                                    ('${'0f'.repeat(16)}', NULL, 0);
     INSERT INTO searchmill.call_slots SELECT '${GUESSED}', 'read', n, CASE WHEN n < 4 THEN clock_timestamp() ELSE '-infinity' END
       FROM generate_series(0, 9) AS n;
     INSERT INTO searchmill.connections VALUES ('main', 'https://service.invalid', 'token', '${GUESSED}', 5, 10)`,
  );
  await migrate(new Secret(database.url));
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

describe('a ledger of before, after its migration', () => {
  it('has the slots and pauses under the name that processes now give the budget, however many start at once', async () => {
    const connection = connectionOf({ read: 10 }, GUESSED);
    const names = await Promise.all(Array.from({ length: 8 }, () => registerConnections(pool, [connection])));
    const [name] = new Set(names.map((nameBudget) => nameBudget(connection)));
    const { rows } = await pool.query("SELECT id FROM searchmill.budgets JOIN searchmill.call_slots ON budget_id = id AND kind = 'read'");
    expect(rows).toEqual(Array.from({ length: 10 }, () => ({ id: name })));
    const log = createCallLog(pool, name ?? '');
    expect(await log.takeSlots('read', 1)).toMatchObject({ taken: 0, pausedBecause: 'rate_limited' });
    await pool.query('UPDATE searchmill.budgets SET paused_until = NULL');
    expect(await takeAll(log, 'read')).toBe(6);
  });

  it('holds no digest without salt, and takes none from a process of an earlier release', async () => {
    const { rows } = await pool.query(
      `SELECT FROM searchmill.connections c FULL JOIN searchmill.budgets b ON b.id = c.budget_id
        WHERE c.budget_id ~ '^[0-9a-f]{32}$' OR b.id ~ '^[0-9a-f]{32}$'`,
    );
    expect(rows).toEqual([]);
    await expect(pool.query('INSERT INTO searchmill.budgets (id) VALUES ($1)', [GUESSED])).rejects.toThrow('budgets_id_is_salted');
  });

  it('names the same credential otherwise than another ledger', async () => {
    const connection = connectionOf({}, GUESSED);
    const [here, there] = await Promise.all([pool, other.pool].map((each) => registerConnections(each, [connection])));
    expect(here?.(connection)).toMatch(/^[0-9a-f]{64}$/);
    expect(here?.(connection)).not.toBe(there?.(connection));
  });
});

it('the salt is for those who load: a reader of the ledger cannot see it, and nobody who loads can change it', async () => {
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

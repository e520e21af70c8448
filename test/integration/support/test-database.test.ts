import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { createEmptyDatabase, createTestDatabase } from '../../support/test-database.ts';

async function tablesIn(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    "select from information_schema.tables where table_schema not in ('pg_catalog', 'information_schema')",
  );
  await client.end();
  return rows.length;
}

describe('a test database', () => {
  it('has the migrated tables', async () => {
    const database = await createTestDatabase();
    expect(await tablesIn(database.url)).toBeGreaterThan(7);
    await database.drop();
  });

  it('has no tables when an empty one is asked for', async () => {
    const database = await createEmptyDatabase();
    expect(await tablesIn(database.url)).toBe(0);
    await database.drop();
  });

  it('says which connections were left open when it is dropped', async () => {
    const database = await createEmptyDatabase();
    const forgotten = new pg.Client({ connectionString: database.url, application_name: 'forgotten' });
    forgotten.on('error', () => undefined);
    await forgotten.connect();
    await expect(database.drop()).rejects.toThrow(/left open: forgotten/);
  });
});

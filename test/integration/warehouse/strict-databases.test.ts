// Databases as strict as real ones: nothing granted to PUBLIC, all tables published to a replica.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { migrateQueue } from '../../../src/queue/backend/queue-tables.ts';
import { migrate } from '../../../src/warehouse/migrate.ts';
import { createPool, type Pool } from '../../../src/warehouse/pool.ts';
import { asLogin } from '../../support/database-access.ts';
import { findBrokenInvariants } from '../../support/invariants.ts';
import { jobOf, loadWindow, publish, publishedRows, stageWindow, wireRow } from '../../support/ledger.ts';
import { createEmptyDatabase, type TestDatabase } from '../../support/test-database.ts';

const suffix = randomBytes(4).toString('hex');
const [writer, reader] = [`strict_writer_${suffix}`, `strict_reader_${suffix}`];
let database: TestDatabase;
let owner: Pool;
let asWriter: Pool;
let asReader: Pool;

function openPool(user?: string): Pool {
  const url = user === undefined ? database.url : asLogin(database.url, user);
  return createPool(new Secret(url), { applicationName: 'test', max: 2 });
}

beforeAll(async () => {
  database = await createEmptyDatabase();
  owner = openPool();
  await owner.query(
    `REVOKE ALL ON DATABASE ${new URL(database.url).pathname.slice(1)} FROM PUBLIC; REVOKE ALL ON SCHEMA public FROM PUBLIC`,
  );
  await migrate(new Secret(database.url));
  await migrateQueue(new Secret(database.url));
  await owner.query(`CREATE ROLE ${writer} LOGIN PASSWORD 'test' IN ROLE searchmill_writer;
                     CREATE ROLE ${reader} LOGIN PASSWORD 'test' IN ROLE searchmill_reader;
                     CREATE PUBLICATION everything FOR ALL TABLES`);
  [asWriter, asReader] = [openPool(writer), openPool(reader)];
});
afterAll(async () => {
  expect(await findBrokenInvariants(owner)).toEqual([]);
  await Promise.all([asWriter.end(), asReader.end()]);
  await owner.query(`DROP OWNED BY ${writer}, ${reader}; DROP ROLE ${writer}, ${reader}`);
  await owner.end();
  await database.drop();
});

describe('a database that grants nothing to PUBLIC and publishes all tables', () => {
  it('takes loads and reloads of the writer, also with duplicates, and shows them to the reader', async () => {
    const job = jobOf();
    const rows = (...queries: string[]): unknown[][] => queries.map((query, rank) => wireRow(job, { query, rank: String(rank) }));
    expect(await loadWindow(asWriter, job, rows('a', 'b', 'c'))).toMatchObject({ inserted: 3 });
    const twice = [...rows('a', 'a'), ...rows('d')];
    expect(await loadWindow(asWriter, job, twice)).toMatchObject({ deleted: 2 });
    expect((await publishedRows(asReader, job, ['query'])).map(({ query }) => query)).toEqual(['a', 'a', 'd']);
  });

  it('publishes for longer than the time-outs of the role allow', async () => {
    await owner.query(`ALTER ROLE ${writer} SET statement_timeout = '200ms'; ALTER ROLE ${writer} SET lock_timeout = '100ms';
                       ALTER ROLE ${writer} SET default_transaction_isolation = serializable`);
    const strict = openPool(writer);
    const blocker = await owner.connect();
    try {
      const job = jobOf();
      const execution = await stageWindow(strict, job, [[wireRow(job, { query: 'a' })]]);
      await blocker.query('BEGIN; LOCK TABLE search.keyword_rankings IN EXCLUSIVE MODE');
      const published = publish(strict, job, execution);
      await blocker.query('SELECT pg_sleep(0.5); COMMIT');
      expect(await published).toMatchObject({ inserted: 1 });
    } finally {
      blocker.release();
      await strict.end();
    }
  });

  it('lets rows of every table be changed', async () => {
    const { rows } = await owner.query(
      `SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname IN ('search', 'searchmill', 'bullmq') AND c.relkind IN ('r', 'p') AND c.relreplident <> 'f'
          AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary)`,
    );
    expect(rows).toEqual([]);
  });
});

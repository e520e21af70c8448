// Databases as strict as real ones: nothing granted to PUBLIC, now or later, all tables published to a replica.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { readCoverage } from '../../../src/ledger/coverage.ts';
import { createPool, type Pool } from '../../../src/postgres/pool.ts';
import { migrate } from '../../../src/postgres/schema/migrate.ts';
import { findLackingGrants } from '../../../src/postgres/schema/rights.ts';
import { migrateQueue } from '../../../src/queue/backend/queue-tables.ts';
import { SUMMARIES } from '../../../src/reports/summaries.ts';
import { createLogin, type Login } from '../../support/database-access.ts';
import { findBrokenInvariants } from '../../support/invariants.ts';
import { jobOf, publishedRows } from '../../support/ledger.ts';
import { storeReports } from '../../support/stored-weeks.ts';
import { createEmptyDatabase, type TestDatabase } from '../../support/test-database.ts';
import { loadWindow, publish, stageWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

let database: TestDatabase;
let writer: Login;
let reader: Login;
let owner: Pool;
let asWriter: Pool;
let asReader: Pool;

const openPool = (url: string): Pool => createPool(new Secret(url), { applicationName: 'test', max: 2 });

beforeAll(async () => {
  database = await createEmptyDatabase();
  owner = openPool(database.url);
  await owner.query(
    `REVOKE ALL ON DATABASE ${new URL(database.url).pathname.slice(1)} FROM PUBLIC; REVOKE ALL ON SCHEMA public FROM PUBLIC`,
  );
  await owner.query(
    'ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC; ALTER DEFAULT PRIVILEGES REVOKE USAGE ON TYPES FROM PUBLIC',
  );
  await migrate(new Secret(database.url));
  await migrateQueue(new Secret(database.url));
  await owner.query('CREATE PUBLICATION everything FOR ALL TABLES');
  writer = await createLogin(owner, database.url, 'searchmill_writer');
  reader = await createLogin(owner, database.url, 'searchmill_reader');
  [asWriter, asReader] = [openPool(writer.url), openPool(reader.url)];
});
afterAll(async () => {
  expect(await findBrokenInvariants(owner)).toEqual([]);
  await Promise.all([asWriter.end(), asReader.end()]);
  await writer.drop();
  await reader.drop();
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

  it('shows every summary and the ledger to those who may read them', async () => {
    const job = jobOf();
    await loadWindow(asWriter, job, [wireRow(job, { query: 'a', rank: '1' })]);
    await storeReports(asWriter);
    const analyst = await createLogin(owner, database.url, 'searchmill_analyst');
    const asAnalyst = openPool(analyst.url);
    try {
      for (const pool of [asReader, asAnalyst])
        for (const name of Object.values(SUMMARIES).flat()) await pool.query(`SELECT FROM search_reports.${name} LIMIT 1`);
      expect(await readCoverage(asReader)).not.toHaveLength(0);
      await asReader.query('SELECT * FROM search_reports.weeks_of($1, $2)', [job.dataset.name, job.accountId]);
    } finally {
      await asAnalyst.end();
      await analyst.drop();
    }
  });

  it('gives roles back what was taken from them, with the next migration', async () => {
    const take = [
      'REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA search_reports FROM searchmill_reader',
      'REVOKE USAGE ON SCHEMA search_stored FROM searchmill_writer',
      'REVOKE UPDATE ON searchmill.executions FROM searchmill_writer',
      'ALTER DEFAULT PRIVILEGES IN SCHEMA search_partitions REVOKE INSERT ON TABLES FROM searchmill_writer',
    ];
    expect(await findLackingGrants(owner)).toEqual([]);
    for (const statement of take) await owner.query(statement);
    const lacking = await findLackingGrants(asReader);
    expect(lacking).toHaveLength(take.length);
    expect(lacking).toContain('GRANT UPDATE ON TABLE searchmill.executions TO searchmill_writer');
    await migrate(new Secret(database.url));
    expect(await findLackingGrants(owner)).toEqual([]);
  });

  it('publishes for longer than the time-outs of the role allow', async () => {
    await owner.query(`ALTER ROLE ${writer.name} SET statement_timeout = '200ms'; ALTER ROLE ${writer.name} SET lock_timeout = '100ms';
                       ALTER ROLE ${writer.name} SET default_transaction_isolation = serializable`);
    const strict = openPool(writer.url);
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

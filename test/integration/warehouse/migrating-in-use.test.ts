// migrate on a database that is in use, is not fit, or fails on the way.
import pg from 'pg';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { StoreError } from '../../../src/core/errors.ts';
import { Secret } from '../../../src/core/secret.ts';
import { releaseSchema } from '../../../src/postgres/schema/applied-schema.ts';
import { migrate } from '../../../src/postgres/schema/migrate.ts';
import { MIGRATIONS_FOLDER } from '../../../src/postgres/schema/migration-files.ts';
import { type CommandLineResult, runCli } from '../../support/command-line.ts';
import { buildNextRelease, NEXT_MIGRATION, nextMigrations, removeNextReleases } from '../../support/next-release.ts';
import { ensureBuilt, type ProgramResult, runMain } from '../../support/program.ts';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../../support/test-database.ts';
import { until } from '../../support/wait.ts';

const open: pg.Client[] = [];
const databases: TestDatabase[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.end()));
  await Promise.all(databases.splice(0).map((database) => database.drop()));
  await removeNextReleases();
});

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'a report' });
  client.on('error', () => undefined);
  await client.connect();
  open.push(client);
  return client;
}

async function keep(database: TestDatabase): Promise<TestDatabase> {
  databases.push(database);
  return database;
}

/** A reader in the middle of a transaction, of a table that a migration changes. */
async function openReader(url: string): Promise<Readonly<{ client: pg.Client; pid: number }>> {
  const client = await connect(url);
  await client.query('BEGIN; SELECT count(*) FROM searchmill.jobs');
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return { client, pid: rows[0]?.pid ?? 0 };
}

/** Modes in which a table can be locked while others write to it. */
const BESIDE_WRITERS = ['AccessShareLock', 'RowShareLock', 'RowExclusiveLock', 'ShareUpdateExclusiveLock'];

describe('migrating while somebody loads', () => {
  it('defines all views and functions anew without a lock for which writers wait, so that it cannot deadlock with a load', async () => {
    const { url } = await keep(await createTestDatabase());
    const client = await connect(url);
    await client.query('BEGIN');
    for (const { text } of releaseSchema(MIGRATIONS_FOLDER).repeatable) await client.query(text);
    const { rows } = await client.query(
      `SELECT c.oid::regclass::text AS "table", l.mode FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
        WHERE l.pid = pg_backend_pid() AND l.granted AND c.relkind IN ('r', 'p') AND c.relnamespace::regnamespace::text LIKE 'search%'
          AND l.mode <> ALL ($1)`,
      [BESIDE_WRITERS],
    );
    expect(rows).toEqual([]);
  });
});

describe('migrating while somebody reads', () => {
  it('names the session it waits for, lets others through meanwhile, and continues when the reader has ended', async () => {
    const { url } = await keep(await createTestDatabase());
    const reader = await openReader(url);
    const told: string[] = [];
    const folder = await nextMigrations();
    const migrated = migrate(new Secret(url), { folder, tell: (line) => told.push(line), lockTimeoutMs: 200 });
    await until('it to tell', () => told.some((line) => line.includes('searchmill.jobs')));
    expect(told.at(-1)).toMatch(
      new RegExp(
        `^migration ${NEXT_MIGRATION} waits for pid ${reader.pid} \\(a report, role \\w+, idle in transaction for [\\d:]+\\) to let go of searchmill.jobs;`,
      ),
    );
    const other = await connect(url);
    await other.query('SELECT count(*) FROM searchmill.jobs');
    await reader.client.query('COMMIT');
    expect(await migrated).toContain(NEXT_MIGRATION);
  });

  it('gives up and says which session it waits for and what to do; the next time it continues from there', async () => {
    const { url } = await keep(await createTestDatabase());
    const reader = await openReader(url);
    const folder = await nextMigrations();
    // Two tries. In the first, the session that finds the blocking one must connect, which takes a busy machine longer than half a second.
    const error = await migrate(new Secret(url), { folder, maxWaitMs: 4_000 }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StoreError);
    expect(String(error)).toContain(`SELECT pg_terminate_backend(${reader.pid})`);
    expect(String(error)).toContain('run "searchmill migrate" again');
    await reader.client.query(`ROLLBACK`);
    expect(await migrate(new Secret(url), { folder })).toContain(NEXT_MIGRATION);
  });

  it('tells when another migrates', async () => {
    const { url } = await keep(await createEmptyDatabase());
    const other = await connect(url);
    // The lock that node-pg-migrate takes by itself.
    await other.query('SELECT pg_advisory_lock(7241865325823964)');
    const told: string[] = [];
    const migrated = migrate(new Secret(url), { tell: (line) => told.push(line), lockTimeoutMs: 100 });
    await until('it to tell', () => told.some((line) => line.includes('pid')));
    expect(told.at(-1)).toMatch(/^migration 0001_schemas waits for pid \d+ \(a report, /);
    await other.query('SELECT pg_advisory_unlock_all()');
    expect(await migrated).toContain('0001_schemas');
  });
});

/** Makes a database of another encoding beside an empty one. */
async function createEncoded(encoding: string): Promise<TestDatabase> {
  const beside = await keep(await createEmptyDatabase());
  const url = new URL(beside.url);
  const name = `${url.pathname.slice(1)}_${encoding.toLowerCase()}`;
  const client = await connect(beside.url);
  const { rows } = await client.query("SELECT current_setting('server_version_num')::int >= 150000 AS has");
  const provider = rows[0]?.has ? 'LOCALE_PROVIDER libc' : '';
  await client.query(`CREATE DATABASE ${name} ENCODING '${encoding}' ${provider} LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`);
  url.pathname = `/${name}`;
  return { url: url.href, drop: async () => void (await client.query(`DROP DATABASE ${name} WITH (FORCE)`)) };
}

const cli = (verb: string, url: string): Promise<CommandLineResult> => runCli([verb], { env: { DATABASE_URL: url } });

describe('a database that is not UTF8', () => {
  it.each(['SQL_ASCII', 'LATIN1'])('is refused when it is %s, before anything is applied, with what to do', async (encoding) => {
    const database = await createEncoded(encoding);
    const { code, out, err } = await cli('migrate', database.url);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(new RegExp(`encoding ${encoding}.*needs UTF8.*createdb -E UTF8 -T template0`));
    expect((await cli('status', database.url)).err).toContain(`encoding ${encoding}`);
    const { rows } = await (await connect(database.url)).query(
      "SELECT nspname FROM pg_namespace WHERE nspname IN ('search', 'searchmill', 'bullmq')",
    );
    expect(rows).toEqual([]);
    await Promise.all(open.splice(1).map((client) => client.end()));
    await database.drop();
  });
});

describe('a migration that fails between ledger and queue', () => {
  it('says what is done, what failed and how to go on; the next migrate goes on', async () => {
    const { url } = await keep(await createEmptyDatabase());
    const client = await connect(url);
    await client.query('CREATE SCHEMA bullmq; CREATE TABLE bullmq.migration (somebody_elses int)');
    const { code, out, err } = await cli('migrate', url);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(
      /the ledger is up to date, but the tables of the queue could not be created; .*"searchmill migrate" again.*version/,
    );
    await client.query('DROP SCHEMA bullmq CASCADE');
    expect(await cli('migrate', url)).toMatchObject({ code: 0, err: '' });
    expect((await client.query("SELECT to_regclass('bullmq.job') AS job")).rows).toEqual([{ job: 'bullmq.job' }]);
  });
});

describe('migrating while processes of an older release run', () => {
  beforeAll(ensureBuilt);

  /** Signs of life, each as many seconds old. */
  async function giveSigns(url: string, ...ages: number[]): Promise<pg.Client> {
    const client = await connect(url);
    for (const age of ages) {
      await client.query(
        `INSERT INTO searchmill.instances (id, role, host, pid, version, seen_at)
         VALUES (gen_random_uuid(), 'worker', 'mill-1', $1, '0.0.9', now() - $1::integer * interval '1 s')`,
        [age],
      );
    }
    return client;
  }
  const migrateBy = (main: string, url: string, ...options: string[]): Promise<ProgramResult> =>
    runMain(main, ['migrate', ...options], { DATABASE_URL: url, REDIS_URL: 'redis://unused', SEARCHMILL_COMMAND: 'searchmill' });
  const REASON = 'they know jobs by names that are gone';

  it('applies nothing when a migration needs older processes stopped, names them, and goes on when they have ended', async () => {
    const [{ url }, next] = [await keep(await createTestDatabase()), await buildNextRelease({ reason: REASON })];
    const client = await giveSigns(url, 5, 3_000);
    const { code, stderr } = await migrateBy(next, url);
    expect({ code, stderr: stderr.replace(/seen \d+ s/, 'seen 5 s') }).toEqual({
      code: 2,
      stderr:
        `processes of an older release must be stopped before ${NEXT_MIGRATION} (${REASON}), and ` +
        'these show signs of life: worker on mill-1 (pid 5, searchmill 0.0.9, seen 5 s ago); nothing was applied. Stop them, wait a minute for ' +
        'those that were killed, and run "searchmill migrate" again; "searchmill migrate --while-running" goes on at your own risk\n',
    });
    const { rows } = await client.query('SELECT FROM searchmill.migrations WHERE name = $1', [NEXT_MIGRATION]);
    expect(rows).toEqual([]);
    await client.query('DELETE FROM searchmill.instances WHERE pid = 5');
    expect((await migrateBy(next, url)).stdout).toContain(NEXT_MIGRATION);
  });

  it('applies it anyway when it is told to', async () => {
    const [{ url }, next] = [await keep(await createTestDatabase()), await buildNextRelease({ reason: REASON })];
    await giveSigns(url, 5);
    expect((await migrateBy(next, url, '--while-running')).stdout).toContain(NEXT_MIGRATION);
  });

  it('applies at once a migration during which they may go on', async () => {
    const [{ url }, next] = [await keep(await createTestDatabase()), await buildNextRelease()];
    await giveSigns(url, 5);
    expect((await migrateBy(next, url)).stdout).toContain(NEXT_MIGRATION);
  });
});

// A database of its own for a test file, in a few milliseconds: a copy of a template that was migrated once.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { SECOND, systemClock } from '../../src/core/clock.ts';
import { Secret } from '../../src/core/secret.ts';
import { migrate } from '../../src/postgres/schema/migrate.ts';
import { distributeTables } from '../../src/tables/citus/citus.ts';
import { type CitusNodes, joinNodes } from './citus-cluster.ts';
import { until } from './wait.ts';

export type TestDatabase = Readonly<{
  url: string;
  /** Removes the database, or with TEST_KEEP_DATABASES prints its address. Throws when connections to it were left open: a pool that a test forgot to end. */
  drop(): Promise<void>;
}>;

const TEMPLATE_LOCK = 0x5ea2c4;
const LEAVING_MS = 10 * SECOND;

/**
 * Makes a database with the current schema. The first caller of a run migrates the template, the others wait for it and
 * copy it. Throws when there is no Postgres.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { nodes, prefix } = placeForDatabases();
  const template = `${prefix}template`;
  await withClient(nodes[0], (client) => ensureTemplate(client, template, nodes));
  return createDatabase(`template ${template}`);
}

/** Makes an empty database, for tests of the migrations themselves. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  return createDatabase('');
}

/** Makes an empty database with a locale of its own: the words of CREATE DATABASE, such as `locale_provider icu icu_locale 'tr-TR'`. */
export async function createDatabaseWith(locale: string): Promise<TestDatabase> {
  return createDatabase(`template template0 encoding 'UTF8' ${locale}`);
}

async function createDatabase(from: string): Promise<TestDatabase> {
  const { nodes, prefix } = placeForDatabases();
  const name = `${prefix}${randomBytes(6).toString('hex')}`;
  await onEach(nodes, (client) => client.query(`create database ${name} ${from}`));
  if (from === '') await joinNodes(addressesOf(nodes, name));
  return { url: addressOf(nodes[0], name), drop: () => dropDatabase(nodes, name) };
}

/** `nodes`: the server; with Citus the coordinator, then its workers. Each has a database of every name. */
function placeForDatabases(): { nodes: CitusNodes; prefix: string } {
  const { database, databasePrefix, citusWorkers } = inject('servers');
  if (database.url === undefined) throw new Error(`no Postgres for the tests: ${database.missingBecause}`);
  return { nodes: [database.url, ...citusWorkers], prefix: databasePrefix };
}

async function ensureTemplate(client: pg.Client, template: string, nodes: CitusNodes): Promise<void> {
  const isThere = async () => ((await client.query('select from pg_database where datname = $1', [template])).rowCount ?? 0) > 0;
  await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK]);
  try {
    if (await isThere()) return;
    await onEach(nodes, (each) => each.query(`create database ${template}`));
    try {
      // Citus comes last, as to a warehouse that grows.
      const addresses = addressesOf(nodes, template);
      await migrate(new Secret(addresses[0]));
      await joinNodes(addresses);
      if (nodes.length > 1) await distribute(nodes, template);
    } catch (error) {
      await onEach(nodes, (each) => each.query(`drop database ${template} with (force)`));
      throw error;
    }
  } finally {
    await client.query('select pg_advisory_unlock($1)', [TEMPLATE_LOCK]);
  }
}

async function distribute(nodes: CitusNodes, template: string): Promise<void> {
  await distributeTables(new Secret(addressOf(nodes[0], template)));
  // The maintenance of Citus keeps a connection to each database, and a template may have none.
  await onEach(nodes, async (client) => {
    await client.query(`alter database ${template} allow_connections false`);
    await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [template]);
    const open = () => client.query('select from pg_stat_activity where datname = $1', [template]);
    await until('the template to be left alone', async () => (await open()).rowCount === 0);
  });
}

async function onEach(nodes: CitusNodes, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  await Promise.all(nodes.map((url) => withClient(url, work)));
}

async function dropDatabase(nodes: CitusNodes, name: string): Promise<void> {
  const [server, ...workers] = nodes;
  await withClient(server, async (client) => {
    const open = () => client.query<{ who: string }>(OPEN_CONNECTIONS, [name]);
    let left = await open();
    for (const giveUpAt = Date.now() + LEAVING_MS; left.rows.length > 0 && Date.now() < giveUpAt; left = await open()) {
      await systemClock.sleep(20);
    }
    if (process.env.TEST_KEEP_DATABASES) console.log(`kept ${addressOf(server, name)}`);
    else {
      await client.query(`drop database ${name} with (force)`);
      for (const worker of workers) await withClient(worker, (each) => each.query(`drop database ${name} with (force)`));
    }
    if (left.rows.length > 0) throw new Error(`connections were left open: ${left.rows.map(({ who }) => who).join('; ')}`);
  });
}

const OPEN_CONNECTIONS = `
  select application_name || ' (' || state || '): ' || left(query, 100) as who
  from pg_stat_activity where datname = $1 and backend_type = 'client backend' and application_name not like 'citus_internal%'`;

function addressesOf([coordinator, ...workers]: CitusNodes, name: string): CitusNodes {
  return [addressOf(coordinator, name), ...workers.map((worker) => addressOf(worker, name))];
}

function addressOf(server: string, name: string): string {
  const address = new URL(server);
  address.pathname = `/${name}`;
  return address.href;
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

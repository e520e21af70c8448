// Postgres and Redis for the benchmark: TEST_DATABASE_URL and TEST_REDIS_URL if set; else the embedded Postgres, with fsync as in production, and
// redis-server from the PATH.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../embedded/postgres.ts';
import { migrateAll } from '../../src/cli/migrate-verb.ts';
import { Secret } from '../../src/core/secret.ts';
import type { Scope } from './scope.ts';

export type Servers = Readonly<{
  /** Address of a database from which others can be created. */
  databaseUrl: Secret;
  databaseVersion: string;
  /** Prefix of the names of all databases of this run. */
  databasePrefix: string;
  /** Name of the migrated database that others are copied from. */
  template: string;
  /** The address from TEST_REDIS_URL. */
  redisUrl: string | undefined;
  canStartRedis: boolean;
}>;

/** Finds or starts the servers, and migrates the database that others are copied from; all are removed when the scope ends. */
export async function openServers(clusterDirectory: string, scope: Scope): Promise<Servers> {
  const databaseUrl = await openPostgres(clusterDirectory, scope);
  const databasePrefix = `searchmill_bench_${randomBytes(4).toString('hex')}_`;
  const template = `${databasePrefix}template`;
  scope.defer(() => dropDatabases(databaseUrl, databasePrefix));
  const databaseVersion = await withClient(databaseUrl, async (client) => {
    await client.query(`CREATE DATABASE ${template}`);
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
    return rows[0]?.server_version.split(' ')[0] ?? 'unknown';
  });
  await migrateAll(addressOf(databaseUrl, template), undefined);
  return {
    databaseUrl,
    databaseVersion,
    databasePrefix,
    template,
    redisUrl: process.env.TEST_REDIS_URL || undefined,
    canStartRedis: !spawnSync('redis-server', ['--version']).error,
  };
}

/** Address of another database on the same server. */
export function addressOf(server: Secret, database: string): Secret {
  const address = new URL(server.reveal());
  address.pathname = `/${database}`;
  return new Secret(address.href);
}

export async function withClient<T>(url: Secret, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url.reveal(), application_name: 'searchmill bench' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

async function openPostgres(clusterDirectory: string, scope: Scope): Promise<Secret> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return new Secret(given);
  const server = await startEmbeddedPostgres({ directory: clusterDirectory, isKept: false });
  scope.defer(() => server.stop());
  return new Secret(server.url);
}

/** Also drops databases that an interrupted figure had no time to drop. */
async function dropDatabases(server: Secret, prefix: string): Promise<void> {
  await withClient(server, async (client) => {
    const { rows } = await client.query<{ datname: string }>('SELECT datname FROM pg_database WHERE starts_with(datname, $1)', [prefix]);
    for (const { datname } of rows) await client.query(`DROP DATABASE IF EXISTS ${client.escapeIdentifier(datname)} WITH (FORCE)`);
  });
}

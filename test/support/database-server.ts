// The Postgres the tests run on.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../embedded/postgres.ts';
import { describeError } from '../../src/core/errors.ts';
import { readNodes } from './citus-cluster.ts';
import { startPostgresContainer } from './containers.ts';
import type { StartedServer } from './found-server.ts';

/** That of TEST_CITUS_URL or TEST_DATABASE_URL, one in a container, or the embedded one, in this order. */
export async function findDatabase(databasePrefix: string): Promise<StartedServer> {
  const variable = process.env.TEST_CITUS_URL ? 'TEST_CITUS_URL' : 'TEST_DATABASE_URL';
  const given = process.env[variable];
  if (given) {
    const nodes = variable === 'TEST_CITUS_URL' ? await readNodes(given) : [given];
    const stop = async () => {
      for (const node of nodes) await dropDatabases(node, databasePrefix);
    };
    return { url: given, origin: variable, ...(process.env.TEST_KEEP_DATABASES ? {} : { stop }) };
  }
  const contained = await startPostgresContainer();
  if (contained?.url !== undefined) return contained;
  if (contained) console.log(`${contained.missingBecause}; using the embedded Postgres instead`);
  return startEmbedded();
}

async function startEmbedded(): Promise<StartedServer> {
  const directory = await mkdtemp(join(tmpdir(), 'searchmill-test-'));
  // The server may have to live elsewhere and then removes that folder only.
  const removeDirectory = () => rm(directory, { recursive: true, force: true });
  try {
    const server = await startEmbeddedPostgres({ directory, isDurable: false, isKept: false });
    const stop = async () => {
      await server.stop();
      await removeDirectory();
    };
    return { url: server.url, origin: 'embedded Postgres', stop };
  } catch (error) {
    await removeDirectory();
    return { missingBecause: describeError(error) };
  }
}

/** Leaves a server that is not ours as it was, also when tests were interrupted before they dropped their databases. */
async function dropDatabases(url: string, prefix: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ datname: string }>('select datname from pg_database where starts_with(datname, $1)', [prefix]);
    for (const { datname } of rows) await client.query(`drop database ${client.escapeIdentifier(datname)} with (force)`);
  } finally {
    await client.end();
  }
}

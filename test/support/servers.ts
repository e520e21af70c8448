// Runs before the tests that need servers, and gives them the addresses by vitest's `inject('servers')`. In this order:
// TEST_DATABASE_URL / TEST_REDIS_URL; a container engine; embedded Postgres and the redis-server on the PATH.
import { randomBytes } from 'node:crypto';
import type { TestProject } from 'vitest/node';
import { readNodes } from './citus-cluster.ts';
import { findDatabase } from './database-server.ts';
import type { FoundServer, StartedServer } from './found-server.ts';
import { findRedis } from './redis-server.ts';

export type Servers = Readonly<{
  database: FoundServer;
  redis: FoundServer;
  /** Addresses of the workers where the database is the coordinator of a Citus cluster, else none. */
  citusWorkers: readonly string[];
  /** Begins the name of every database of this run. */
  databasePrefix: string;
}>;

declare module 'vitest' {
  interface ProvidedContext {
    servers: Servers;
  }
}

/** Called by vitest once per project, so that chaos tests may kill their servers without harm to the others'. */
export default async function setUpServers(project: TestProject): Promise<() => Promise<void>> {
  const databasePrefix = `searchmill_test_${randomBytes(4).toString('hex')}_`;
  const [database, redis] = await Promise.all([findDatabase(databasePrefix), findRedis()]);
  const stop = async () => {
    await Promise.all([database.stop?.(), redis.stop?.()]);
  };
  const missing = [...reasonsAgainst('Postgres', database), ...reasonsAgainst('Redis', redis)];
  if (missing.length > 0 && process.env.CI) {
    await stop();
    throw new Error(`in CI nothing may be skipped for want of a server, but ${missing.join('; ')}`);
  }
  console.log(`${project.name} tests: ${[database, redis].flatMap((server) => server.origin ?? []).join(', ')}`);
  const [, ...citusWorkers] = process.env.TEST_CITUS_URL ? await readNodes(process.env.TEST_CITUS_URL) : [];
  project.provide('servers', { database: withoutStop(database), redis: withoutStop(redis), citusWorkers, databasePrefix });
  return async () => {
    await stop();
    for (const reason of missing) console.log(`${project.name} tests skipped: ${reason}`);
  };
}

function reasonsAgainst(name: string, server: FoundServer): string[] {
  return server.url === undefined ? [`no ${name} (${server.missingBecause})`] : [];
}

/** What may be sent to the processes that run the tests. */
function withoutStop({ stop: _, ...found }: StartedServer): FoundServer {
  return found;
}

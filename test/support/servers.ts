// Runs once before the tests that need servers, and gives them the addresses by vitest's `inject('servers')`. In this order:
// TEST_DATABASE_URL / TEST_REDIS_URL; a container engine; embedded Postgres and the redis-server on the PATH.
import { randomBytes } from 'node:crypto';
import type { TestProject } from 'vitest/node';
import { findDatabase } from './database-server.ts';
import { findRedis } from './redis-server.ts';

/** A server that tests may use, or why there is none. */
export type FoundServer = Readonly<{ url: string; origin: string } | { url?: never; missingBecause: string }>;

export type StartedServer = FoundServer & Readonly<{ stop?: () => Promise<void> }>;

export type Servers = Readonly<{
  database: FoundServer;
  redis: FoundServer;
  /** Begins the name of every database of this run. */
  databasePrefix: string;
}>;

declare module 'vitest' {
  interface ProvidedContext {
    servers: Servers;
  }
}

const databasePrefix = `searchmill_test_${randomBytes(4).toString('hex')}_`;

let shared: Promise<readonly StartedServer[]> | undefined;
let users = 0;

// vitest calls this once per project (contract, integration, chaos); they share the servers.
export default async function setUpServers(project: TestProject): Promise<() => Promise<void>> {
  users++;
  shared ??= Promise.all([findDatabase(databasePrefix), findRedis()]);
  const [database, redis] = (await shared) as [StartedServer, StartedServer];
  const missing = Object.entries({ Postgres: database, Redis: redis }).flatMap(([name, { url, ...rest }]) =>
    url === undefined && 'missingBecause' in rest ? [`no ${name}: ${rest.missingBecause}`] : [],
  );
  if (missing.length > 0 && process.env.CI) throw new Error(`in CI nothing is skipped for want of a server, but ${missing.join('; ')}`);
  project.provide('servers', { database: withoutStop(database), redis: withoutStop(redis), databasePrefix });

  return async () => {
    if (--users > 0) return;
    await Promise.all([database.stop?.(), redis.stop?.()]);
    for (const reason of missing) console.log(`skipped: ${reason}`);
  };
}

/** What may be sent to the processes that run the tests. */
function withoutStop({ stop: _, ...found }: StartedServer): FoundServer {
  return found;
}

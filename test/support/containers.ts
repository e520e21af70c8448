// Servers in containers, where an engine such as Docker answers.
import { describeError } from '../../src/core/errors.ts';
import type { StartedServer } from './found-server.ts';

const POSTGRES_IMAGE = 'postgres:17';
const REDIS_IMAGE = 'redis:7';

/** Starts Postgres in a container, or says why not; undefined where no engine answers. */
export async function startPostgresContainer(): Promise<StartedServer | undefined> {
  return startContainer(POSTGRES_IMAGE, async () => {
    const { PostgreSqlContainer } = await import('@testcontainers/postgresql');
    const container = await new PostgreSqlContainer(POSTGRES_IMAGE)
      .withCommand(['postgres', '-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', 'max_connections=400'])
      .start();
    return { url: container.getConnectionUri(), stop: () => container.stop() };
  });
}

/** Starts Redis in a container, or says why not; undefined where no engine answers. */
export async function startRedisContainer(): Promise<StartedServer | undefined> {
  return startContainer(REDIS_IMAGE, async () => {
    const { RedisContainer } = await import('@testcontainers/redis');
    const container = await new RedisContainer(REDIS_IMAGE).start();
    return { url: container.getConnectionUrl(), stop: () => container.stop() };
  });
}

async function startContainer(
  image: string,
  start: () => Promise<{ url: string; stop: () => Promise<unknown> }>,
): Promise<StartedServer | undefined> {
  if (!(await hasEngine())) return undefined;
  console.log(`Starting ${image} in a container (the first time its image is fetched) ...`);
  try {
    const { url, stop } = await start();
    return { url, origin: `${image} in a container`, stop: async () => void (await stop()) };
  } catch (error) {
    return { missingBecause: `${image} could not be started in a container (${describeError(error)})` };
  }
}

async function hasEngine(): Promise<boolean> {
  const { getContainerRuntimeClient } = await import('testcontainers');
  try {
    await getContainerRuntimeClient();
    return true;
  } catch {
    return false;
  }
}

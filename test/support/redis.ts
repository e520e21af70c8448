// Tests that need Redis. Without one they are skipped; test/support/servers.ts says at the end why.
import { describe, inject } from 'vitest';

/** A `describe` that runs where there is a Redis, and gives its tests the address. Keys in it are shared: use a prefix of your own. */
export function describeWithRedis(title: string, body: (redisUrl: string) => void): void {
  const { redis } = inject('servers');
  if (redis.url === undefined) describe.skip(title, () => body(''));
  else describe(title, () => body(redis.url));
}

import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { describeWithRedis } from '../../support/redis.ts';

describeWithRedis('the Redis of the tests', (redisUrl) => {
  it('answers', async () => {
    const redis = new Redis(redisUrl);
    await expect(redis.ping()).resolves.toBe('PONG');
    await redis.quit();
  });
});

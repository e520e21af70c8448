// What happens to Redis: it dies, empties, fills up, hangs, or cannot be reached.
import { between } from './chance.ts';
import { disturb } from './disturb.ts';
import type { Disruption } from './stage.ts';

/** Longer than a worker waits for a message before it makes its connection anew: 11 s. */
const MAX_REDIS_AWAY_MS = 20_000;

/** Does `what` to Redis, and ends that by `end` after a time within the bounds. */
function forAWhile(
  what: 'kill' | 'fill' | 'hang',
  end: 'start' | 'relieve' | 'wake',
  leastMs: number,
  mostMs: number,
): Disruption['strike'] {
  return async ({ random, redis, later }) => {
    await redis?.[what]();
    later(between(random, leastMs, mostMs), () => redis?.[end]());
  };
}

export const REDIS_DISRUPTIONS: readonly Disruption[] = [
  { name: 'FLUSHALL', weight: 3, needsRedis: true, strike: async ({ redis }) => redis?.flush() },
  {
    name: 'Redis killed and replaced by an empty one',
    weight: 2,
    needsRedis: true,
    strike: forAWhile('kill', 'start', 500, MAX_REDIS_AWAY_MS),
  },
  { name: 'Redis full', weight: 1, needsRedis: true, strike: forAWhile('fill', 'relieve', 1_000, 5_000) },
  { name: 'Redis out of reach', weight: 1, needsRedis: true, strike: disturb('redis', 'refuse', 500, MAX_REDIS_AWAY_MS) },
  { name: 'Redis behind a half-dead network', weight: 1, needsRedis: true, strike: disturb('redis', 'swallow', 1_000, 8_000) },
  { name: 'Redis connections stranded', weight: 1, needsRedis: true, strike: disturb('redis', 'strand', 10_000, 60_000) },
  { name: 'Redis hanging', weight: 2, needsRedis: true, strike: forAWhile('hang', 'wake', 1_000, 12_000) },
  // Frequent where this kind of Redis is what the run is about.
  { name: 'Redis failed over', weight: 5, needsRedis: true, needs: 'failOver', strike: async ({ redis }) => redis?.failOver?.() },
  { name: 'Redis slot moved', weight: 5, needsRedis: true, needs: 'moveSlot', strike: async ({ redis }) => redis?.moveSlot?.() },
];

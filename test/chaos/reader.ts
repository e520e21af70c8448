// Reads the tables again and again in the middle of it all, as dashboards do: what is published must be there as it was published.
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from '../../src/postgres/pool.ts';
import type { Hands } from './hands.ts';
import { findContradictions } from './verdict.ts';

/** Citus commits on its nodes one after the other; where one dies meanwhile, it finishes that within a minute of its return. */
const CITUS_SETTLES_MS = 2 * 60_000;
const EVERY_MS = 250;

/** How often the tables were read until it was over, and what they had wrong. */
export type Reading = Readonly<{ looks: number; contradictions: ReadonlySet<string> }>;

/** Reads until it is over. What people have deleted by hand is known to be lacking. */
export async function readTables(
  pool: Pool,
  { isOnCitus, hands }: Readonly<{ isOnCitus: boolean; hands: Hands | undefined }>,
  isOver: () => boolean,
): Promise<Reading> {
  let looks = 0;
  const contradictions = new Set<string>();
  let seenSince = new Map<string, number>();
  while (!isOver()) {
    const seen = await findContradictions(pool, (slice) => hands?.isLacking(slice) ?? false).catch(() => []);
    seenSince = new Map(seen.map((complaint) => [complaint, seenSince.get(complaint) ?? performance.now()]));
    for (const [complaint, since] of seenSince)
      if (!isOnCitus || performance.now() - since > CITUS_SETTLES_MS) contradictions.add(`in the middle of the run: ${complaint}`);
    looks += 1;
    await delay(EVERY_MS);
  }
  return { looks, contradictions };
}

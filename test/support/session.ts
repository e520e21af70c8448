// What other sessions of a test database are doing, for tests that cut them at a chosen moment.
import { systemClock } from '../../src/core/clock.ts';
import type { Pool } from '../../src/postgres/pool.ts';

const GIVE_UP_MS = 20_000;

/** Waits until `count` sessions wait for a lock in a statement that begins with `statement`. Returns the first one's process id. */
export async function waitForLock(pool: Pool, statement: string, count = 1): Promise<number> {
  for (const giveUpAt = Date.now() + GIVE_UP_MS; Date.now() < giveUpAt; ) {
    const { rows } = await pool.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND starts_with(ltrim(query), $1)`,
      [statement],
    );
    if (rows[0] && rows.length >= count) return rows[0].pid;
    await systemClock.sleep(5);
  }
  throw new Error(`no session came to wait for a lock in ${statement}`);
}

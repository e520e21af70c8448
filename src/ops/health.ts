// Is this process fit for work? Each check says yes or why not; ready means all do.
import { MINUTE } from '../core/clock.ts';
import { describeError } from '../core/errors.ts';
import type { Instance } from '../queue/instance.ts';
import { pendingMigrations } from '../warehouse/migrate.ts';
import type { Pool } from '../warehouse/pool.ts';

/** Rounds come every few seconds or minutes; one that has not for this long has stopped. */
const LATE_MS = 15 * MINUTE;

export type Readiness = Readonly<{ isReady: boolean; checks: Readonly<Record<string, string>> }>;

const OK = 'ok';

/** Database, queue, migrations, and the last rounds of this process. Never throws. */
export async function checkReadiness(pool: Pool, instance: Instance, now: Date): Promise<Readiness> {
  const health = instance.health();
  const checks: Record<string, string> = {
    database: await tried(async () => {
      await pool.query('SELECT 1');
    }),
    migrations: await tried(async () => {
      const pending = await pendingMigrations(pool);
      if (pending.length > 0) throw new Error(`missing: ${pending.join(', ')}`);
    }),
    queue: await tried(() => instance.pingQueue()),
    reconciler: describeRound(health.reconciledAt, now),
    ...(health.role === 'worker' ? {} : { scheduler: describeRound(health.plannedAt, now) }),
    ...(health.isStopping ? { process: 'is stopping' } : {}),
  };
  return { isReady: Object.values(checks).every((check) => check === OK), checks };
}

function describeRound(at: Date | undefined, now: Date): string {
  if (!at) return 'has not succeeded yet';
  return now.getTime() - at.getTime() > LATE_MS ? `last succeeded ${at.toISOString()}` : OK;
}

async function tried(check: () => Promise<void>): Promise<string> {
  try {
    await check();
    return OK;
  } catch (error) {
    return describeError(error);
  }
}

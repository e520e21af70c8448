// Is this process fit for work? Each check says yes or why not; ready means all do.
import { setTimeout as delay } from 'node:timers/promises';
import { MINUTE, SECOND } from '../core/clock.ts';
import { describeError } from '../core/errors.ts';
import type { Instance } from '../queue/instance.ts';
import { pendingMigrations } from '../warehouse/migrate.ts';
import type { Pool } from '../warehouse/pool.ts';

/** Rounds come every few seconds or minutes; one that has not for this long has stopped. */
const LATE_MS = 15 * MINUTE;
/** A network that swallows everything must not make a health check hang, too. */
const ANSWER_WITHIN_MS = 3 * SECOND;

export type Readiness = Readonly<{ isReady: boolean; checks: Readonly<Record<string, string>> }>;

const OK = 'ok';

/** Database, queue, migrations, and the last rounds of this process. Never throws. */
export async function checkReadiness(pool: Pool, instance: Instance, now: Date): Promise<Readiness> {
  const health = instance.health();
  const [database, migrations, queue] = await Promise.all([
    tried(async () => {
      await pool.query('SELECT 1');
    }),
    tried(async () => {
      const pending = await pendingMigrations(pool);
      if (pending.length > 0) throw new Error(`missing: ${pending.join(', ')}`);
    }),
    tried(() => instance.pingQueue()),
  ]);
  const checks: Record<string, string> = {
    database,
    migrations,
    queue,
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
  const answered = check().then(
    () => OK,
    (error: unknown) => describeError(error),
  );
  const late = delay(ANSWER_WITHIN_MS, `has not answered within ${ANSWER_WITHIN_MS / SECOND} s`, { ref: false });
  return Promise.race([answered, late]);
}

// Whether this process is ready for work. Each check says ok or why not; the process is ready when all are ok.
import { setTimeout as delay } from 'node:timers/promises';
import type { QueryConfig } from 'pg';
import { MINUTE, SECOND } from '../core/clock.ts';
import { describeError } from '../core/errors.ts';
import type { Standing } from '../core/round.ts';
import type { Pool } from '../postgres/pool.ts';
import { pendingMigrations } from '../postgres/schema/migrate.ts';
import type { Instance } from '../queue/instance.ts';

/** Maximum age of a round's last success. Signs of life come every 15 s, reconciling every 5 s, planning every 5 minutes. */
const OLDEST_MS = { reporting: 65 * SECOND, reconciling: 60 * SECOND, planning: 7 * MINUTE };
/** Keeps a network that drops everything from hanging a health check. */
const ANSWER_WITHIN_MS = 3 * SECOND;

export type Readiness = Readonly<{ isReady: boolean; checks: Readonly<Record<string, string>> }>;

const OK = 'ok';

/** Checks the database (answers and is writable), the queue, migrations, and this process's last rounds. Never throws. */
export async function checkReadiness(pool: Pool, instance: Instance): Promise<Readiness> {
  const { rounds, isStopping } = instance.health();
  const [database, migrations, queue] = await Promise.all([
    tried(async () => {
      await pool.query({ text: 'SELECT 1', query_timeout: ANSWER_WITHIN_MS } as QueryConfig);
    }),
    tried(async () => {
      const pending = await pendingMigrations(pool);
      if (pending.length > 0) throw new Error(`missing: ${pending.join(', ')}`);
    }),
    tried(() => instance.pingQueue()),
  ]);
  const written = describeRound(rounds.reporting, OLDEST_MS.reporting);
  const checks: Record<string, string> = {
    database: database === OK && written !== OK ? `answers, but the sign of life ${written}` : database,
    migrations,
    queue,
    reconciler: describeRound(rounds.reconciling, OLDEST_MS.reconciling),
    ...(rounds.planning ? { scheduler: describeRound(rounds.planning, OLDEST_MS.planning) } : {}),
    ...(isStopping ? { process: 'is stopping' } : {}),
  };
  return { isReady: Object.values(checks).every((check) => check === OK), checks };
}

function describeRound(standing: Standing | undefined, oldestMs: number): string {
  const { succeededAt, ageMs, failure } = standing ?? {};
  const why = failure === undefined ? '' : `: ${failure}`;
  if (succeededAt === undefined || ageMs === undefined) return `has not succeeded yet${why}`;
  return ageMs > oldestMs ? `last succeeded ${succeededAt.toISOString()}${why}` : OK;
}

async function tried(check: () => Promise<void>): Promise<string> {
  const answered = check().then(
    () => OK,
    (error: unknown) => describeError(error),
  );
  const late = delay(ANSWER_WITHIN_MS, `has not answered within ${ANSWER_WITHIN_MS / SECOND} s`, { ref: false });
  return Promise.race([answered, late]);
}

// Looks for signals until nothing is due: a round takes so long and no longer, and a slow machine needs several.
import { silentLogger } from '../../src/core/log.ts';
import type { Pool } from '../../src/postgres/pool.ts';
import { lookForSignals } from '../../src/signals/look.ts';
import { storeReports } from './stored-weeks.ts';

/** `watchedWeeks`: the newest of each account, those of a service when it is left out. Throws as lookForSignals does. */
export async function lookAtAll(
  pool: Pool,
  rules: Parameters<typeof lookForSignals>[1],
  settings: Parameters<typeof lookForSignals>[2],
  watchedWeeks?: number,
): Promise<void> {
  const findLast = async (): Promise<number | undefined> => {
    const { rows } = await pool.query<{ at: Date | null }>('SELECT max(looked_at) AS at FROM searchmill.signal_looks');
    return rows[0]?.at?.getTime();
  };
  // As the service does soon after a publication; a week that is not stored is computed for each rule anew.
  await storeReports(pool);
  let before: number | undefined;
  let last = await findLast();
  do {
    before = last;
    await lookForSignals(pool, rules, settings, { log: silentLogger, ...(watchedWeeks && { watchedWeeks }) });
    last = await findLast();
  } while (last !== before);
}

// Coming to rest: when all that was under way has ended, and everything loaded again until it is what its job asks for.
import { setTimeout as delay } from 'node:timers/promises';
import { DATASETS } from '../../src/datasets/index.ts';
import type { Pool } from '../../src/postgres/pool.ts';
import type { Hands } from './hands.ts';
import { decideAll, type OperatorOptions, reloadEverything } from './operator.ts';
import { findOtherQuestions } from './verdict.ts';

const MAX_RELOADS = 4;
const SUBMIT_ANEW_EVERY_MS = 5_000;

export type RestOptions = Pick<OperatorOptions, 'tell'> &
  Readonly<{ calmMs: number; weeks: number; needsOperator: boolean; hands?: Hands | undefined }>;

/**
 * Discards what is held and loads everything, until each week is published as its job asks for it now, from a query asked
 * after the storm. What was under way before may be published or held in between: a reload joins a load that is under way.
 */
export async function loadEverythingAgain(pool: Pool, options: RestOptions, operator: OperatorOptions): Promise<void> {
  const { rows: begun } = await pool.query<{ at: Date }>('SELECT clock_timestamp() AS at');
  for (let round = 1; ; round++) {
    await decideAll(pool, () => 'discard', operator);
    const hurrying = setInterval(() => void submitAnewAtOnce(pool), SUBMIT_ANEW_EVERY_MS);
    try {
      await reloadEverything(pool, operator);
      await waitForRest(pool, options);
    } finally {
      clearInterval(hurrying);
    }
    const { rows: held } = await pool.query(`SELECT FROM searchmill.executions WHERE state = 'held'`);
    const { rows: earlier } = await pool.query(
      'SELECT FROM searchmill.slices s JOIN searchmill.executions e ON e.id = s.published_execution_id WHERE e.submit_started_at < $1',
      [begun[0]?.at],
    );
    if (held.length + earlier.length + (await findOtherQuestions(pool)).length === 0) return;
    if (round === MAX_RELOADS)
      throw new Error(
        `after ${round} reloads weeks are held, or published from earlier queries or as their jobs do not ask for them any more`,
      );
  }
}

/** After a storm submits wait for up to half an hour, growing with those of the day. Nobody learns anything from that time. */
async function submitAnewAtOnce(pool: Pool): Promise<void> {
  await pool
    .query(`UPDATE searchmill.executions SET due_at = clock_timestamp() WHERE state = 'planned' AND due_at > clock_timestamp()`)
    .catch(() => undefined);
}

/** Until every expected week of every job is published, or held, and nothing is under way. Throws when that takes too long. */
export async function waitForRest(pool: Pool, { calmMs, weeks, needsOperator, hands, tell }: RestOptions): Promise<void> {
  const givesUpAt = Date.now() + calmMs;
  for (let told = ''; ; ) {
    await hands?.approveUnwritten();
    const { rows } = await pool.query<{ state: string; weeks: number }>(
      `SELECT state, count(*)::integer AS weeks FROM searchmill.coverage WHERE is_expected GROUP BY 1 ORDER BY 1`,
    );
    const { rows: live } = await pool.query<{ live: number }>(
      `SELECT count(*)::integer AS live FROM searchmill.executions WHERE ended_at IS NULL AND state <> 'held' AND reason NOT IN ('newest', 'lookback')`,
    );
    const now = `${rows.map((row) => `${row.weeks} ${row.state}`).join(', ')}; ${live[0]?.live ?? 0} older loads under way`;
    if (now !== told) tell(`  ${now}`);
    told = now;
    const resting = rows.filter(({ state }) => state === 'published' || (needsOperator && state === 'held'));
    if (resting.length === rows.length && rows.reduce((sum, row) => sum + row.weeks, 0) === weeks * DATASETS.length && live[0]?.live === 0)
      return;
    if (Date.now() > givesUpAt) throw new Error(`no rest after ${Math.round(calmMs / 1000)} s: ${now}`);
    await delay(500);
  }
}

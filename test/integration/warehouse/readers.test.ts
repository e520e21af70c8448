import { describe, expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { jobOf, useLedger, WEEK } from '../../support/ledger.ts';
import { loadWindow, publish, stageWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const ROWS = 1000;
/** Answers differ in size and in every title, so that each publication inserts, updates and deletes. */
const answer = (job: Job, version: number): unknown[] =>
  Array.from({ length: ROWS + version }, (_, i) => wireRow(job, { query: `q${i + version * 10}`, title: `v${version}` }));

type Seen = { rows: number; versions: string[] };

/** Reads the week again and again until `until` is settled; returns every different sight of it. */
async function watch(job: Job, until: Promise<unknown>): Promise<{ sights: Seen[]; reads: number }> {
  const reader = ledger.openPool(1);
  const sights = new Map<string, Seen>();
  let isOver = false;
  let reads = 0;
  void until.finally(() => {
    isOver = true;
  });
  // Once more after it is settled.
  for (let isLast = false; !isLast; ) {
    isLast = isOver;
    const { rows } = await reader.query<Seen>(
      `SELECT count(*)::integer AS rows, coalesce(array_agg(DISTINCT title), '{}') AS versions
         FROM search.keyword_rankings WHERE account_id = $1 AND time_period_start = $2`,
      [job.accountId, WEEK.start],
    );
    for (const seen of rows) sights.set(JSON.stringify(seen), seen);
    reads += 1;
  }
  return { sights: [...sights.values()], reads };
}

describe('a reader', () => {
  it('sees each publication as a whole or not at all, from the first on, while weeks are published and others are loaded', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const others = [jobOf(), jobOf({ accountId: job.accountId, filtersDigest: 'other' })];
    const versions = 4;
    const publishing = (async () => {
      for (let version = 0; version < versions; version += 1) {
        await publish(pool, job, await stageWindow(pool, job, [answer(job, version)]));
      }
    })();
    const load = (async () => {
      for (let round = 0; round < 3; round += 1) for (const other of others) await loadWindow(pool, other, []);
    })();
    const { sights, reads } = await watch(job, Promise.all([publishing, load]));
    const whole = Array.from({ length: versions }, (_, version) => ({ rows: ROWS + version, versions: [`v${version}`] }));
    for (const seen of sights) expect([{ rows: 0, versions: [] }, ...whole]).toContainEqual(seen);
    expect(reads).toBeGreaterThan(sights.length);
    expect(sights).toContainEqual(whole.at(-1));
  });

  it('is not kept waiting by a publish that is under way, nor does it hold one up', async () => {
    const { pool } = ledger;
    const job = jobOf();
    await loadWindow(pool, job, answer(job, 0));
    const reader = await pool.connect();
    try {
      await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
      const count = async (): Promise<unknown> =>
        (
          await reader.query('SELECT count(*)::integer AS rows, max(title) AS title FROM search.keyword_rankings WHERE account_id = $1', [
            job.accountId,
          ])
        ).rows[0];
      const before = await count();
      await loadWindow(pool, job, answer(job, 1));
      // A month that is new to the table, too.
      await loadWindow(pool, job, [wireRow(job, { query: 'x' }, '2029-04-01')], { start: '2029-04-01', end: '2029-04-07' });
      expect(await count()).toEqual(before);
    } finally {
      await reader.query('ROLLBACK');
      reader.release();
    }
  });
});

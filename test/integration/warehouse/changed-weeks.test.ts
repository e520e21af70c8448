// search_reports.changed_weeks: a reader who keeps a cursor and replaces the weeks after it whole has what the tables have.
import type { PoolClient } from 'pg';
import { describe, expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { Secret } from '../../../src/core/secret.ts';
import { addDays, windowOfWeeks } from '../../../src/core/weeks.ts';
import { approveHeld } from '../../../src/ledger/endings.ts';
import { hold } from '../../../src/ledger/executions.ts';
import { recordJob } from '../../../src/ledger/jobs.ts';
import { applyRetention } from '../../../src/ledger/retention.ts';
import { createPool } from '../../../src/postgres/pool.ts';
import { replayQuarantine } from '../../../src/publishing/quarantine.ts';
import { keepingOf, weekly } from '../../support/kept-weeks.ts';
import { jobOf, useLedger, WEEK } from '../../support/ledger.ts';
import { waitForLock } from '../../support/session.ts';
import { createTestDatabase } from '../../support/test-database.ts';
import { claim, loadWindow, publish, stageWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const { expire } = keepingOf(ledger);

type Changed = { account_id: string; dataset: string; week: string; publication: number | null; cursor: number };

async function changedSince(cursor: number, ...accounts: (number | string)[]): Promise<Changed[]> {
  const { rows } = await ledger.pool.query<Changed>(
    `SELECT account_id::text, dataset, week, publication, cursor FROM search_reports.changed_weeks
      WHERE cursor > $1 AND account_id = ANY ($2::bigint[]) ORDER BY cursor`,
    [cursor, accounts],
  );
  return rows;
}

const newest = (changed: readonly Changed[]): number => changed.at(-1)?.cursor ?? 0;

/** Follows the weeks of accounts into a copy of its own, as docs/events.md says. */
function follow(...accounts: (number | string)[]) {
  let cursor = 0;
  const copy = new Map<string, string[]>();
  return {
    async catchUp(): Promise<number> {
      const changed = await changedSince(cursor, ...accounts);
      for (const { account_id, dataset, week } of changed) {
        const { rows } = await ledger.pool.query<{ line: string }>(
          `SELECT concat_ws(' ', time_period_start, query, title, _occurrence) AS line FROM search."${dataset}"
            WHERE account_id = $1 AND time_period_start >= $2::date AND time_period_start < $2::date + 7 ORDER BY 1`,
          [account_id, week],
        );
        copy.set(
          `${account_id} ${week}`,
          rows.map(({ line }) => line),
        );
      }
      cursor = Math.max(cursor, newest(changed));
      return changed.length;
    },
    async expectSame(): Promise<void> {
      const { rows } = await ledger.pool.query<{ line: string }>(
        `SELECT concat_ws(' ', time_period_start, query, title, _occurrence) AS line FROM search.keyword_rankings
          WHERE account_id = ANY ($1::bigint[]) ORDER BY 1`,
        [accounts],
      );
      const lines = new Set(rows.map(({ line }) => line));
      expect(new Set([...copy.values()].flat())).toEqual(lines);
      expect([...copy.values()].flat()).toHaveLength(rows.length);
    },
  };
}

const row = (job: Job, query: string, start = WEEK.start, values: Record<string, unknown> = {}): unknown[] =>
  wireRow(job, { query, ...values }, start);

const NOTE = `INSERT INTO searchmill.week_changes (kind, dataset, account_id, week) VALUES ('removed', 'keyword_rankings', $1, '2026-11-08')`;

async function withTwoSessions(work: (first: PoolClient, second: PoolClient) => Promise<void>): Promise<void> {
  const [first, second] = [await ledger.pool.connect(), await ledger.pool.connect()];
  try {
    await work(first, second);
  } finally {
    first.release();
    second.release();
  }
}

describe('a reader that goes on from a cursor', () => {
  it('misses nothing of a transaction that began earlier and commits later', async () => {
    await withTwoSessions(async (first, second) => {
      await first.query('BEGIN');
      await first.query(NOTE, [1]);
      await second.query('BEGIN');
      await second.query(NOTE, [2]);
      await second.query('COMMIT');
      const read = await changedSince(0, 1, 2);
      expect(read.map(({ account_id }) => account_id)).toEqual(['2']);
      await first.query('COMMIT');
      expect((await changedSince(newest(read), 1, 2)).map(({ account_id }) => account_id)).toEqual(['1']);
    });
  });

  it('sees no number while a lower one is on its way', async () => {
    await withTwoSessions(async (first, second) => {
      await first.query('BEGIN');
      await first.query(NOTE, [3]);
      // As at the commit, which is held here: it has its number, and nobody sees it.
      await first.query('SET CONSTRAINTS ALL IMMEDIATE');
      await second.query('BEGIN');
      await second.query(NOTE, [4]);
      const committed = second.query('COMMIT');
      await waitForLock(ledger.pool, 'COMMIT');
      expect(await changedSince(0, 3, 4)).toEqual([]);
      await first.query('COMMIT');
      await committed;
      expect((await changedSince(0, 3, 4)).map(({ account_id }) => account_id)).toEqual(['3', '4']);
    });
  });

  it('ends with what the tables have, while several jobs publish at once', async () => {
    const jobs = Array.from({ length: 4 }, () => jobOf());
    const follower = follow(...jobs.map(({ accountId }) => accountId));
    const over = new AbortController();
    const following = (async () => {
      while (!over.signal.aborted) await follower.catchUp();
    })();
    await Promise.all(
      jobs.map(async (job, at) => {
        for (let round = 0; round < 6; round += 1) {
          const window = windowOfWeeks(addDays(WEEK.start, -7 * ((round * at) % 3)), 1);
          const rows = Array.from({ length: (round * 7 + at) % 4 }, (_, index) => row(job, `query ${index} ${round % 2}`, window.start));
          await loadWindow(ledger.pool, job, rows, window);
        }
      }),
    );
    over.abort();
    await following;
    await follower.catchUp();
    await follower.expectSame();
  });
});

describe('a week is reported again', () => {
  it('when rows are added, changed or deleted, and not when all stay as they are', async () => {
    const job = jobOf();
    const follower = follow(job.accountId);
    for (const rows of [[row(job, 'a'), row(job, 'b')], [row(job, 'a', WEEK.start, { title: 'x' }), row(job, 'b')], [row(job, 'b')], []]) {
      await loadWindow(ledger.pool, job, rows);
      expect(await follower.catchUp()).toBe(1);
      await follower.expectSame();
    }
    await loadWindow(ledger.pool, job, []);
    expect(await follower.catchUp()).toBe(0);
  });

  it('when rows join it from quarantine', async () => {
    const job = jobOf();
    const follower = follow(job.accountId);
    const execution = await stageWindow(ledger.pool, job, [[row(job, 'a'), row(job, 'b', WEEK.start, { rank_true: 'not yet' })]]);
    await publish(ledger.pool, job, execution);
    await follower.catchUp();
    await ledger.pool.query(`UPDATE searchmill.quarantined_rows SET raw = replace(raw, '"not yet"', '"7"') WHERE execution_id = $1`, [
      execution.id,
    ]);
    await replayQuarantine(ledger.pool, execution.id);
    expect(await follower.catchUp()).toBe(1);
    await follower.expectSame();
  });

  it('of any account, when rows outside the window were approved, and when they go', async () => {
    const [job, other] = [jobOf(), jobOf()];
    const follower = follow(job.accountId, other.accountId);
    const strays = [
      row(job, 'in'),
      row(job, 'early', '2026-01-04'),
      row(job, 'theirs', WEEK.start, { account_id: String(other.accountId) }),
    ];
    const staged = await stageWindow(ledger.pool, job, [strays]);
    await hold(ledger.pool, staged, [{ rule: 'window', message: 'test' }], 0);
    expect(await follower.catchUp()).toBe(0);
    await approveHeld(ledger.pool, staged.sliceId);
    await publish(ledger.pool, job, await claim(ledger.pool, staged.id));
    expect(await follower.catchUp()).toBe(3);
    await follower.expectSame();
    // The week of the window stays as it is.
    await loadWindow(ledger.pool, job, [row(job, 'in')]);
    expect(await follower.catchUp()).toBe(2);
    await follower.expectSame();
  });

  it('as revised, whichever window of its job loads it again, and only if its rows have changed', async () => {
    const job = jobOf();
    const follower = follow(job.accountId);
    const [first, second] = [WEEK.start, addDays(WEEK.start, 7)];
    const both = windowOfWeeks(first, 2);
    await loadWindow(ledger.pool, job, [row(job, 'a', first), row(job, 'b', second)], both);
    await follower.catchUp();
    // By a window of one week: without a change, then with one.
    await loadWindow(ledger.pool, job, [row(job, 'a', first)], windowOfWeeks(first, 1));
    expect(await follower.catchUp()).toBe(0);
    await loadWindow(ledger.pool, job, [row(job, 'c', first)], windowOfWeeks(first, 1));
    expect(await follower.catchUp()).toBe(1);
    // By the window of both, in which one week has changed.
    await loadWindow(ledger.pool, job, [row(job, 'c', first), row(job, 'd', second)], both);
    expect(await follower.catchUp()).toBe(1);
    await follower.expectSame();
    // For another job of the account it is the first time, also with the same rows.
    const other = jobOf({ accountId: job.accountId, filters: { devices: ['DESKTOP'] }, filtersDigest: 'other' });
    await loadWindow(ledger.pool, other, [row(job, 'c', first)], windowOfWeeks(first, 1));
    const { rows } = await ledger.pool.query<{ told: string }>(
      `SELECT concat_ws(' ', s.job, c.kind, c.week) AS told FROM searchmill.week_changes c JOIN searchmill.slices s ON s.id = c.slice_id
        WHERE c.account_id = $1 ORDER BY c.cursor`,
      [job.accountId],
    );
    expect(rows.map(({ told }) => told)).toEqual([
      `${job.name} published ${first}`,
      `${job.name} published ${second}`,
      `${job.name} revised ${first}`,
      `${job.name} revised ${second}`,
      `${other.name} published ${first}`,
    ]);
  });

  it('when keep_weeks removes it, and as published when it is loaded again', async () => {
    const job = jobOf({ since: '1992-01-05', keepWeeks: 6 });
    const follower = follow(job.accountId);
    const windows = weekly('1992-01-05', 12);
    for (const { start } of windows) await loadWindow(ledger.pool, job, [row(job, 'a', start)], windowOfWeeks(start, 1));
    const last = windows.at(-1)?.start ?? '';
    await recordJob(ledger.pool, job, last);
    await follower.catchUp();
    await expire([job], last);
    const removed = await expire([job], last);
    expect(removed.length + (await follower.catchUp())).toBeGreaterThan(0);
    await follower.expectSame();
    await loadWindow(ledger.pool, job, [row(job, 'a', '1992-01-05')], windowOfWeeks('1992-01-05', 1));
    await follower.catchUp();
    await follower.expectSame();
    const { rows } = await ledger.pool.query<{ kind: string; publication: number | null }>(
      `SELECT kind, publication_id AS publication FROM searchmill.week_changes WHERE account_id = $1 AND week = '1992-01-05' ORDER BY cursor`,
      [job.accountId],
    );
    expect(rows.map(({ kind, publication }) => [kind, publication === null])).toEqual([
      ['published', false],
      ['removed', true],
      ['published', false],
    ]);
  });
});

describe('the mark of a ledger', () => {
  const QUERY = `SELECT week::text, cursor, ledger FROM search_reports.changed_weeks
                  WHERE account_id = $1 AND cursor > CASE WHEN ledger = $2 THEN $3::bigint ELSE 0 END ORDER BY cursor`;
  type Marked = { week: string; cursor: number; ledger: string };

  it('is one for all weeks, stays the same, and comes with a login that has no right to the ledger', async () => {
    const job = jobOf();
    await loadWindow(ledger.pool, job, [row(job, 'a')]);
    const { rows: first } = await ledger.pool.query<Marked>(QUERY, [job.accountId, '', 0]);
    await loadWindow(ledger.pool, job, [row(job, 'b')]);
    await withTwoSessions(async (analyst) => {
      await analyst.query('BEGIN; SET LOCAL ROLE searchmill_analyst');
      const { rows } = await analyst.query<Marked>(QUERY, [job.accountId, first[0]?.ledger, first[0]?.cursor]);
      expect(rows).toEqual([{ week: WEEK.start, cursor: expect.any(Number) as number, ledger: first[0]?.ledger }]);
      await analyst.query('ROLLBACK');
    });
    const { rows } = await ledger.pool.query<{ marks: number }>(
      'SELECT count(DISTINCT ledger)::int AS marks FROM search_reports.changed_weeks',
    );
    expect(rows).toEqual([{ marks: 1 }]);
  });

  it('is another one in a copy of the database, so that a consumer with a cursor of the original gets every week', async () => {
    const job = jobOf();
    await loadWindow(ledger.pool, job, [row(job, 'a')]);
    const { rows: before } = await ledger.pool.query<Marked>(QUERY, [job.accountId, '', 0]);
    const copy = await createTestDatabase();
    const pool = createPool(new Secret(copy.url), { applicationName: 'test', max: 2 });
    await loadWindow(pool, job, [row(job, 'b')]);
    // As far ahead as the consumer of a ledger that was then restored.
    const { rows } = await pool.query<Marked>(QUERY, [job.accountId, before[0]?.ledger, 4711]);
    expect(rows.map(({ week }) => week)).toEqual([WEEK.start]);
    expect(rows[0]?.ledger).not.toBe(before[0]?.ledger);
    expect((await pool.query<Marked>(QUERY, [job.accountId, rows[0]?.ledger, rows[0]?.cursor])).rows).toEqual([]);
    await pool.end();
    await copy.drop();
  });

  it('is another one for a ledger that was made anew in the same database', async () => {
    const mark = `SELECT search_reports.ledger_mark(id, tableoid) AS mark FROM searchmill.ledger`;
    const { rows: before } = await ledger.pool.query<{ mark: string }>(mark);
    await withTwoSessions(async (client) => {
      // As pg_restore --clean does: the same id in a table that was made again.
      await client.query('BEGIN; CREATE TEMP TABLE kept AS SELECT * FROM searchmill.ledger');
      await client.query('DROP TABLE searchmill.ledger CASCADE; CREATE TABLE searchmill.ledger AS SELECT * FROM kept');
      const { rows } = await client.query<{ mark: string }>(mark);
      expect(rows[0]?.mark).not.toBe(before[0]?.mark);
      await client.query('ROLLBACK');
    });
  });
});

it('the latest of the old changes of each week stays, so that every cursor still leads on', async () => {
  const job = jobOf();
  for (const query of ['a', 'b', 'c']) await loadWindow(ledger.pool, job, [row(job, query)]);
  const before = await changedSince(0, job.accountId);
  await ledger.pool.query(`UPDATE searchmill.week_changes SET changed_at = changed_at - interval '40 days'`);
  const days = 30 * 86_400_000;
  const retention = { executionsMs: days, publicationsMs: days, quarantineMs: days, driftMs: days, callsMs: days };
  expect((await applyRetention(ledger.pool, retention, new AbortController().signal)).changes).toBeGreaterThanOrEqual(2);
  expect(await changedSince(0, job.accountId)).toEqual(before);
  await loadWindow(ledger.pool, job, [row(job, 'd')]);
  const { rows } = await ledger.pool.query<{ kind: string }>(
    'SELECT kind FROM searchmill.week_changes WHERE account_id = $1 ORDER BY cursor',
    [job.accountId],
  );
  expect(rows.map(({ kind }) => kind)).toEqual(['revised', 'revised']);
});

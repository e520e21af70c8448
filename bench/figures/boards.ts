// The boards as the pages read them, over the rows of one account and of ten, and the same questions on the tables.
import { count } from '../../src/core/numbers.ts';
import { addDays, lastCompleteWeek } from '../../src/core/weeks.ts';
import { viewBoard } from '../../src/dashboards/board-view.ts';
import { type Board, readBoards } from '../../src/dashboards/boards.ts';
import { createPanelPool, inSnapshot, runPanel } from '../../src/dashboards/run-panels.ts';
import { DATASETS } from '../../src/datasets/index.ts';
import type { Pool } from '../../src/postgres/pool.ts';
import { beginRebuild, rebuild } from '../../src/reports/rebuild.ts';
import { insertOwnDomains } from '../../test/support/account-settings.ts';
import type { Bench } from '../support/bench.ts';
import { copyAccount, OWN_DOMAIN, ROWS_PER_WEEK, writeBoardRows } from '../support/board-rows.ts';
import { createDatabase, type Database, settle } from '../support/database.ts';
import { atMost, type Figure, type Findings, type Result } from '../support/figure.ts';
import { writeHistory } from '../support/history.ts';
import { median } from '../support/statistics.ts';

/** A quarter of one account, or a year of each of ten. */
const WEEKS = { one: { quick: 4, full: 13 }, ten: { quick: 4, full: 52 } };
export const FIRST_ACCOUNT = 10_000;
const ROUNDS = 5;
/** Home has figures of all datasets. */
const MAX_HOME_MS = 800;
const MAX_BOARD_MS = 400;
const MAX_PANEL_MS = 300;

/** The questions of some panels, as queries on the tables. */
const RAW: readonly Readonly<{ board: string; panel: string; sql: string }>[] = [
  {
    board: 'rankings',
    panel: 'market-share',
    sql: `SELECT time_period_start AS week, root_domain AS site, 100.0 * sum(coalesce(average_search_volume, approximate_search_volume)) /
                 sum(sum(coalesce(average_search_volume, approximate_search_volume))) OVER (PARTITION BY time_period_start) AS percent
            FROM search.keyword_rankings WHERE account_id = $1 AND time_period_start >= $2 AND rank_standard <= 10 GROUP BY 1, 2`,
  },
  {
    board: 'ai-visibility',
    panel: 'citation-share',
    sql: `SELECT time_period_start AS week, citation_domain AS site, 100.0 * count(*) / sum(count(*)) OVER (PARTITION BY time_period_start) AS percent
            FROM search.ai_search_citations WHERE account_id = $1 AND time_period_start >= $2 GROUP BY 1, 2`,
  },
];

export const boards: Figure = {
  title: 'Dashboards: boards over a quarter of one account',
  measure: (bench) => measureBoards(bench, 1),
};

export const boardsOfTen: Figure = {
  title: 'Dashboards: boards over a year of one account among ten',
  isOptIn: true,
  measure: (bench) => measureBoards(bench, 10),
};

async function measureBoards(bench: Bench, accounts: number): Promise<Findings> {
  const weekCount = WEEKS[accounts === 1 ? 'one' : 'ten'][bench.mode];
  const database = await createDatabase(bench);
  const { since, rows, seconds } = await fillBoards(bench, database, { accounts, weekCount });
  if (accounts > 1) {
    bench.log(`copying them to ${count(accounts - 1, 'account')}`);
    await copyAccount(bench, database, FIRST_ACCOUNT, accounts - 1);
  }
  // As autovacuum does after such changes.
  await database.pool.query('VACUUM (ANALYZE)');
  await settle(database.pool);
  return {
    results: [
      ...(await timeBoards(bench, database, weekCount)),
      ...(await compareWithTables(bench, database, { weekCount, since })),
      await compareSizes(database.pool),
    ],
    notes: [
      `${(rows / 1e6).toFixed(1)} million rows: ${count(accounts, 'account')}, ${count(weekCount, 'week')}; summaries of the first were made in ${seconds} s${accounts > 1 ? '; the other accounts have the same rows and summaries' : ''}`,
      `warm, as a page reads them: all panels of a board in one read-only transaction; medians of ${ROUNDS}; the tables were asked once`,
    ],
  };
}

/** Writes and summarises the first account's rows for the last `weekCount` weeks. `rows`: rows of all accounts; `seconds`: time of summarising. */
export async function fillBoards(
  bench: Bench,
  database: Database,
  { accounts, weekCount }: Readonly<{ accounts: number; weekCount: number }>,
): Promise<{ since: string; rows: number; seconds: number }> {
  const since = addDays(lastCompleteWeek(new Date(), 'UTC', 'sunday'), -7 * (weekCount - 1));
  const weeks = Array.from({ length: weekCount }, (_, n) => addDays(since, 7 * n));
  for (const { name: dataset } of DATASETS) await writeHistory(bench, database, { jobs: accounts, weeks: weekCount, dataset });
  const rows = accounts * weekCount * ROWS_PER_WEEK;
  bench.log(`writing ${(rows / accounts).toLocaleString('en-US')} rows`);
  await writeBoardRows(bench, database, FIRST_ACCOUNT, weeks);
  await insertOwnDomains(database.pool, FIRST_ACCOUNT, OWN_DOMAIN);
  bench.log('summarising');
  const started = performance.now();
  await beginRebuild(database.pool, {}, true);
  const failed = await rebuild(database.pool, {}, bench.signal, () => undefined);
  if (failed.length > 0) throw new Error(`${count(failed.length, 'week')} could not be summarised`);
  const seconds = Math.round((performance.now() - started) / 1000);
  return { since, rows, seconds };
}

const valuesOf = (board: Board, weekCount: number): Record<string, string> => ({
  weeks: String(weekCount),
  ...(board.variables.some(({ name }) => name === 'account') && { account: String(FIRST_ACCOUNT) }),
});

/** Median times of the first account's boards, and of the slowest panel of each. */
export async function timeBoards(bench: Bench, { url }: Database, weekCount: number): Promise<Result[]> {
  const pool = createPanelPool(url);
  try {
    const results: Result[] = [];
    for (const board of readBoards()) {
      bench.signal.throwIfAborted();
      const view = await viewBoard(pool, board, valuesOf(board, weekCount), bench.signal);
      for (const { panel, result } of view.panels) {
        if ('failure' in result) throw new Error(`${board.name}/${panel.name}: ${result.failure}`);
        if (result.rows.length === 0) bench.log(`${board.name}/${panel.name} has nothing to show`);
      }
      const whole = await time(() => viewBoard(pool, board, valuesOf(board, weekCount), bench.signal));
      const panels: (readonly [name: string, ms: number])[] = [];
      for (const panel of board.panels)
        panels.push([panel.title, await time(() => inSnapshot(pool, (client) => runPanel(client, panel, view.values), bench.signal))]);
      const [slowest, slowestMs] = panels.reduce((a, b) => (b[1] > a[1] ? b : a));
      const mostMs = board.name === 'home' ? MAX_HOME_MS : MAX_BOARD_MS;
      results.push(
        { figure: `${board.title}, the whole board`, ours: whole, unit: 'ms', ...atMost(whole, mostMs, ' ms') },
        { figure: `its slowest panel, ${slowest}`, ours: slowestMs, unit: 'ms', ...atMost(slowestMs, MAX_PANEL_MS, ' ms') },
      );
    }
    return results;
  } finally {
    await pool.end();
  }
}

async function compareWithTables(
  bench: Bench,
  { url, pool: tables }: Database,
  { weekCount, since }: Readonly<{ weekCount: number; since: string }>,
): Promise<Result[]> {
  const pool = createPanelPool(url);
  try {
    const results: Result[] = [];
    for (const { board: name, panel: panelName, sql } of RAW) {
      const board = readBoards().find((each) => each.name === name);
      const panel = board?.panels.find((each) => each.name === panelName);
      if (!board || !panel) throw new Error(`there is no panel ${name}/${panelName}`);
      const { values } = await viewBoard(pool, board, valuesOf(board, weekCount), bench.signal);
      const ours = await time(() => inSnapshot(pool, (client) => runPanel(client, panel, values), bench.signal));
      const theirs = await time(() => askLong(tables, sql, [FIRST_ACCOUNT, since]), 1);
      results.push({
        figure: `${panel.title} over all weeks`,
        ours,
        unit: 'ms',
        peer: { name: 'asked of the tables', value: theirs },
        ratio: ours / theirs,
      });
    }
    return results;
  } finally {
    await pool.end();
  }
}

async function askLong(pool: Pool, sql: string, values: readonly unknown[]): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('SET statement_timeout = 0');
    await client.query(sql, [...values]);
  } finally {
    client.release(true);
  }
}

async function compareSizes(pool: Pool): Promise<Result> {
  const sizeOf = async (schema: string): Promise<number> => {
    const { rows } = await pool.query<{ bytes: string }>(
      `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) AS bytes FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = $1 AND c.relkind IN ('r', 'm')`,
      [schema],
    );
    return Number(rows[0]?.bytes) / 1e6;
  };
  const ours = await sizeOf('search_stored');
  const tables = await sizeOf('search_partitions');
  return { figure: 'size of the summaries', ours, unit: 'MB', peer: { name: 'the tables', value: tables }, ratio: ours / tables };
}

/** Median milliseconds. */
async function time(work: () => Promise<unknown>, rounds = ROUNDS): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  }
  return median(times);
}

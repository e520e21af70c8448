import { describe, expect, inject, it } from 'vitest';
import { monthsFromTo, weeksOfWindow, windowOfWeeks } from '../../../src/core/weeks.ts';
import { DATASETS } from '../../../src/datasets/index.ts';
import { ensurePartitions } from '../../../src/tables/partitions.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { loadWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const isCluster = inject('servers').citusWorkers.length > 0;

async function partitions(table: string): Promise<{ name: string; bound: string }[]> {
  const { rows } = await ledger.pool.query<{ name: string; bound: string }>(
    `SELECT c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bound
       FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = $1::regclass ORDER BY 1`,
    [`search.${table}`],
  );
  return rows;
}

describe('partitions', () => {
  it('are made once each by ten sessions at once, for every table, over the ends of years', async () => {
    const pools = Array.from({ length: 10 }, () => ledger.openPool(1));
    const months = monthsFromTo('2024-11-01', '2026-02-01');
    await Promise.all(pools.flatMap((pool) => DATASETS.map((dataset) => ensurePartitions(pool, dataset, months))));
    for (const { name } of DATASETS) {
      const made = await partitions(name);
      expect(made.map((each) => each.name)).toEqual(months.map((month) => `${name}_${month.slice(0, 7).replace('-', '_')}`));
      expect(made).toContainEqual({ name: `${name}_2024_12`, bound: "FOR VALUES FROM ('2024-12-01') TO ('2025-01-01')" });
    }
  });

  it('have the key, the comments and the columns of their table', async () => {
    const [dataset] = DATASETS;
    await ensurePartitions(ledger.pool, dataset, ['2027-05-01']);
    const shape = async (table: string): Promise<unknown[]> =>
      (
        await ledger.pool.query(
          `SELECT a.attname, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull, col_description(a.attrelid, a.attnum) AS comment,
                  (SELECT array_agg(k ORDER BY k) FROM pg_index i, unnest(i.indkey::smallint[]) AS k WHERE i.indrelid = a.attrelid AND i.indisprimary) AS key
             FROM pg_attribute a WHERE a.attrelid = $1::regclass AND a.attnum > 0 ORDER BY a.attnum`,
          [table],
        )
      ).rows;
    expect(await shape(`search_partitions.${dataset.name}_2027_05`)).toEqual(await shape(`search.${dataset.name}`));
  });

  it('take the rows of a window that ends in another month and another year', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const window = windowOfWeeks('2030-12-15', 4);
    const days = ['2030-12-15', '2030-12-29', '2031-01-05'];
    const rows = days.map((day) => wireRow(job, { query: day }, day));
    expect(await loadWindow(pool, job, rows, window)).toMatchObject({ inserted: 3 });
    const { rows: placed } = await pool.query(
      // A shard is named after its partition, with a number.
      "SELECT regexp_replace(tableoid::regclass::text, '_[0-9]{6,}$', '') AS partition, query FROM search.keyword_rankings WHERE account_id = $1 ORDER BY query",
      [job.accountId],
    );
    expect(placed).toEqual([
      { partition: 'search_partitions.keyword_rankings_2030_12', query: days[0] },
      { partition: 'search_partitions.keyword_rankings_2030_12', query: days[1] },
      { partition: 'search_partitions.keyword_rankings_2031_01', query: days[2] },
    ]);
  });

  it('are not made for an empty answer', async () => {
    const { pool } = ledger;
    await loadWindow(pool, jobOf(), [], windowOfWeeks('2033-07-03', 1));
    expect((await partitions('keyword_rankings')).map(({ name }) => name)).not.toContain('keyword_rankings_2033_07');
  });

  it('are made for ten first publishes of a month at once without any of them failing', async () => {
    const jobs = Array.from({ length: 10 }, () => jobOf());
    const window = windowOfWeeks('2034-03-05', 1);
    const pools = jobs.map(() => ledger.openPool(2));
    const published = await Promise.all(
      jobs.map((job, i) => loadWindow(pools[i] ?? ledger.pool, job, [wireRow(job, { query: 'a' }, window.start)], window)),
    );
    expect(published.map(({ inserted }) => inserted)).toEqual(jobs.map(() => 1));
  });

  /** Loads a row into each week from a Sunday on. Returns how many, and the partitions they lie in. */
  async function loadWeeks(first: string, weeks: number): Promise<{ inserted: number; places: string[] }> {
    const { pool } = ledger;
    const job = jobOf();
    const window = windowOfWeeks(first, weeks);
    const rows = weeksOfWindow(window).map((week) => wireRow(job, { query: week }, week));
    const { inserted } = await loadWindow(pool, job, rows, window);
    expect(await loadWindow(pool, job, rows, window)).toMatchObject({ inserted: 0, unchanged: weeks });
    const { rows: placed } = await pool.query<{ name: string }>(
      "SELECT DISTINCT regexp_replace(tableoid::regclass::text, '_[0-9]{6,}$', '') AS name FROM search.keyword_rankings WHERE account_id = $1 ORDER BY 1",
      [job.accountId],
    );
    return { inserted, places: placed.map(({ name }) => name.replace(/^search(?:_partitions)?\./, '')) };
  }
  const run = (sql: string): Promise<unknown> => ledger.pool.query(sql);
  /** Forgets weeks whose rows were removed by hand, so that the table need not have them. */
  const forgetWeeks = (from: string, before: string): Promise<unknown> =>
    run(`DELETE FROM searchmill.published_periods WHERE period_start >= '${from}' AND period_start < '${before}'`);

  it('of somebody else are used, whatever their names and however many take a month', async () => {
    await run(`CREATE TABLE search.rankings_of_2040 PARTITION OF search.keyword_rankings FOR VALUES FROM ('2040-01-01') TO ('2041-01-01');
               CREATE TABLE search.rankings_1 PARTITION OF search.keyword_rankings FOR VALUES FROM ('2041-01-01') TO ('2041-01-20');
               CREATE TABLE search.rankings_2 PARTITION OF search.keyword_rankings FOR VALUES FROM ('2041-01-20') TO ('2042-01-01')
                 ${isCluster ? '' : 'PARTITION BY HASH (account_id)'}`);
    // Citus has no partitions of partitions.
    if (!isCluster) await run('CREATE TABLE search.rankings_2_all PARTITION OF search.rankings_2 FOR VALUES WITH (MODULUS 1, REMAINDER 0)');
    const places = ['rankings_1', isCluster ? 'rankings_2' : 'rankings_2_all', 'rankings_of_2040'];
    expect(await loadWeeks('2040-12-02', 9)).toEqual({ inserted: 9, places });
    expect((await partitions('keyword_rankings')).map(({ name }) => name)).not.toContain('keyword_rankings_2040_12');
  });

  it('of somebody else are used beside a partition of the usual name that takes a part of its month', async () => {
    await run(`CREATE TABLE search_partitions.keyword_rankings_2043_03 PARTITION OF search.keyword_rankings FOR VALUES FROM ('2043-03-01') TO ('2043-03-12');
               CREATE TABLE search.rankings_rest PARTITION OF search.keyword_rankings FOR VALUES FROM ('2043-03-12') TO ('2043-04-01')`);
    expect(await loadWeeks('2043-03-08', 1)).toEqual({ inserted: 1, places: ['keyword_rankings_2043_03'] });
    expect(await loadWeeks('2043-03-15', 1)).toEqual({ inserted: 1, places: ['rankings_rest'] });
  });

  it('are made beside a default partition, which keeps the months whose rows it has', async () => {
    await loadWeeks('2045-01-01', 1);
    // One by one: Citus takes no rows of a table that the same message has detached.
    await run('ALTER TABLE search.keyword_rankings DETACH PARTITION search_partitions.keyword_rankings_2045_01');
    await run('CREATE TABLE search.rankings_default PARTITION OF search.keyword_rankings DEFAULT');
    await run('INSERT INTO search.keyword_rankings SELECT * FROM search_partitions.keyword_rankings_2045_01');
    await run('DROP TABLE search_partitions.keyword_rankings_2045_01');
    expect(await loadWeeks('2045-01-08', 1)).toEqual({ inserted: 1, places: ['rankings_default'] });
    expect(await loadWeeks('2045-03-05', 1)).toEqual({ inserted: 1, places: ['keyword_rankings_2045_03'] });
    await run('ALTER TABLE search.keyword_rankings DETACH PARTITION search.rankings_default');
    await forgetWeeks('2045-01-01', '2045-02-01');
  });

  it('that cannot be made name the table that is in the way', async () => {
    await run(`CREATE TABLE search.rankings_half PARTITION OF search.keyword_rankings FOR VALUES FROM ('2047-05-01') TO ('2047-05-15')`);
    await expect(loadWeeks('2047-05-05', 1)).rejects.toMatchObject({ cause: { code: '42P17', table: 'keyword_rankings' } });
    await loadWeeks('2047-08-04', 1);
    await run('ALTER TABLE search.keyword_rankings DETACH PARTITION search_partitions.keyword_rankings_2047_08');
    await expect(loadWeeks('2047-08-11', 1)).rejects.toMatchObject({ cause: { code: '42P07', table: 'keyword_rankings_2047_08' } });
    await forgetWeeks('2047-08-01', '2047-09-01');
  });
});

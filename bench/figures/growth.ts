// Publishing into tables that already have many rows compared with empty ones: rows of other accounts in the same weeks, and of the same account in
// other weeks, in the partitions that are published into.
import { count } from '../../src/core/numbers.ts';
import { type IsoDate, monthsFromTo, windowOfWeeks } from '../../src/core/weeks.ts';
import { TABLE } from '../peers/row-lines.ts';
import { type PageService, startPageService } from '../service/page-service.ts';
import type { Bench } from '../support/bench.ts';
import { countRows, createDatabase, type Database, settle } from '../support/database.ts';
import { atMost, compare, type Figure } from '../support/figure.ts';
import { ACCOUNT, FIRST_WEEK, weeksFrom, writeJobs } from '../support/jobs.ts';
import { type LoadReport, measureLoads } from '../support/loads.ts';

const SIZES = { quick: { old: 200_000, rows: 30_000, rounds: 1 }, full: { old: 50_000_000, rows: 150_000, rounds: 10 } };
const OLD_WEEKS = 52;
/** The publishing account has a tenth of the old rows, in weeks other than those it publishes. */
const OLD_ACCOUNTS = [ACCOUNT, ...Array.from({ length: 9 }, (_, index) => 20_000 + index)];
/** Concurrent sessions that write old rows. */
const WRITERS = 2;

export const growth: Figure = {
  title: 'Growth: publishing a slice into tables with many rows, against empty ones',
  async measure(bench) {
    const { old, rows, rounds } = SIZES[bench.mode];
    const weeks = weeksFrom(FIRST_WEEK, OLD_WEEKS);
    // Spread over the year, so that each goes into another partition.
    const published = Array.from({ length: rounds }, (_, round) => weeks[Math.floor(((round + 0.5) * OLD_WEEKS) / rounds)] as IsoDate);
    const service = await startPageService(bench, { rows: 'rankings', rowsPerQuery: rows, pageSize: 1000 });
    const full = await createDatabase(bench);
    bench.log(`writing ${old.toLocaleString('en-US')} old rows`);
    await writeOldRows(bench, full, {
      weeks,
      published: new Set(published),
      rowsPerAccount: Math.ceil(old / OLD_WEEKS / OLD_ACCOUNTS.length),
    });
    const oldRows = await countRows(full, TABLE);
    const intoFull: LoadReport[] = [];
    const intoEmpty: LoadReport[] = [];
    for (const [round, week] of published.entries()) {
      bench.log(`round ${round + 1} of ${rounds}`);
      const empty = await createDatabase(bench);
      const loadIntoFull = async () => intoFull.push(await loadWeek(bench, service, full, week));
      const loadIntoEmpty = async () => intoEmpty.push(await loadWeek(bench, service, empty, week));
      // The order alternates, because the machine may be busier during the second load.
      for (const load of round % 2 === 0 ? [loadIntoFull, loadIntoEmpty] : [loadIntoEmpty, loadIntoFull]) await load();
      await empty.drop();
    }
    const compareTimes = (what: string, secondsOf: (load: LoadReport) => number) =>
      compare(`${what}, time`, 's', {
        ours: intoFull.map(secondsOf),
        peer: 'empty tables',
        theirs: intoEmpty.map(secondsOf),
        judge: (ratio) => atMost(ratio, 1.1, ' x'),
      });
    const publish = compareTimes('audit and publish', (load) => load.stageMs.publish / 1000);
    return {
      results: [publish, compareTimes('end to end', (load) => load.seconds)],
      headline: {
        value: `${publish.ratio?.toFixed(2)} x`,
        caption: `the time to publish into ${Math.round(oldRows / 1e6)} million rows, against none`,
      },
      notes: [
        `slices of ${rows.toLocaleString('en-US')} rows into ${oldRows.toLocaleString('en-US')} rows: ${OLD_ACCOUNTS.length} accounts, ${OLD_WEEKS} weeks, ${monthsFromTo(FIRST_WEEK, weeks.at(-1) ?? FIRST_WEEK).length} partitions; ${count(rounds, 'round')}, each in another month`,
      ],
    };
  },
};

async function loadWeek(bench: Bench, service: PageService, database: Database, week: IsoDate): Promise<LoadReport> {
  const jobs = writeJobs(bench, { baseUrl: service.baseUrl });
  await settle(database.pool);
  return measureLoads(bench, { database, service, jobs, weeks: [week] });
}

/** Writes the same number of rows for every account and week, except where we publish. */
async function writeOldRows(
  bench: Bench,
  { pool }: Database,
  { weeks, published, rowsPerAccount }: Readonly<{ weeks: readonly IsoDate[]; published: ReadonlySet<IsoDate>; rowsPerAccount: number }>,
): Promise<void> {
  const months = monthsFromTo(FIRST_WEEK, weeks.at(-1) ?? FIRST_WEEK);
  const write = async (): Promise<void> => {
    for (let month = months.shift(); month !== undefined; month = months.shift()) {
      bench.signal.throwIfAborted();
      const part = `search.keyword_rankings_${month.slice(0, 7).replace('-', '_')}`;
      await pool.query(`SELECT searchmill.ensure_partition('keyword_rankings', $1)`, [month]);
      for (const week of weeks.filter((start) => start.startsWith(month?.slice(0, 7) ?? ''))) {
        const accounts = OLD_ACCOUNTS.filter((account) => account !== ACCOUNT || !published.has(week));
        await pool.query(
          `INSERT INTO ${part} (account_id, time_period_start, time_period_end, query, rank_standard, _key, _occurrence, _slice,
                                _loaded_at, _changed_at)
           SELECT account, $1::date, $2::date, 'old keyword ' || n, n % 100, lpad(to_hex(n), 32, '0')::uuid, 1, 0, now(), now()
             FROM unnest($3::bigint[]) AS account, generate_series(1, $4::integer) AS n`,
          [week, windowOfWeeks(week, 1).end, accounts, rowsPerAccount],
        );
      }
      // Otherwise autovacuum would do it during the measurement.
      await pool.query(`VACUUM (FREEZE, ANALYZE) ${part}`);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
}

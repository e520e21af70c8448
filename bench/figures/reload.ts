// Loading a slice again: unchanged rows are not written, and a restated week writes only the differences.
import { count } from '../../src/core/numbers.ts';
import type { IsoDate } from '../../src/core/weeks.ts';
import { startPageService } from '../service/page-service.ts';
import { RESTATED_EVERY } from '../service/pages.ts';
import { createDatabase, type Database, settle } from '../support/database.ts';
import { atMost, compare, type Figure, type Result } from '../support/figure.ts';
import { FIRST_WEEK, weeksFrom, writeJobs } from '../support/jobs.ts';
import { type LoadReport, measureLoads } from '../support/loads.ts';

const SIZES = { quick: { rows: 30_000, rounds: 1 }, full: { rows: 300_000, rounds: 3 } };

type Load = Readonly<{ report: LoadReport; versions: number }>;

export const reload: Figure = {
  title: 'Loading a slice again: unchanged, and with 1 % of the rows restated',
  async measure(bench) {
    const { rows, rounds } = SIZES[bench.mode];
    const service = await startPageService(bench, { rows: 'rankings', rowsPerQuery: rows, pageSize: 1000 });
    const database = await createDatabase(bench);
    const jobs = writeJobs(bench, { baseUrl: service.baseUrl });
    const load = async (week: IsoDate, version: number): Promise<Load> => {
      await service.restate(version);
      await settle(database.pool);
      const before = await countVersions(database);
      const report = await measureLoads(bench, { database, service, jobs, weeks: [week] });
      return { report, versions: (await countVersions(database)) - before };
    };
    const first: Load[] = [];
    const again: Load[] = [];
    const restated: Load[] = [];
    for (const [round, week] of weeksFrom(FIRST_WEEK, rounds).entries()) {
      bench.log(`round ${round + 1} of ${rounds}`);
      first.push(await load(week, 0));
      again.push(await load(week, 0));
      restated.push(await load(week, 1));
    }
    const secondsOf = (loads: readonly Load[]): number[] => loads.map(({ report }) => report.seconds);
    const compareTime = (what: string, loads: readonly Load[], judge?: (ratio: number) => ReturnType<typeof atMost>) =>
      compare(`${what}, time`, 's', { ours: secondsOf(loads), peer: 'first load', theirs: secondsOf(first), ...(judge && { judge }) });
    return {
      results: [
        compareTime('an unchanged slice, loaded again', again, (ratio) => atMost(ratio, 1, ' x')),
        judgeVersions('an unchanged slice, loaded again', again, 0),
        compareTime('the slice with 1 % restated', restated),
        judgeVersions('the slice with 1 % restated', restated, Math.ceil(rows / RESTATED_EVERY)),
      ],
      headline: { value: maxVersions(again).toLocaleString('en-US'), caption: 'rows written when an unchanged week is loaded again' },
      notes: [
        `slices of ${rows.toLocaleString('en-US')} rows; ${count(rounds, 'round')}, each with a week of its own; row versions as pg_stat_user_tables counts them`,
      ],
    };
  },
};

function judgeVersions(figure: string, loads: readonly Load[], max: number): Result {
  const versions = maxVersions(loads);
  return { figure: `${figure}, row versions written`, ours: versions, unit: 'rows', ...atMost(versions, max) };
}

/** The most row versions that any of the loads wrote. */
function maxVersions(loads: readonly Load[]): number {
  return Math.max(...loads.map(({ versions }) => versions));
}

/** Row versions written by Postgres, over all partitions. Sessions report them when they end, so the workers must have ended. */
async function countVersions({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ versions: number }>(
    "SELECT coalesce(sum(n_tup_ins + n_tup_upd + n_tup_del), 0)::float8 AS versions FROM pg_stat_user_tables WHERE schemaname = 'search_partitions'",
  );
  return rows[0]?.versions ?? 0;
}

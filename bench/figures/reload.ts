// Loading a slice again: what is the same is not written, and a restated week writes only what differs.
import { count } from '../../src/cli/table.ts';
import type { IsoDate } from '../../src/core/weeks.ts';
import { startPageService } from '../service/page-service.ts';
import { RESTATED_EVERY } from '../service/pages.ts';
import { createDatabase, type Database, settle } from '../support/database.ts';
import { atMost, type Figure, type Result } from '../support/figure.ts';
import { FIRST_WEEK, weeksFrom, writeJobs } from '../support/jobs.ts';
import { type LoadReport, measureLoads } from '../support/loads.ts';
import { median, medianRatio } from '../support/statistics.ts';

const SIZES = { quick: { rows: 30_000, rounds: 1 }, full: { rows: 300_000, rounds: 3 } };

/** Row versions that Postgres has written, over all partitions. */
type Written = Readonly<{ inserted: number; updated: number; deleted: number }>;
type Load = Readonly<{ report: LoadReport; written: Written }>;

export const reload: Figure = {
  name: 'reload',
  title: 'Loading a slice again: unchanged, and with 1 % of the rows restated',
  async measure(bench) {
    const { rows, rounds } = SIZES[bench.mode];
    const service = await startPageService(bench, { rows: 'rankings', rowsPerQuery: rows, pageSize: 1000 });
    const database = await createDatabase(bench);
    const jobs = writeJobs(bench, { baseUrl: service.baseUrl });
    const load = async (week: IsoDate, version: number): Promise<Load> => {
      await service.restate(version);
      await settle(database.pool);
      const before = await countWritten(database);
      const report = await measureLoads(bench, { database, service, jobs, weeks: [week] });
      return { report, written: difference(await countWritten(database), before) };
    };
    const first: Load[] = [];
    const again: Load[] = [];
    const restated: Load[] = [];
    for (const [round, week] of weeksFrom(FIRST_WEEK, rounds).entries()) {
      bench.say(`round ${round + 1} of ${rounds}`);
      first.push(await load(week, 0));
      again.push(await load(week, 0));
      restated.push(await load(week, 1));
    }
    return {
      results: [
        compareTime('an unchanged slice, loaded again', again, first, 1),
        judgeVersions('an unchanged slice, loaded again', again, 0),
        compareTime('the slice with 1 % restated', restated, first),
        judgeVersions('the slice with 1 % restated', restated, Math.ceil(rows / RESTATED_EVERY)),
      ],
      headline: { value: countVersions(again).toLocaleString('en-US'), caption: 'rows written when an unchanged week is loaded again' },
      notes: [
        `slices of ${rows.toLocaleString('en-US')} rows; ${count(rounds, 'round')}, each with a week of its own; row versions as pg_stat_user_tables counts them`,
      ],
    };
  },
};

function compareTime(figure: string, loads: readonly Load[], first: readonly Load[], mostRatio?: number): Result {
  const seconds = (list: readonly Load[]): number[] => list.map(({ report }) => report.seconds);
  const ratio = medianRatio(seconds(loads), seconds(first));
  return {
    figure: `${figure}, time`,
    ours: median(seconds(loads)),
    unit: 's',
    peer: { name: 'first load', value: median(seconds(first)) },
    ratio,
    ...(mostRatio === undefined ? {} : atMost(ratio, mostRatio, ' x')),
  };
}

function judgeVersions(figure: string, loads: readonly Load[], most: number): Result {
  const versions = countVersions(loads);
  return { figure: `${figure}, row versions written`, ours: versions, unit: 'rows', ...atMost(versions, most) };
}

/** Most row versions that one of the loads wrote. */
function countVersions(loads: readonly Load[]): number {
  return Math.max(...loads.map(({ written }) => written.inserted + written.updated + written.deleted));
}

/** Run it when the workers have ended: a session reports what it wrote at its end. */
async function countWritten({ pool }: Database): Promise<Written> {
  const { rows } = await pool.query<Written>(
    `SELECT coalesce(sum(n_tup_ins), 0)::float8 AS inserted, coalesce(sum(n_tup_upd), 0)::float8 AS updated,
            coalesce(sum(n_tup_del), 0)::float8 AS deleted
       FROM pg_stat_user_tables WHERE schemaname = 'search'`,
  );
  return rows[0] ?? { inserted: 0, updated: 0, deleted: 0 };
}

function difference(after: Written, before: Written): Written {
  return {
    inserted: after.inserted - before.inserted,
    updated: after.updated - before.updated,
    deleted: after.deleted - before.deleted,
  };
}

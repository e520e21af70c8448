// How planning, status and an idle process scale with the number of jobs, each with years of weeks in the ledger.
import { count } from '../../src/core/numbers.ts';
import { createDatabase } from '../support/database.ts';
import type { Figure, Result } from '../support/figure.ts';
import { writeHistory } from '../support/history.ts';
import { measureIdle } from './idle.ts';
import { timePlanning } from './planning.ts';

const SIZES = { quick: { jobs: [10, 100], weeks: 52, rounds: 2 }, full: { jobs: [10, 200, 2_000], weeks: 260, rounds: 5 } };

export const manyJobs: Figure = {
  title: 'Planning, status and an idle process with thousands of jobs',
  isOptIn: true,
  async measure(bench) {
    const { jobs: sizes, weeks, rounds } = SIZES[bench.mode];
    const results: Result[] = [];
    for (const size of sizes) {
      const database = await createDatabase(bench);
      bench.log(`writing the history of ${count(size, 'job')}`);
      const history = await writeHistory(bench, database, { jobs: size, weeks });
      bench.log(`${history.weeks.toLocaleString('en-US')} weeks: planning and status`);
      const times = await timePlanning(bench, database, history.jobs, rounds);
      bench.log('idle');
      const idle = await measureIdle(bench, database, history.jobs, undefined);
      await database.drop();
      const result = (what: string, ours: number, unit: string): Result => ({ figure: `${count(size, 'job')}, ${what}`, ours, unit });
      results.push(
        result('planning all, nothing to do', times.plan, 'ms'),
        result('searchmill status, without the start of the program', times.status, 'ms'),
        result('CPU of an idle process', idle.cpuShare, '% of a core'),
        result('its memory', idle.megabytes, 'MB'),
        result('its transactions', idle.transactions, 'per s'),
      );
    }
    return {
      results,
      notes: [
        `${weeks} weeks of each job, each published twice; medians of ${count(rounds, 'round')} after one that is not counted; queue in Postgres`,
      ],
    };
  },
};

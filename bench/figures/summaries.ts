// The cost of dashboard summaries for a publication: the same weeks with summaries, and with their marks disabled.
import { count } from '../../src/core/numbers.ts';
import { addDays } from '../../src/core/weeks.ts';
import { finishReports } from '../../src/reports/refresh.ts';
import { startPageService } from '../service/page-service.ts';
import { createDatabase, settle } from '../support/database.ts';
import { atMost, compare, type Figure } from '../support/figure.ts';
import { FIRST_WEEK, weeksFrom, writeJobs } from '../support/jobs.ts';
import { type LoadReport, measureLoads } from '../support/loads.ts';
import { median } from '../support/statistics.ts';

const SIZES = { quick: { rows: 20_000, weeks: 2, rounds: 1 }, full: { rows: 100_000, weeks: 6, rounds: 3 } };
const MAX_RATIO = 1.1;

export const summaries: Figure = {
  title: 'Publishing with and without the summaries of dashboards',
  async measure(bench) {
    const { rows, weeks, rounds } = SIZES[bench.mode];
    const service = await startPageService(bench, { rows: 'rankings', rowsPerQuery: rows, pageSize: 1000 });
    const summarizing: number[] = [];
    const load = async (round: number, hasSummaries: boolean): Promise<LoadReport> => {
      const database = await createDatabase(bench);
      // This trigger sets the marks, and unmarked weeks are not summarised.
      if (!hasSummaries) await database.pool.query('ALTER TABLE searchmill.publications DISABLE TRIGGER USER');
      await settle(database.pool);
      const jobs = writeJobs(bench, { baseUrl: service.baseUrl });
      const report = await measureLoads(bench, {
        database,
        service,
        jobs,
        weeks: weeksFrom(addDays(FIRST_WEEK, 7 * weeks * round), weeks),
      });
      if (hasSummaries) {
        const started = performance.now();
        let made = 0;
        await finishReports(database.pool, bench.signal, () => (made += 1));
        summarizing.push((performance.now() - started) / 1000 / Math.max(1, made));
      }
      await database.drop();
      return report;
    };
    const ours: LoadReport[] = [];
    const theirs: LoadReport[] = [];
    for (let round = 0; round < rounds; round += 1) {
      bench.log(`round ${round + 1} of ${rounds}`);
      const both = [async () => ours.push(await load(round, true)), async () => theirs.push(await load(round, false))];
      // The order alternates.
      for (const one of round % 2 === 0 ? both : both.toReversed()) await one();
    }
    const compareTime = (what: string, secondsOf: (report: LoadReport) => number) =>
      compare(`${what}, time`, 's', {
        ours: ours.map(secondsOf),
        peer: 'without summaries',
        theirs: theirs.map(secondsOf),
        judge: (ratio) => atMost(ratio, MAX_RATIO, ' x'),
      });
    return {
      results: [
        compareTime('audit and publish', ({ stageMs }) => stageMs.publish / 1000),
        compareTime('end to end', ({ seconds }) => seconds),
        { figure: 'summarising a week afterwards', ours: median(summarizing), unit: 's' },
      ],
      notes: [
        `${count(weeks, 'week')} of ${rows.toLocaleString('en-US')} rows by one worker; summaries are made when loads leave the database alone; ${count(rounds, 'round')}`,
      ],
    };
  },
};

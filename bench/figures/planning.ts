// Planning and status on a ledger of many jobs and years.

import { count } from '../../src/core/numbers.ts';
import { planAllJobs } from '../../src/queue/scheduler.ts';
import { registerConnections } from '../../src/warehouse/call-log.ts';
import { createDatabase } from '../support/database.ts';
import { atMost, type Figure, type Result } from '../support/figure.ts';
import { writeHistory } from '../support/history.ts';
import { planningPipeline } from '../support/jobs.ts';
import { runSearchmill } from '../support/searchmill.ts';
import { median } from '../support/statistics.ts';

const JOBS = 100;
const WEEKS = { quick: 52, full: 260 };
const ROUNDS = { quick: 2, full: 7 };
const MAX_MS = 200;

export const planning: Figure = {
  name: 'planning',
  title: `Planning and status with ${JOBS} jobs and years of weeks of each in the ledger`,
  async measure(bench) {
    const database = await createDatabase(bench);
    const { jobs, weeks } = await writeHistory(bench, database, { jobs: JOBS, weeks: WEEKS[bench.mode] });
    await registerConnections(database.pool, jobs.config.connections.values());
    const plan = async (): Promise<void> => {
      const planned = await planAllJobs(planningPipeline(database), jobs.config.jobs);
      if (planned.some((job) => job.planned.length > 0)) throw new Error('something was planned though everything is published');
    };
    const verb =
      (...parameters: string[]) =>
      async (): Promise<void> => {
        await runSearchmill(bench, { databaseUrl: database.url, jobsPath: jobs.path }, parameters);
      };
    const times = await timeRounds(ROUNDS[bench.mode], {
      plan,
      start: verb('status', '--help'),
      status: verb('status'),
      json: verb('status', '--json'),
    });
    const withoutStart = (list: readonly number[]): number => median(list.map((ms, round) => ms - (times.start[round] ?? Number.NaN)));
    return {
      results: [
        judge('planning all jobs, nothing to do', median(times.plan)),
        judge('searchmill status, without the start of the program', withoutStart(times.status)),
        { figure: 'searchmill status --json, without the start of the program', ours: withoutStart(times.json), unit: 'ms' },
        { figure: 'the start of the program (searchmill status --help)', ours: median(times.start), unit: 'ms' },
      ],
      notes: [
        `${weeks.toLocaleString('en-US')} weeks, each published twice; medians of ${count(ROUNDS[bench.mode], 'round')} after one that is not counted`,
        '--json writes every week down, so it has no goal',
      ],
    };
  },
};

/** Milliseconds that each piece of work took, round by round, the pieces in turn. */
async function timeRounds<Name extends string>(
  rounds: number,
  works: Readonly<Record<Name, () => Promise<void>>>,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(works) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, number[]>;
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of names) {
      const started = performance.now();
      await works[name]();
      // The first round warms up.
      if (round > 0) times[name].push(performance.now() - started);
    }
  }
  return times;
}

function judge(figure: string, ms: number): Result {
  return { figure, ours: ms, unit: 'ms', ...atMost(ms, MAX_MS, ' ms') };
}

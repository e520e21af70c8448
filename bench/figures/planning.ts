// Planning and status on a ledger of many jobs and years.

import { count } from '../../src/core/numbers.ts';
import { registerConnections } from '../../src/ledger/call-log.ts';
import { planAllJobs } from '../../src/queue/scheduler.ts';
import type { Bench } from '../support/bench.ts';
import { createDatabase, type Database } from '../support/database.ts';
import { atMost, type Figure, type Result } from '../support/figure.ts';
import { writeHistory } from '../support/history.ts';
import { type Jobs, planningPipeline } from '../support/jobs.ts';
import { runSearchmill } from '../support/searchmill.ts';
import { median } from '../support/statistics.ts';

const JOBS = 100;
const WEEKS = { quick: 52, full: 260 };
const ROUNDS = { quick: 2, full: 7 };
const MAX_MS = 200;

export const planning: Figure = {
  title: `Planning and status with ${JOBS} jobs and years of weeks of each in the ledger`,
  async measure(bench) {
    const rounds = ROUNDS[bench.mode];
    const database = await createDatabase(bench);
    const history = await writeHistory(bench, database, { jobs: JOBS, weeks: WEEKS[bench.mode] });
    const times = await timePlanning(bench, database, history.jobs, rounds);
    return {
      results: [
        judge('planning all jobs, nothing to do', times.plan),
        judge('searchmill status, without the start of the program', times.status),
        { figure: 'searchmill status --json, without the start of the program', ours: times.json, unit: 'ms' },
        { figure: 'the start of the program (searchmill status --help)', ours: times.start, unit: 'ms' },
      ],
      notes: [
        `${history.weeks.toLocaleString('en-US')} weeks, each published twice; medians of ${count(rounds, 'round')} after one that is not counted`,
        '--json writes every week down, so it has no goal',
      ],
    };
  },
};

export type PlanningTimes = Readonly<Record<'plan' | 'start' | 'status' | 'json', number>>;

/** Medians in milliseconds; status times exclude the start of the program. */
export async function timePlanning(bench: Bench, database: Database, jobs: Jobs, rounds: number): Promise<PlanningTimes> {
  await registerConnections(database.pool, jobs.config.connections.values());
  const plan = async (): Promise<void> => {
    const planned = await planAllJobs(planningPipeline(database), jobs.config.jobs);
    if (planned.some((job) => job.planned.length > 0)) throw new Error('something was planned although everything is published');
  };
  const verb =
    (...parameters: string[]) =>
    async (): Promise<void> => {
      await runSearchmill(bench, { databaseUrl: database.url, jobsPath: jobs.path }, parameters);
    };
  const times = await timeRounds(rounds, {
    plan,
    start: verb('status', '--help'),
    status: verb('status'),
    json: verb('status', '--json'),
  });
  const withoutStart = (list: readonly number[]): number => median(list.map((ms, round) => ms - (times.start[round] ?? Number.NaN)));
  return { plan: median(times.plan), start: median(times.start), status: withoutStart(times.status), json: withoutStart(times.json) };
}

/** Durations in milliseconds of each piece of work per round; the pieces alternate. */
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

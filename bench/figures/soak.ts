// Half an hour at full speed, to see whether anything grows. Four workers load the same weeks repeatedly, alternately restated or not, so that the
// size of the tables is constant and any growth is ours.
import { MINUTE, SECOND } from '../../src/core/clock.ts';
import { chooseBackfill, planJob } from '../../src/pipeline/plan.ts';
import { startPageService } from '../service/page-service.ts';
import type { Bench } from '../support/bench.ts';
import type { Child } from '../support/children.ts';
import { createDatabase, type Database } from '../support/database.ts';
import { atMost, type Figure, type Result } from '../support/figure.ts';
import { ACCOUNTS, FIRST_WEEK, planningPipeline, weeksFrom, writeJobs } from '../support/jobs.ts';
import { openRedis } from '../support/redis.ts';
import { canMeasure, countDescriptors, MEGABYTE, readMemory } from '../support/resources.ts';
import { startWorkers } from '../support/searchmill.ts';
import { median } from '../support/statistics.ts';
import { pause } from '../support/waiting.ts';

const WORKERS = 4;
const SIZES = { quick: { minutes: 2, rows: 5_000, weeks: 4 }, full: { minutes: 30, rows: 50_000, weeks: 6 } };
const SAMPLE_MS = 5 * SECOND;
/** The time is divided into parts: the first is the warm-up, the second is compared with the last. */
const PARTS = 6;
const MAX_MEGABYTES = 256;
/** Allows for the varying amount of garbage not yet collected. */
const MAX_GROWTH = 1.15;

type Sample = Readonly<{ memory: readonly number[]; descriptors: readonly number[]; connections: number; rows: number }>;

export const soak: Figure = {
  title: 'Half an hour at full speed with four workers: what grows',
  isOptIn: true,
  async measure(bench) {
    if (!canMeasure()) throw new Error('resident sizes are read from /proc, which only Linux has');
    const { minutes, rows, weeks } = SIZES[bench.mode];
    const service = await startPageService(bench, { rows: 'rankings', rowsPerQuery: rows, pageSize: 1000 });
    const redisUrl = await openRedis(bench);
    const database = await createDatabase(bench);
    const jobs = writeJobs(bench, { baseUrl: service.baseUrl, accounts: ACCOUNTS });
    const wanted = weeksFrom(FIRST_WEEK, weeks);
    const pipeline = planningPipeline(database);
    const workers = await startWorkers(bench, { databaseUrl: database.url, redisUrl, jobsPath: jobs.path }, WORKERS);

    const samples: Sample[] = [];
    const startedAt = performance.now();
    let told = 0;
    for (let passed = 0; passed < minutes * MINUTE; passed = performance.now() - startedAt) {
      if (Math.floor(passed / MINUTE) > told) {
        told += 1;
        bench.log(`minute ${told} of ${minutes}`);
        await service.restate(told % 2);
      }
      for (const job of jobs.config.jobs) {
        await planJob(pipeline, job, {
          configured: jobs.config.jobs,
          expectedThrough: undefined,
          choose: (slices) => chooseBackfill(job, slices, { weeks: wanted, mode: 'all' }),
        });
      }
      samples.push(await sample(database, workers));
      await pause(SAMPLE_MS, bench.signal);
    }
    return describe(bench, samples, (performance.now() - startedAt) / SECOND);
  },
};

async function sample(database: Database, workers: readonly Child[]): Promise<Sample> {
  const ended = workers.find((worker) => worker.hasEnded());
  if (ended) throw new Error(`a worker ended: ${ended.errorOutput()}`);
  const { rows } = await database.pool.query<{ connections: number; rows: number; problem: string | null }>(
    `SELECT (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'searchmill worker') AS connections,
            (SELECT sum(rows_received)::bigint FROM searchmill.executions) AS rows,
            (SELECT min(coalesce(end_reason, state)) FROM searchmill.executions WHERE state IN ('failed', 'held', 'discarded', 'abandoned')) AS problem`,
  );
  const [found] = rows;
  if (found?.problem) throw new Error(`a load did not end as expected: ${found.problem}`);
  return {
    memory: workers.map(({ pid }) => (readMemory(pid)?.now ?? Number.NaN) / MEGABYTE),
    descriptors: workers.map(({ pid }) => countDescriptors(pid)),
    connections: found?.connections ?? 0,
    rows: found?.rows ?? 0,
  };
}

function describe(bench: Bench, samples: readonly Sample[], seconds: number): Awaited<ReturnType<Figure['measure']>> {
  const part = (number: number): readonly Sample[] =>
    samples.slice(Math.floor((samples.length * number) / PARTS), Math.ceil((samples.length * (number + 1)) / PARTS));
  const [early, late] = [part(1), part(PARTS - 1)];
  const compare = (figure: string, unit: string, of: (sample: Sample) => readonly number[]): Result => {
    const [before, after] = [median(early.flatMap(of)), median(late.flatMap(of))];
    const ratio = after / before;
    return { figure, ours: after, unit, peer: { name: 'early on', value: before }, ratio, ...atMost(ratio, MAX_GROWTH, ' x') };
  };
  const most = Math.max(...samples.flatMap(({ memory }) => memory));
  const total = samples.at(-1)?.rows ?? 0;
  const { minutes, rows, weeks } = SIZES[bench.mode];
  return {
    results: [
      { figure: 'rows loaded and published', ours: total / seconds, unit: 'rows/s' },
      compare('resident memory of a worker', 'MB', ({ memory }) => memory),
      { figure: 'most memory of any worker', ours: most, unit: 'MB', ...atMost(most, MAX_MEGABYTES, ' MB') },
      compare('open files and sockets of a worker', 'descriptors', ({ descriptors }) => descriptors),
      compare('connections to Postgres of all workers', 'connections', ({ connections }) => [connections]),
    ],
    notes: [
      `${minutes} minutes, ${WORKERS} workers, ${ACCOUNTS.length * weeks} slices of ${rows.toLocaleString('en-US')} rows, loaded again as soon as they are published, restated every other minute: ${total.toLocaleString('en-US')} rows in all`,
      `medians of samples every ${SAMPLE_MS / SECOND} s: the last sixth of the time against the second`,
    ],
  };
}

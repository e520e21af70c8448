// Many slices and one to four worker processes: throughput grows until the machine, or Postgres, is the limit. Measured once with a service that
// answers at once, for which one worker may be enough, and once with a slow one.
import { count } from '../../src/core/numbers.ts';
import { startPageService } from '../service/page-service.ts';
import type { Bench } from '../support/bench.ts';
import { createDatabase } from '../support/database.ts';
import { compare, type Figure, type Result } from '../support/figure.ts';
import { ACCOUNTS, FIRST_WEEK, slicesOf, weeksFrom, writeJobs } from '../support/jobs.ts';
import { type LoadReport, measureLoads, rateOf } from '../support/loads.ts';
import { openRedis } from '../support/redis.ts';

/** Rows per slice, and weeks per account. */
type Size = Readonly<{ rows: number; weeks: number }>;

const SIZES = {
  quick: { workers: [1, 2], atOnce: { rows: 6_000, weeks: 2 }, slow: { rows: 4_000, weeks: 2 } },
  full: { workers: [1, 2, 4], atOnce: { rows: 30_000, weeks: 4 }, slow: { rows: 6_000, weeks: 8 } },
};
/** Time per page of the slow service. */
const PAGE_MS = 250;
/** Concurrent loads per worker with the slow service: few, so that a single worker cannot hide the delay. */
const SLOW_CONCURRENCY = 4;

type Case = Size &
  Readonly<{
    /** Prefix of the names of its figures. */
    prefix: string;
    workers: readonly number[];
    redisUrl: string | undefined;
    pageMs?: number;
    concurrency?: number;
  }>;

export const manyWorkers: Figure = {
  title: 'Throughput with many slices and several worker processes on this one machine',
  async measure(bench) {
    const { workers, ...sizes } = SIZES[bench.mode];
    const redisUrl = await openRedis(bench);
    const atOnce: Case = { prefix: '', workers, redisUrl, ...sizes.atOnce };
    const prefix = `pages of ${PAGE_MS} ms, `;
    const slow: Case = { prefix, workers, redisUrl, pageMs: PAGE_MS, concurrency: SLOW_CONCURRENCY, ...sizes.slow };
    const loads = await measureCase(bench, atOnce);
    const slowLoads = await measureCase(bench, slow);
    const postgresSeconds = loads.reduce((sum, { cpuSeconds }) => sum + (cpuSeconds.postgres ?? Number.NaN), 0);
    const perMillion = postgresSeconds / loads.reduce((sum, { rows }) => sum + rows / 1e6, 0);
    const describeSlices = ({ weeks, rows }: Size): string =>
      `${ACCOUNTS.length} accounts x ${weeks} weeks of ${rows.toLocaleString('en-US')} rows`;
    return {
      results: [
        ...loads.flatMap((load, index) => [
          compareRate(atOnce, loads, index),
          ...describeCores(count(workers[index] ?? 0, 'worker'), load),
        ]),
        ...slowLoads.map((_, index) => compareRate(slow, slowLoads, index)),
      ],
      notes: [
        `${describeSlices(atOnce)}, queue in ${redisUrl === undefined ? 'Postgres: there is no Redis' : 'Redis'}; workers, Postgres and page server share the machine`,
        `with pages of ${PAGE_MS} ms: ${describeSlices(slow)}, ${SLOW_CONCURRENCY} loads of each worker at once`,
        ...(Number.isNaN(perMillion)
          ? []
          : [
              `Postgres spends ${perMillion.toFixed(1)} CPU seconds per million rows: on cores of its own it takes ${Math.round(1e6 / perMillion).toLocaleString('en-US')} rows/s per core`,
            ]),
      ],
    };
  },
};

/** One load for each number of workers. */
async function measureCase(bench: Bench, { prefix, rows, pageMs, workers, concurrency, redisUrl, ...sizes }: Case): Promise<LoadReport[]> {
  const weeks = weeksFrom(FIRST_WEEK, sizes.weeks);
  const prepared = slicesOf(ACCOUNTS, weeks);
  const service = await startPageService(bench, { rows: 'rankings', rowsPerQuery: rows, pageSize: 1000, pageMs, prepared });
  const loads: LoadReport[] = [];
  for (const howMany of workers) {
    bench.log(`${prefix}${count(howMany, 'worker')}`);
    const database = await createDatabase(bench);
    const jobs = writeJobs(bench, { baseUrl: service.baseUrl, accounts: ACCOUNTS });
    loads.push(await measureLoads(bench, { database, service, jobs, weeks, workers: howMany, redisUrl, concurrency }));
    await database.drop();
  }
  return loads;
}

/** Compares the rows published by several workers with those of one. */
function compareRate({ prefix, workers }: Case, loads: readonly LoadReport[], index: number): Result {
  const [alone = Number.NaN, ours = Number.NaN] = [loads[0], loads[index]].map((load) => load && rateOf(load));
  const figure = `${prefix}${count(workers[index] ?? 0, 'worker')}, rows published`;
  return index === 0 ? { figure, ours, unit: 'rows/s' } : compare(figure, 'rows/s', { ours: [ours], peer: '1 worker', theirs: [alone] });
}

function describeCores(workers: string, { seconds, cpuSeconds }: LoadReport): Result[] {
  const { workers: ours, postgres, service } = cpuSeconds;
  const cores = (whose: string, used: number): Result => ({ figure: `${workers}, CPU of ${whose}`, ours: used / seconds, unit: 'cores' });
  return [cores('the workers', ours), ...(postgres === undefined ? [] : [cores('Postgres', postgres)]), cores('the page server', service)];
}

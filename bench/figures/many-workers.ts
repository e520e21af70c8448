// Many slices and one to four worker processes: throughput grows until the machine, or Postgres, is the limit. Once with a
// service that answers at once, where one worker may be enough for that, and once with one that takes its time.
import { count } from '../../src/cli/table.ts';
import { startPageService } from '../service/page-service.ts';
import type { Bench } from '../support/bench.ts';
import { createDatabase } from '../support/database.ts';
import type { Figure, Result } from '../support/figure.ts';
import { FIRST_WEEK, topicsOf, weeksFrom, writeJobs } from '../support/jobs.ts';
import { type LoadReport, measureLoads } from '../support/loads.ts';
import { openRedis } from '../support/redis.ts';
import { median, medianRatio } from '../support/statistics.ts';

/** One job each. */
const ACCOUNTS = [12345, 12346, 12347, 12348];
const SIZES = {
  quick: { workers: [1, 2], atOnce: { rows: 6_000, weeks: 2, rounds: 1 }, slow: { rows: 4_000, weeks: 2, rounds: 1 } },
  full: { workers: [1, 2, 4], atOnce: { rows: 30_000, weeks: 4, rounds: 1 }, slow: { rows: 6_000, weeks: 8, rounds: 1 } },
};
/** What a page of the slow service takes. */
const PAGE_MS = 250;
/** Loads that a worker works on at once when the service is slow: few, so that one worker cannot hide that it is. */
const SLOW_CONCURRENCY = 4;

type Case = Readonly<{
  /** Stands before the names of its figures. */
  prefix: string;
  rows: number;
  weeks: number;
  rounds: number;
  pageMs?: number;
  concurrency?: number;
}>;

export const manyWorkers: Figure = {
  name: 'many-workers',
  title: 'Throughput with many slices and several worker processes on this one machine',
  async measure(bench) {
    const { workers: counts, ...sizes } = SIZES[bench.mode];
    const atOnce: Case = { prefix: '', ...sizes.atOnce };
    const slow: Case = { prefix: `pages of ${PAGE_MS} ms, `, pageMs: PAGE_MS, concurrency: SLOW_CONCURRENCY, ...sizes.slow };
    const redisUrl = await openRedis(bench);
    const loads = await measureCounts(bench, counts, atOnce, redisUrl);
    const slowLoads = await measureCounts(bench, counts, slow, redisUrl);
    const postgres = [...loads.values()].flat().flatMap((load) => load.cpuSeconds.postgres ?? []);
    const total = [...loads.values()].flat().reduce((sum, load) => sum + load.rows, 0);
    const perMillion = postgres.reduce((sum, seconds) => sum + seconds, 0) / (total / 1e6);
    const describeSlices = ({ weeks, rows }: Case): string => `${weeks} weeks of ${rows.toLocaleString('en-US')} rows`;
    return {
      results: [
        ...[...loads].flatMap(([workers, reports]) => [compareRates(atOnce.prefix, workers, loads), ...describeCores(workers, reports)]),
        ...counts.map((workers) => compareRates(slow.prefix, workers, slowLoads)),
      ],
      notes: [
        `${ACCOUNTS.length} accounts x ${describeSlices(atOnce)}, queue in ${redisUrl === undefined ? 'Postgres: there is no Redis' : 'Redis'}; workers, Postgres and page server share the machine`,
        `with pages of ${PAGE_MS} ms: ${ACCOUNTS.length} accounts x ${describeSlices(slow)}, ${SLOW_CONCURRENCY} loads of each worker at once`,
        ...(postgres.length === 0
          ? []
          : [
              `Postgres spends ${perMillion.toFixed(1)} CPU seconds per million rows: on cores of its own it takes ${Math.round(1e6 / perMillion).toLocaleString('en-US')} rows/s per core`,
            ]),
      ],
    };
  },
};

/** Measures each number of workers, in turn. */
async function measureCounts(
  bench: Bench,
  counts: readonly number[],
  { prefix, rows, weeks, rounds, pageMs, concurrency }: Case,
  redisUrl: string | undefined,
): Promise<Map<number, LoadReport[]>> {
  const wanted = weeksFrom(FIRST_WEEK, weeks);
  const madeBefore = topicsOf(ACCOUNTS, wanted);
  const service = await startPageService(bench, { rows: 'rankings', rowsPerQuery: rows, pageSize: 1000, pageMs, madeBefore });
  const loads = new Map<number, LoadReport[]>(counts.map((workers) => [workers, []]));
  for (let round = 1; round <= rounds; round += 1) {
    for (const [workers, reports] of loads) {
      bench.say(`round ${round} of ${rounds}, ${prefix}${count(workers, 'worker')}`);
      const database = await createDatabase(bench);
      const jobs = writeJobs(bench, { baseUrl: service.baseUrl, accounts: ACCOUNTS });
      reports.push(await measureLoads(bench, { database, service, jobs, weeks: wanted, workers, redisUrl, concurrency }));
      await database.drop();
    }
  }
  return loads;
}

/** Rows published by so many workers, against one. */
function compareRates(prefix: string, workers: number, loads: ReadonlyMap<number, readonly LoadReport[]>): Result {
  const ratesOf = (howMany: number): number[] => (loads.get(howMany) ?? []).map((report) => report.rows / report.seconds);
  const [ours, alone] = [ratesOf(workers), ratesOf(1)];
  return {
    figure: `${prefix}${count(workers, 'worker')}, rows published`,
    ours: median(ours),
    unit: 'rows/s',
    ...(workers === 1 ? {} : { peer: { name: '1 worker', value: median(alone) }, ratio: medianRatio(ours, alone) }),
  };
}

function describeCores(workers: number, reports: readonly LoadReport[]): Result[] {
  const name = count(workers, 'worker');
  const cores = (of: (report: LoadReport) => number | undefined): number =>
    median(reports.map((report) => (of(report) ?? Number.NaN) / report.seconds));
  return [
    { figure: `${name}, CPU of the workers`, ours: cores((report) => report.cpuSeconds.workers), unit: 'cores' },
    ...(reports.some((report) => report.cpuSeconds.postgres === undefined)
      ? []
      : [{ figure: `${name}, CPU of Postgres`, ours: cores((report) => report.cpuSeconds.postgres), unit: 'cores' }]),
    { figure: `${name}, CPU of the page server`, ours: cores((report) => report.cpuSeconds.service), unit: 'cores' },
  ];
}

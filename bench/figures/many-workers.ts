// Many slices and one to four worker processes: throughput grows until the machine, or Postgres, is the limit.
import { type PageService, startPageService } from '../service/page-service.ts';
import type { Bench } from '../support/bench.ts';
import { createDatabase } from '../support/database.ts';
import type { Figure, Result } from '../support/figure.ts';
import { FIRST_WEEK, weeksFrom, writeJobs } from '../support/jobs.ts';
import { type LoadReport, measureLoads } from '../support/loads.ts';
import { openRedis } from '../support/redis.ts';
import { median, medianRatio } from '../support/statistics.ts';

/** One job each. */
const ACCOUNTS = [12345, 12346, 12347, 12348];
const SIZES = {
  quick: { workers: [1, 2], rows: 10_000, weeks: 2, rounds: 1 },
  full: { workers: [1, 2, 4], rows: 30_000, weeks: 5, rounds: 2 },
};

export const manyWorkers: Figure = {
  name: 'many-workers',
  title: 'Throughput with many slices and several worker processes on this one machine',
  isLight: false,
  async measure(bench) {
    const { workers: processes, rows, weeks, rounds } = SIZES[bench.mode];
    const service = await startPageService(bench, { rows: 'rankings', rowsPerQuery: rows, pageSize: 1000 });
    const redisUrl = await openRedis(bench);
    const loads = new Map<number, LoadReport[]>(processes.map((workers) => [workers, []]));
    for (let round = 1; round <= rounds; round += 1) {
      for (const [workers, reports] of loads) {
        bench.say(`round ${round} of ${rounds}, ${workers} ${workers === 1 ? 'worker' : 'workers'}`);
        reports.push(await loadAll(bench, service, workers, weeks, redisUrl));
      }
    }
    const alone = rates(loads.get(1));
    const results = [...loads].flatMap(([workers, reports]) => describe(workers, reports, alone));
    const postgres = [...loads.values()].flat().flatMap((load) => load.cpuSeconds.postgres ?? []);
    const total = [...loads.values()].flat().reduce((sum, load) => sum + load.rows, 0);
    const perMillion = postgres.reduce((sum, seconds) => sum + seconds, 0) / (total / 1e6);
    return {
      results,
      notes: [
        `${ACCOUNTS.length} accounts x ${weeks} weeks of ${rows.toLocaleString('en-US')} rows, queue in ${redisUrl === undefined ? 'Postgres: there is no Redis' : 'Redis'}; workers, Postgres and page server share the machine`,
        ...(postgres.length === 0
          ? []
          : [
              `Postgres spends ${perMillion.toFixed(1)} CPU seconds per million rows: on cores of its own it takes ${Math.round(1e6 / perMillion).toLocaleString('en-US')} rows/s per core`,
            ]),
      ],
    };
  },
};

async function loadAll(
  bench: Bench,
  service: PageService,
  workers: number,
  weeks: number,
  redisUrl: string | undefined,
): Promise<LoadReport> {
  const database = await createDatabase(bench);
  const jobs = writeJobs(bench, { baseUrl: service.baseUrl, accounts: ACCOUNTS });
  const report = await measureLoads(bench, { database, service, jobs, weeks: weeksFrom(FIRST_WEEK, weeks), workers, redisUrl });
  await database.drop();
  return report;
}

function rates(reports: readonly LoadReport[] = []): number[] {
  return reports.map((report) => report.rows / report.seconds);
}

function describe(workers: number, reports: readonly LoadReport[], alone: readonly number[]): Result[] {
  const name = `${workers} ${workers === 1 ? 'worker' : 'workers'}`;
  const ours = rates(reports);
  const cores = (of: (report: LoadReport) => number | undefined): number =>
    median(reports.map((report) => (of(report) ?? Number.NaN) / report.seconds));
  return [
    {
      figure: `${name}, rows published`,
      ours: median(ours),
      unit: 'rows/s',
      ...(workers === 1 ? {} : { peer: { name: '1 worker', value: median(alone) }, ratio: medianRatio(ours, alone) }),
    },
    { figure: `${name}, CPU of the workers`, ours: cores((report) => report.cpuSeconds.workers), unit: 'cores' },
    ...(reports.some((report) => report.cpuSeconds.postgres === undefined)
      ? []
      : [{ figure: `${name}, CPU of Postgres`, ours: cores((report) => report.cpuSeconds.postgres), unit: 'cores' }]),
    { figure: `${name}, CPU of the page server`, ours: cores((report) => report.cpuSeconds.service), unit: 'cores' },
  ];
}

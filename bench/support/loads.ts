// Measures loads from outside: planned in the ledger, worked on by real worker processes, timed from the first page call, as recorded by the page
// server, to the publication, as recorded by the ledger.
import type { IsoDate } from '../../src/core/weeks.ts';
import type { PageService } from '../service/page-service.ts';
import type { Bench } from './bench.ts';
import { type Database, openServerClock, readClockLead } from './database.ts';
import { type Jobs, planWeeks } from './jobs.ts';
import { cpuSeconds, readMemory } from './resources.ts';
import { startWorkers } from './searchmill.ts';
import { until } from './waiting.ts';

export type LoadOptions = Readonly<{
  database: Database;
  service: PageService;
  jobs: Jobs;
  weeks: readonly IsoDate[];
  workers?: number;
  /** Concurrent executions per worker; default: the worker's own. */
  concurrency?: number | undefined;
  redisUrl?: string | undefined;
  /** The state in which a load is done; default: published. */
  end?: 'staged' | 'published';
}>;

export const STAGES = ['wait', 'network', 'decode', 'copy', 'publish'] as const;
export type Stage = (typeof STAGES)[number];

export type LoadReport = Readonly<{
  rows: number;
  /** From the first page call to the last publication. */
  seconds: number;
  /** Milliseconds per stage according to the ledger, over all loads. */
  stageMs: Readonly<Record<Stage, number>>;
  /** CPU seconds in that time. Undefined for Postgres if it runs elsewhere. */
  cpuSeconds: Readonly<{ workers: number; service: number; postgres: number | undefined }>;
  /** Maximum resident bytes of any worker. */
  peakBytes: number;
}>;

/** Rows per second. */
export function rateOf({ rows, seconds }: LoadReport): number {
  return rows / seconds;
}

/** Loads weeks with fresh worker processes and waits until they are done. Throws when a load fails or a worker ends early. */
export async function measureLoads(bench: Bench, options: LoadOptions): Promise<LoadReport> {
  const { database, service, jobs, weeks, workers = 1, concurrency, redisUrl, end = 'published' } = options;
  const executions = await planWeeks(database, jobs, weeks);
  const knownBefore = new Set(Object.keys((await service.readRecord()).firstReads));
  const clockLeadMs = await readClockLead(database);
  const postgresCpu = await openServerClock(bench, database);
  const cpuBefore = { service: cpuSeconds(service.pid), postgres: postgresCpu?.() };

  const installation = { databaseUrl: database.url, redisUrl, jobsPath: jobs.path };
  const running = await startWorkers(bench, installation, workers, concurrency);
  let peakBytes = 0;
  try {
    const ledger = await until(async () => {
      for (const worker of running) peakBytes = Math.max(peakBytes, readMemory(worker.pid)?.peak ?? 0);
      const ended = running.find((worker) => worker.hasEnded());
      if (ended) throw new Error(`a worker ended: ${ended.errorOutput()}`);
      return readEnds(database, executions, end);
    }, bench.signal);
    const { firstReads } = await service.readRecord();
    const startedAt = Math.min(...Object.entries(firstReads).flatMap(([id, at]) => (knownBefore.has(id) ? [] : [at])));
    return {
      rows: ledger.rows,
      seconds: (ledger.endedAtMs - clockLeadMs - startedAt) / 1000,
      stageMs: ledger.stageMs,
      cpuSeconds: {
        workers: running.reduce((sum, worker) => sum + cpuSeconds(worker.pid), 0),
        service: cpuSeconds(service.pid) - cpuBefore.service,
        postgres: postgresCpu && cpuBefore.postgres !== undefined ? postgresCpu() - cpuBefore.postgres : undefined,
      },
      peakBytes,
    };
  } finally {
    await Promise.all(running.map((worker) => worker.stop()));
  }
}

type Ends = Readonly<{ rows: number; endedAtMs: number; stageMs: Record<Stage, number> }>;

/** The ledger's data about loads that are all done; undefined until then. */
async function readEnds({ pool }: Database, executions: readonly number[], end: 'staged' | 'published'): Promise<Ends | undefined> {
  const { rows } = await pool.query<Record<Stage | 'rows' | 'endedAtMs', number> & { isDone: boolean; problem: string | null }>(
    `SELECT bool_and(CASE WHEN $2 = 'staged' THEN staged_at IS NOT NULL ELSE state = 'published' END) AS "isDone",
            max(CASE WHEN state IN ('failed', 'abandoned', 'discarded', 'held') THEN state || ': ' || coalesce(end_reason, objections::text) END) AS problem,
            sum(rows_staged)::float8 AS rows,
            (extract(epoch FROM max(CASE WHEN $2 = 'staged' THEN staged_at ELSE ended_at END)) * 1000)::float8 AS "endedAtMs",
            sum(wait_ms)::float8 AS wait, sum(network_ms)::float8 AS network, sum(decode_ms)::float8 AS decode,
            sum(copy_ms)::float8 AS copy, sum(publish_ms)::float8 AS publish
       FROM searchmill.executions WHERE id = ANY ($1)`,
    [executions, end],
  );
  const found = rows[0];
  if (found?.problem) throw new Error(`a load did not end as expected: ${found.problem}`);
  if (!found?.isDone) return undefined;
  const { wait, network, decode, copy, publish } = found;
  return { rows: found.rows, endedAtMs: found.endedAtMs, stageMs: { wait, network, decode, copy, publish } };
}

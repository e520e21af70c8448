// From one process to fifty on one ledger: their cost while nothing is due, how they share the allowed calls, and how soon the loads of a killed
// process continue.
import { MINUTE, SECOND } from '../../src/core/clock.ts';
import { count } from '../../src/core/numbers.ts';
import { registerConnections, SLOT_GAP_MS } from '../../src/ledger/call-log.ts';
import { type PageService, startPageService } from '../service/page-service.ts';
import type { Bench } from '../support/bench.ts';
import type { Child } from '../support/children.ts';
import { createDatabase, type Database, openServerClock } from '../support/database.ts';
import { atMost, type Figure, type Result } from '../support/figure.ts';
import { ACCOUNTS, FIRST_WEEK, type Jobs, planWeeks, weeksFrom, writeJobs } from '../support/jobs.ts';
import { describeMissing, openRedis } from '../support/redis.ts';
import { canMeasure, cpuSeconds } from '../support/resources.ts';
import { startWorkers } from '../support/searchmill.ts';
import { countBetween, maxInWindow } from '../support/statistics.ts';
import { pause, until } from '../support/waiting.ts';
import { countTransactions } from './idle.ts';

const LIMITS = { submit: 40, read: 500 };
/** Rows per query, one per page, so that loads take long and wait for the limit. */
const ROWS = 200;
/** Half of a process's concurrency, so that the others have room for the loads of a killed one. */
const LOADS_PER_PROCESS = 8;
const SIZES = {
  quick: { processes: [1, 3], settlingMs: 5 * SECOND, idleMs: 10 * SECOND },
  full: { processes: [1, 10, 50], settlingMs: 30 * SECOND, idleMs: MINUTE },
};

type Costs = Readonly<{ connections: number; transactions: number; postgres: number | undefined; processes: number }>;

export const manyProcesses: Figure = {
  title: 'Up to fifty worker processes on one ledger, idle and busy',
  isOptIn: true,
  async measure(bench) {
    if (!canMeasure()) throw new Error('CPU times are read from /proc, which only Linux has');
    const { processes } = SIZES[bench.mode];
    const redisUrl = await openRedis(bench);
    const service = await startPageService(bench, { rows: 'rankings', rowsPerQuery: ROWS, pageSize: 1 });
    const results: Result[] = [];
    for (const size of processes) results.push(...(await measureCrew(bench, service, redisUrl, size)));
    return {
      results,
      notes: [
        `workers with one credential of ${LIMITS.read} reads and ${LIMITS.submit} submits a minute; queue in ${redisUrl === undefined ? 'Postgres' : 'Redis'}; CPU in cores, of all processes together`,
        'other processes continue the loads of a killed one after its leases have ended and they have looked for due steps: within 30 s by default',
        ...describeMissing(redisUrl),
      ],
    };
  },
};

async function measureCrew(bench: Bench, service: PageService, redisUrl: string | undefined, size: number): Promise<Result[]> {
  const { settlingMs, idleMs } = SIZES[bench.mode];
  const name = count(size, 'process', 'processes');
  const database = await createDatabase(bench);
  const jobs = writeJobs(bench, { baseUrl: service.baseUrl, accounts: ACCOUNTS, pageSize: 1, limits: LIMITS });
  await registerConnections(database.pool, jobs.config.connections.values());
  bench.log(`${name}: starting`);
  const crew = await startWorkers(bench, { databaseUrl: database.url, redisUrl, jobsPath: jobs.path }, size);
  await until(async () => (await countInstances(database)) >= size || undefined, bench.signal);
  await pause(settlingMs, bench.signal);
  bench.log(`${name}: idle`);
  const idle = await measureCosts(bench, database, crew, idleMs);
  await planWeeks(database, jobs, weeksFrom(FIRST_WEEK, Math.ceil((LOADS_PER_PROCESS * size) / ACCOUNTS.length)));
  await pause(settlingMs, bench.signal);
  bench.log(`${name}: busy`);
  const fromMs = Date.now();
  const busy = await measureCosts(bench, database, crew, SLOT_GAP_MS);
  const { share, most } = await readCalls(service, jobs, fromMs, Date.now());
  bench.log(`${name}: killing one`);
  const takeoverSeconds = size === 1 ? undefined : await timeTakeover(bench, database, crew);
  await Promise.all(crew.map((process) => process.stop()));
  await database.drop();
  const result = (what: string, ours: number | undefined, unit: string): Result[] =>
    ours === undefined ? [] : [{ figure: `${name}, ${what}`, ours, unit }];
  return [
    ...result('idle: connections to Postgres', idle.connections, 'connections'),
    ...result('idle: transactions', idle.transactions, 'per s'),
    ...result('idle: CPU of Postgres', idle.postgres, 'cores'),
    ...result('idle: CPU of the processes', idle.processes, 'cores'),
    ...result('busy: connections to Postgres', busy.connections, 'connections'),
    ...result('busy: transactions', busy.transactions, 'per s'),
    ...result('busy: CPU of Postgres', busy.postgres, 'cores'),
    ...result('busy: CPU of the processes', busy.processes, 'cores'),
    ...result('allowed reads used', share, '%'),
    { figure: `${name}, most reads in any 60 s`, ours: most, unit: 'calls', ...atMost(most, LIMITS.read) },
    ...result('until the loads of a killed one go on', takeoverSeconds, 's'),
  ];
}

/** Measured over `ms` milliseconds; the number of connections is taken at the end. */
async function measureCosts(bench: Bench, database: Database, crew: readonly Child[], ms: number): Promise<Costs> {
  const serverClock = await openServerClock(bench, database);
  const read = async () => ({
    at: performance.now(),
    transactions: await countTransactions(database),
    postgres: serverClock?.(),
    processes: crew.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0),
  });
  const before = await read();
  await pause(ms, bench.signal);
  const after = await read();
  const ended = crew.find((process) => process.hasEnded());
  if (ended) throw new Error(`a process ended: ${ended.errorOutput()}`);
  const seconds = (after.at - before.at) / SECOND;
  const { rows } = await database.pool.query<{ connections: number }>(
    "SELECT count(*)::integer AS connections FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'searchmill worker%'",
  );
  return {
    connections: rows[0]?.connections ?? 0,
    transactions: (after.transactions - before.transactions) / seconds,
    postgres: before.postgres === undefined || after.postgres === undefined ? undefined : (after.postgres - before.postgres) / seconds,
    processes: (after.processes - before.processes) / seconds,
  };
}

async function readCalls(
  service: PageService,
  { credential }: Jobs,
  fromMs: number,
  toMs: number,
): Promise<{ share: number; most: number }> {
  const times = (await service.readRecord()).reads[credential] ?? [];
  const allowed = (LIMITS.read * (toMs - fromMs)) / MINUTE;
  return { share: (countBetween(times, fromMs, toMs) / allowed) * 100, most: maxInWindow(times, MINUTE) };
}

/** Kills the process with the most loads. Returns the seconds until other processes have all of them. */
async function timeTakeover(bench: Bench, { pool }: Database, crew: readonly Child[]): Promise<number> {
  const loads = 'SELECT e.id FROM searchmill.executions e WHERE e.lease_owner = $1 AND e.ended_at IS NULL';
  const { owner, pid } = await until(async () => {
    const { rows } = await pool.query<{ owner: string; pid: number }>(
      `SELECT i.id AS owner, i.pid FROM searchmill.instances i JOIN searchmill.executions e ON e.lease_owner = i.id
        WHERE e.ended_at IS NULL AND e.lease_until > now() GROUP BY i.id ORDER BY count(*) DESC LIMIT 1`,
    );
    return rows[0];
  }, bench.signal);
  if (!crew.some((process) => process.pid === pid)) throw new Error(`process ${pid} is none of ours`);
  process.kill(pid, 'SIGKILL');
  const killedAt = performance.now();
  await until(async () => (await pool.query(loads, [owner])).rowCount === 0 || undefined, bench.signal);
  return (performance.now() - killedAt) / SECOND;
}

async function countInstances({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ count: number }>('SELECT count(*)::integer AS count FROM searchmill.instances');
  return rows[0]?.count ?? 0;
}

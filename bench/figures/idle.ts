// The cost of a process while nothing is due: planning, reconciling, summaries, pages, notifications and metrics, all enabled.
import { MINUTE, SECOND } from '../../src/core/clock.ts';
import { freePort } from '../../test/support/free-port.ts';
import type { Bench } from '../support/bench.ts';
import { createDatabase, type Database } from '../support/database.ts';
import { atMost, type Figure, type Result } from '../support/figure.ts';
import { writeHistory } from '../support/history.ts';
import type { Jobs } from '../support/jobs.ts';
import { countCommands, describeMissing, openRedis } from '../support/redis.ts';
import { canMeasure, cpuSeconds, MEGABYTE, readMemory } from '../support/resources.ts';
import { startSearchmill } from '../support/searchmill.ts';
import { pause } from '../support/waiting.ts';

const JOBS = 50;
const WEEKS = 52;
/** Settling ends when the process has started, planned and released memory. It takes longer while the processes of the call rate start. */
const SIZES = { quick: { settlingMs: 15 * SECOND, measuredMs: 45 * SECOND }, full: { settlingMs: 90 * SECOND, measuredMs: MINUTE } };
/** Prometheus' default interval. */
const SCRAPE_EVERY_MS = 15 * SECOND;
const CPU_UNIT = '% of a core';

export const idle: Figure = {
  title: `Idle: searchmill start with ${JOBS} jobs and nothing due`,
  concurrentIn: ['quick', 'full'],
  async measure(bench) {
    if (!canMeasure()) throw new Error('CPU times and resident sizes are read from /proc, which only Linux has');
    const redisUrl = await openRedis(bench);
    const results = await Promise.all([
      ...(redisUrl === undefined ? [] : [judgeIdle(bench, 'Redis', redisUrl)]),
      judgeIdle(bench, 'Postgres', undefined),
    ]);
    const all = results.flat();
    const most = Math.max(...all.filter(({ unit }) => unit === CPU_UNIT).map(({ ours }) => ours));
    return {
      results: all,
      headline: { value: `${most.toFixed(1)} %`, caption: 'of a core while nothing is due' },
      notes: [
        `one process with all roles, pages, two targets of notifications and /metrics read each ${SCRAPE_EVERY_MS / SECOND} s; ${JOBS} jobs with ${WEEKS} published weeks each, over ${SIZES[bench.mode].measuredMs / SECOND} s`,
        ...describeMissing(redisUrl),
      ],
    };
  },
};

async function judgeIdle(bench: Bench, queue: string, redisUrl: string | undefined): Promise<Result[]> {
  const database = await createDatabase(bench);
  // Nothing is sent, because there are no problems.
  const { jobs } = await writeHistory(bench, database, { jobs: JOBS, weeks: WEEKS, webhook: 'http://127.0.0.1:9' });
  const { cpuShare, megabytes, transactions, commands } = await measureIdle(bench, database, jobs, redisUrl);
  const name = (what: string): string => `${what}, queue in ${queue}`;
  return [
    { figure: name('CPU'), ours: cpuShare, unit: CPU_UNIT, ...atMost(cpuShare, 1, ' %') },
    { figure: name('resident memory'), ours: megabytes, unit: 'MB', ...atMost(megabytes, 120, ' MB') },
    { figure: name('Postgres transactions'), ours: transactions, unit: 'per s' },
    ...(redisUrl === undefined ? [] : [{ figure: name('Redis commands'), ours: commands, unit: 'per s' }]),
  ];
}

/** CPU in percent of a core, memory in megabytes, the others per second. */
export type IdleCosts = Readonly<{ cpuShare: number; megabytes: number; transactions: number; commands: number }>;

/** The cost of one process with all roles and no work. */
export async function measureIdle(bench: Bench, database: Database, jobs: Jobs, redisUrl: string | undefined): Promise<IdleCosts> {
  const { settlingMs, measuredMs } = SIZES[bench.mode];
  const port = await freePort();
  const variables = { ...jobs.variables, OPS_PORT: String(port) };
  const service = await startSearchmill(bench, { databaseUrl: database.url, redisUrl, jobsPath: jobs.path, variables }, ['start']);
  async function scrape(ms: number): Promise<void> {
    for (let waited = 0; waited < ms; waited += SCRAPE_EVERY_MS) {
      await pause(SCRAPE_EVERY_MS, bench.signal);
      const answer = await fetch(`http://127.0.0.1:${port}/metrics`).catch((cause: unknown) => {
        throw new Error(`/metrics does not answer: ${service.errorOutput()}`, { cause });
      });
      if (!answer.ok) throw new Error(`/metrics answered ${answer.status}: ${service.errorOutput()}`);
      await answer.text();
    }
  }
  const read = async () => ({
    at: performance.now(),
    cpu: cpuSeconds(service.pid),
    transactions: await countTransactions(database),
    commands: redisUrl === undefined ? 0 : await countCommands(redisUrl),
  });
  await scrape(settlingMs);
  const before = await read();
  await scrape(measuredMs);
  const after = await read();
  if (service.hasEnded()) throw new Error(`the process ended: ${service.errorOutput()}`);
  const seconds = (after.at - before.at) / SECOND;
  return {
    cpuShare: ((after.cpu - before.cpu) / seconds) * 100,
    megabytes: (readMemory(service.pid)?.now ?? Number.NaN) / MEGABYTE,
    transactions: (after.transactions - before.transactions) / seconds,
    commands: (after.commands - before.commands) / seconds,
  };
}

export async function countTransactions({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    'SELECT xact_commit + xact_rollback AS count FROM pg_stat_database WHERE datname = current_database()',
  );
  return rows[0]?.count ?? 0;
}

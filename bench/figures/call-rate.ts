// How much of the allowed rate is used while there is work, and that it is never exceeded: tiny pages, binding limits, one to four workers, on both
// queue backends. All cases run at the same time, each with its own database and credential.

import { MINUTE, SECOND } from '../../src/core/clock.ts';
import { CALL_KINDS, type CallKind, HARD_LIMITS, RECOMMENDED_LIMITS } from '../../src/core/limits.ts';
import { count } from '../../src/core/numbers.ts';
import { registerConnections, SLOT_GAP_MS } from '../../src/ledger/call-log.ts';
import { type PageService, startPageService } from '../service/page-service.ts';
import type { Bench } from '../support/bench.ts';
import { createDatabase, type Database } from '../support/database.ts';
import { atLeast, atMost, type Figure, type Result } from '../support/figure.ts';
import { ACCOUNTS, FIRST_WEEK, type Jobs, planWeeks, weeksFrom, writeJobs } from '../support/jobs.ts';
import { describeMissing, openRedis } from '../support/redis.ts';
import { startWorkers } from '../support/searchmill.ts';
import { countBetween, maxInWindow } from '../support/statistics.ts';
import { pause, until } from '../support/waiting.ts';

/**
 * The queries need more reads than are allowed, so that loads wait for the limit. The measurement begins after a warm-up, when the processes have
 * started and loads wait. The read limits are so low that they bind, not the machine.
 */
const SIZES = {
  quick: { workers: [2], weeks: 12, limits: { submit: 20, read: 300 }, readsWanted: 2, warmUpMs: 3 * SECOND, rounds: 1 },
  full: {
    workers: [1, 2, 4],
    weeks: 60,
    limits: { submit: HARD_LIMITS.submit, read: RECOMMENDED_LIMITS.read / 2 },
    readsWanted: 2,
    warmUpMs: 20 * SECOND,
    rounds: 2,
  },
};
/** In percent. */
const MIN_SHARE = 97;

type Limits = Readonly<Record<CallKind, number>>;

export const callRate: Figure = {
  title: 'Use of the allowed rate while there is work, and the most calls in any 60 seconds',
  concurrentIn: ['quick', 'full'],
  async measure(bench) {
    const { workers: processes, weeks, limits, readsWanted, warmUpMs, rounds } = SIZES[bench.mode];
    // A burst of calls repeats when its slots are free again, so the time is a multiple of that.
    const measuredMs = rounds * SLOT_GAP_MS;
    const rowsPerQuery = Math.ceil((limits.read / limits.submit) * readsWanted);
    const service = await startPageService(bench, { rows: 'rankings', rowsPerQuery, pageSize: 1 });
    const redisUrl = await openRedis(bench);
    const queues = redisUrl === undefined ? ([undefined] as const) : [redisUrl, undefined];
    const running: { jobs: Jobs; queue: string; workers: number }[] = [];
    // Started one after another: slots that wait for slow starts would become free at the same time in every minute.
    for (const queueUrl of queues) {
      for (const workers of processes) {
        const jobs = await startCase(bench, service, { limits, workers, weeks }, queueUrl);
        running.push({ jobs, queue: queueUrl === undefined ? 'Postgres' : 'Redis', workers });
      }
    }
    await until(async () => {
      const { reads } = await service.readRecord();
      return running.every(({ jobs }) => reads[jobs.credential]) || undefined;
    }, bench.signal);
    await pause(warmUpMs, bench.signal);
    const fromMs = Date.now();
    await pause(measuredMs, bench.signal);
    const toMs = Date.now();
    const { reads, submits } = await service.readRecord();
    const used: Result[] = [];
    const most = { read: 0, submit: 0 };
    for (const { jobs, queue, workers } of running) {
      for (const kind of CALL_KINDS) {
        const times = (kind === 'read' ? reads : submits)[jobs.credential] ?? [];
        const share = (countBetween(times, fromMs, toMs) / ((limits[kind] * (toMs - fromMs)) / MINUTE)) * 100;
        const figure = `allowed ${kind}s used, ${count(workers, 'worker')}, queue in ${queue}`;
        used.push({ figure, ours: share, unit: '%', ...atLeast(share, MIN_SHARE, ' %') });
        most[kind] = Math.max(most[kind], maxInWindow(times, MINUTE));
      }
    }
    return {
      results: [
        ...used,
        ...CALL_KINDS.map((kind) => ({
          figure: `most ${kind}s in any 60 s, over all cases`,
          ours: most[kind],
          unit: 'calls',
          ...atMost(most[kind], limits[kind]),
        })),
      ],
      headline: {
        value: `${Math.min(...used.map(({ ours }) => ours)).toFixed(1)} %`,
        caption: `of the allowed calls used at least; most reads in any 60 s: ${most.read.toLocaleString('en-US')} of ${limits.read.toLocaleString('en-US')}`,
      },
      notes: [
        `limits of ${limits.read.toLocaleString('en-US')} reads and ${limits.submit} submits a minute, as the page server counted them over ${measuredMs / 1000} s; 98.4 % is the most that the ledger's margin allows, except for a call at the edges`,
        "the ledger's slots began evenly spread over a minute, as after a while of even use",
        ...describeMissing(redisUrl),
      ],
    };
  },
};

async function startCase(
  bench: Bench,
  service: PageService,
  { limits, workers, weeks }: Readonly<{ limits: Limits; workers: number; weeks: number }>,
  redisUrl: string | undefined,
): Promise<Jobs> {
  const database = await createDatabase(bench);
  const jobs = writeJobs(bench, { baseUrl: service.baseUrl, accounts: ACCOUNTS, pageSize: 1, limits });
  await registerConnections(database.pool, jobs.config.connections.values());
  await spreadSlots(database);
  await planWeeks(database, jobs, weeksFrom(FIRST_WEEK, weeks));
  await startWorkers(bench, { databaseUrl: database.url, redisUrl, jobsPath: jobs.path }, workers);
  return jobs;
}

/** Spreads the slots over the last minute. New slots are all free at once and would cause a burst in every minute. */
async function spreadSlots({ pool }: Database): Promise<void> {
  await pool.query(
    `UPDATE searchmill.call_slots s
        SET granted_at = clock_timestamp() - $1 * interval '1 millisecond' * (s.slot + 1) / (SELECT count(*) FROM searchmill.call_slots t WHERE t.kind = s.kind)`,
    [SLOT_GAP_MS],
  );
}

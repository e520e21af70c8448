// One chaos run on one queue backend: real processes against the sandbox, Postgres and Redis, a seeded plan of misfortunes,
// then calm, then the verdict.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { migrateAll } from '../../src/cli/migrate-verb.ts';
import { describeError } from '../../src/core/errors.ts';
import { HARD_LIMITS } from '../../src/core/limits.ts';
import { Secret } from '../../src/core/secret.ts';
import { addDays, lastCompleteWeek } from '../../src/core/weeks.ts';
import { DATASETS } from '../../src/datasets/index.ts';
import type { FaultPlan } from '../../src/sandbox/faults/plan.ts';
import { startSandbox } from '../../src/sandbox/server.ts';
import { createPool, type Pool } from '../../src/warehouse/pool.ts';
import { servedBy, servedTo } from '../support/row-bags.ts';
import { between, seededRandom } from './chance.ts';
import { openCrew } from './crew.ts';
import { chooseMisfortune, type Stage } from './misfortunes.ts';
import { chooseDecision, decideAll, decideOne, type OperatorOptions, reloadEverything } from './operator.ts';
import { openQuestions } from './questions.ts';
import { startChaosPostgres, startChaosRedis } from './servers.ts';
import { openProxy } from './tcp-proxy.ts';
import { findContradictions, findOtherQuestions, judge, type Verdict } from './verdict.ts';

export type ChaosOptions = Readonly<{
  backend: 'redis' | 'postgres';
  seed: number;
  /** How long misfortunes happen at the least, in milliseconds; longer until there were `minKills`. */
  stormMs: number;
  minKills: number;
  /** How long everything may take to come to rest afterwards, in milliseconds. */
  calmMs: number;
  weeks: number;
  /** Worker processes. */
  workers: number;
  /** Faults of the service while the storm lasts. */
  faults: FaultPlan | undefined;
  /**
   * The service gives answers that may be held, jobs ask for something else now and then, and an operator decides about what
   * is held; else each week must end published by itself.
   */
  needsOperator: boolean;
  /** Between two misfortunes, in milliseconds. */
  pace: Readonly<{ min: number; max: number }>;
  tell: (line: string) => void;
}>;

export type ChaosResult = Verdict &
  Readonly<{
    seed: number;
    backend: string;
    kills: number;
    misfortunes: Readonly<Record<string, number>>;
    /** Faults of the service that met a call. */
    faults: number;
    /** Weeks that the audit held, for somebody to decide. */
    held: number;
    /** Times the tables were read in the middle of it all. */
    looks: number;
    calls: number;
  }>;

const TOKENS = ['chaos-token-a', 'chaos-token-b'] as const;
const SCHEDULERS = 2;
const MOST_RELOADS = 4;
/** Small pages make many checkpoints, and so many places to be killed at. */
const PAGE_SIZE = 100;

export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const random = seededRandom(options.seed);
  const folder = mkdtempSync(join(tmpdir(), 'searchmill-chaos-run-'));
  const postgres = await startChaosPostgres();
  const redis = options.backend === 'redis' ? await startChaosRedis() : undefined;
  const sandbox = await startSandbox({ credentials: TOKENS.map((token) => ({ token })), queryMs: 700 });
  const proxies = {
    postgres: await openProxy(postgres.port),
    redis: redis && (await openProxy(redis.port)),
    service: await openProxy(Number(new URL(sandbox.url).port)),
  };
  const pool = createPool(new Secret(postgres.url), { applicationName: 'chaos driver', max: 4 });
  const through = new URL(postgres.url);
  through.port = String(proxies.postgres.port);
  const configPath = join(folder, 'jobs.config.yaml');
  const questions = openQuestions({
    path: configPath,
    servicePort: proxies.service.port,
    tokens: TOKENS,
    since: addDays(lastCompleteWeek(new Date(), 'UTC', 'sunday'), -7 * (options.weeks - 1)),
    pageSize: PAGE_SIZE,
  });
  const logPath = join(folder, 'processes.log');
  const env = {
    DATABASE_URL: through.href,
    REDIS_URL: proxies.redis ? `redis://127.0.0.1:${proxies.redis.port}` : '',
    SEARCHMILL_CONFIG: configPath,
    OPS_PORT: '0',
    LOG_LEVEL: 'info',
  };
  const posts = openCrew([...Array<'scheduler'>(SCHEDULERS).fill('scheduler'), ...Array<'worker'>(options.workers).fill('worker')], {
    logPath,
    env,
  });

  const operator = { env, tell: options.tell };

  // One thing may undo what another waits for: Redis can be gone when it should be relieved.
  const attempt = async (work: () => void | Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      options.tell(`  (${describeError(error)})`);
    }
  };
  const pending = new Map<NodeJS.Timeout, () => void | Promise<void>>();
  const stage: Stage = {
    random,
    posts,
    postgres,
    redis,
    deciding: options.needsOperator
      ? {
          changeQuestion: () => options.tell(`  ${questions.change(random)}`),
          decide: () => decideOne(pool, random, operator),
        }
      : undefined,
    proxies,
    later(ms, work) {
      const timer = setTimeout(() => {
        pending.delete(timer);
        void attempt(work);
      }, ms);
      pending.set(timer, work);
    },
  };
  const misfortunes: Record<string, number> = {};
  let kills = 0;
  let looks = 0;
  const contradictions = new Set<string>();
  let isOver = false;
  const reader = (async () => {
    while (!isOver) {
      for (const complaint of await findContradictions(pool).catch(() => [])) contradictions.add(`in the middle of the run: ${complaint}`);
      looks++;
      await delay(250);
    }
  })();

  try {
    await migrateAll(new Secret(postgres.url), redis ? new Secret('redis://unused') : undefined);
    if (options.faults) sandbox.setFaults(options.faults);
    for (const post of posts) post.start();
    const endsAt = Date.now() + options.stormMs;
    options.tell(`seed ${options.seed}, ${options.backend} queue: storm for ${Math.round(options.stormMs / 1000)} s`);
    while (Date.now() < endsAt || kills < options.minKills) {
      await delay(between(random, options.pace.min, options.pace.max));
      const misfortune = chooseMisfortune(stage);
      options.tell(`  ${misfortune.name}`);
      misfortunes[misfortune.name] = (misfortunes[misfortune.name] ?? 0) + 1;
      if (misfortune.isKill) kills++;
      await attempt(() => misfortune.strike(stage));
    }
    options.tell('calm: waiting for everything to come to rest');
    sandbox.clearFaults();
    for (const [timer, work] of pending) {
      clearTimeout(timer);
      await attempt(work);
    }
    for (const post of posts) {
      post.resume();
      post.start();
    }
    // The schedule goes on firing, so only when everybody has stopped do ledger and sandbox tell of the same moment.
    const stopAll = async (): Promise<string[]> => {
      const stops = await Promise.all(posts.map((post) => post.stop()));
      return stops.every(Boolean) ? [] : ['a process did not end by itself when asked to'];
    };
    const complaints: string[] = [];
    await waitForRest(pool, options);
    complaints.push(...(await stopAll()));
    let held = 0;
    if (options.needsOperator) {
      complaints.push(...(await judge(pool, sandbox, HARD_LIMITS, servedTo)).complaints);
      for (const post of posts) post.start();
      const decisions = seededRandom(options.seed);
      held = await decideAll(pool, () => chooseDecision(decisions), operator);
      await waitForRest(pool, options);
      complaints.push(...(await stopAll()), ...(await judge(pool, sandbox, HARD_LIMITS, servedTo)).complaints);
      questions.askForEverything();
      for (const post of posts) post.start();
      await loadEverythingAgain(pool, options, operator);
      complaints.push(...(await stopAll()), ...(await findOtherQuestions(pool)));
    }
    isOver = true;
    await reader;
    const verdict = await judge(pool, sandbox, HARD_LIMITS, servedBy);
    complaints.push(...verdict.complaints, ...contradictions);
    const faults = Object.values(sandbox.report().faults.injected).reduce((sum, { submit, poll, page }) => sum + submit + poll + page, 0);
    const calls = Object.values(sandbox.report().calls).reduce((sum, { submit, poll, page }) => sum + submit + poll + page, 0);
    if (complaints.length > 0) options.tell(`the processes' log is kept: ${logPath}`);
    else rmSync(folder, { recursive: true, force: true });
    return {
      ...verdict,
      complaints: [...new Set(complaints)],
      seed: options.seed,
      backend: options.backend,
      kills,
      misfortunes,
      faults,
      held,
      looks,
      calls,
    };
  } finally {
    isOver = true;
    for (const timer of pending.keys()) clearTimeout(timer);
    for (const post of posts) post.kill();
    await reader;
    await pool.end();
    await Promise.all([proxies.postgres.close(), proxies.redis?.close(), proxies.service.close()]);
    await sandbox.close();
    await redis?.stop();
    await postgres.stop();
  }
}

/**
 * Discards what is held and loads everything, until each week is published as its job asks for it now. What was under way
 * before may be published or held in between.
 */
async function loadEverythingAgain(pool: Pool, options: ChaosOptions, operator: OperatorOptions): Promise<void> {
  for (let round = 1; ; round++) {
    await decideAll(pool, () => 'discard', operator);
    await reloadEverything(pool, operator);
    await waitForRest(pool, options);
    const { rows: held } = await pool.query(`SELECT FROM searchmill.executions WHERE state = 'held'`);
    if (held.length + (await findOtherQuestions(pool)).length === 0) return;
    if (round === MOST_RELOADS)
      throw new Error(`after ${round} reloads weeks are held, or published as their jobs do not ask for them any more`);
  }
}

/** Until every expected week of every job is published, or held, and nothing is under way. Throws when that takes too long. */
async function waitForRest(pool: Pool, { calmMs, weeks, needsOperator, tell }: ChaosOptions): Promise<void> {
  const givesUpAt = Date.now() + calmMs;
  for (let told = ''; ; ) {
    const { rows } = await pool.query<{ state: string; weeks: number }>(
      `SELECT state, count(*)::integer AS weeks FROM searchmill.coverage WHERE is_expected GROUP BY 1 ORDER BY 1`,
    );
    const { rows: live } = await pool.query<{ live: number }>(
      `SELECT count(*)::integer AS live FROM searchmill.executions WHERE ended_at IS NULL AND state <> 'held' AND reason NOT IN ('newest', 'lookback')`,
    );
    const now = `${rows.map((row) => `${row.weeks} ${row.state}`).join(', ')}; ${live[0]?.live ?? 0} older loads under way`;
    if (now !== told) tell(`  ${now}`);
    told = now;
    const resting = rows.filter(({ state }) => state === 'published' || (needsOperator && state === 'held'));
    if (resting.length === rows.length && rows.reduce((sum, row) => sum + row.weeks, 0) === weeks * DATASETS.length && live[0]?.live === 0)
      return;
    if (Date.now() > givesUpAt) throw new Error(`no rest after ${Math.round(calmMs / 1000)} s: ${now}`);
    await delay(500);
  }
}

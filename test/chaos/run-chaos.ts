// One chaos run on one queue backend: real processes against the sandbox, Postgres and Redis, a seeded plan of disruptions,
// then calm, then the verdict.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { FaultPlan } from '../../sandbox/faults/plan.ts';
import { startSandbox } from '../../sandbox/server.ts';
import { migrateAll } from '../../src/cli/migrate-verb.ts';
import { describeError } from '../../src/core/errors.ts';
import { HARD_LIMITS } from '../../src/core/limits.ts';
import { Secret } from '../../src/core/secret.ts';
import { addDays, lastCompleteWeek } from '../../src/core/weeks.ts';
import { createPool } from '../../src/postgres/pool.ts';
import { servedBy, servedTo } from '../support/row-bags.ts';
import { until } from '../support/wait.ts';
import { between, seededRandom } from './chance.ts';
import { openCompany } from './company-network.ts';
import { openCrew, type Post, type UnaskedEnd } from './crew.ts';
import { chooseDisruption, LONG_PAUSE } from './disruptions.ts';
import { Hands } from './hands.ts';
import { Logins } from './logins.ts';
import { lookOn } from './onlooker.ts';
import { chooseDecision, decideAll, decideOne } from './operator.ts';
import { type Freeze, Prober } from './prober.ts';
import { openQuestions } from './questions.ts';
import { readTables } from './reader.ts';
import { type RedisKind, startRedisOfKind } from './redis-kinds.ts';
import { loadEverythingAgain, waitForRest } from './rest.ts';
import { findPorts, startChaosCitus, startChaosPostgres } from './servers.ts';
import type { Stage } from './stage.ts';
import { openProxies, openProxy } from './tcp-proxy.ts';
import { findOtherQuestions, judge, type Verdict } from './verdict.ts';

export type ChaosOptions = Readonly<{
  backend: 'redis' | 'postgres';
  redis?: RedisKind;
  /** On a Citus cluster of three nodes. */
  isOnCitus?: boolean;
  seed: number;
  /** How long disruptions happen at the least, in milliseconds; longer until there were `minKills`. */
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
  /** Between two disruptions, in milliseconds. */
  pace: Readonly<{ min: number; max: number }>;
  /** Complains of a process that does not answer for so long, or takes so much memory, if given. */
  most: Readonly<{ freezeMs: number; rssMb: number }> | undefined;
  tell: (line: string) => void;
}>;

export type ChaosResult = Verdict &
  Readonly<{
    seed: number;
    backend: string;
    kills: number;
    disruptions: Readonly<Record<string, number>>;
    /** Faults of the service that met a call. */
    faults: number;
    /** Weeks that the audit held, for somebody to decide. */
    held: number;
    /** Times the tables were read in the middle of it all. */
    looks: number;
    calls: number;
    /** Processes that did not answer for longer than allowed; the longest, whether allowed or not; and how often they were asked. */
    freezes: readonly Freeze[];
    longestFreezeMs: number;
    probes: number;
    peakRssMb: Readonly<Record<string, number>>;
    /** Processes that ended though nobody had asked them to. */
    unaskedEnds: number;
    /** Most loads that stood still at once, and times that status did not tell. */
    mostStanding: number;
    statusReads: number;
    statusContradictions: number;
  }>;

const TOKENS = ['chaos-token-a', 'chaos-token-b'] as const;
const SCHEDULERS = 2;
/** A process that ended is started anew after this, as its operator would. */
const RESTART_AFTER_MS = 1_000;
/** After one of the stores went away, a process may find it gone when it begins, and end. */
const STORE_PROBLEM_MS = 75_000;

export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const random = seededRandom(options.seed);
  const folder = mkdtempSync(join(tmpdir(), 'searchmill-chaos-run-'));
  const postgres = await (options.isOnCitus ? startChaosCitus() : startChaosPostgres());
  const redis = options.backend === 'redis' ? await startRedisOfKind(options.redis ?? 'single') : undefined;
  const sandbox = await startSandbox({ credentials: TOKENS.map((token) => ({ token })), queryMs: 700 });
  const proxies = {
    postgres: await openProxy(postgres.port),
    redis: redis && (await openProxies(redis.ports)),
    service: await openProxy(Number(new URL(sandbox.url).port)),
  };
  const company = await openCompany(folder, proxies.service.port);
  const pool = createPool(new Secret(postgres.url), { applicationName: 'chaos driver', max: 4 });
  const through = new URL(postgres.url);
  through.port = String(proxies.postgres.port);
  const configPath = join(folder, 'jobs.config.yaml');
  const questions = openQuestions({
    path: configPath,
    tokens: TOKENS,
    baseUrls: [`http://127.0.0.1:${proxies.service.port}`, company.baseUrl],
    since: addDays(lastCompleteWeek(new Date(), 'UTC', 'sunday'), -7 * (options.weeks - 1)),
  });
  const complaints: string[] = [];
  const logins = new Logins(postgres.url, through.href, (complaint) => complaints.push(complaint));
  const env = {
    // Asked for with each start of a process.
    get DATABASE_URL() {
      return logins.address;
    },
    REDIS_URL: redis?.urlThrough((port) => proxies.redis?.portFor(port) ?? port) ?? '',
    SEARCHMILL_CONFIG: configPath,
    ...company.env,
    SEARCHMILL_COMMAND: 'searchmill',
    LOG_LEVEL: 'info',
  };
  let unaskedEnds = 0;
  let storeProblemUntilMs = 0;
  const onUnaskedEnd = (post: Post, { code, signal, isReady }: UnaskedEnd): void => {
    if (!isReady && code === 1 && performance.now() < storeProblemUntilMs) options.tell(`  ${post.name} found a store away and ended`);
    else {
      unaskedEnds++;
      complaints.push(`${post.name} ended by itself with ${signal ?? code} at ${new Date().toISOString()}:\n${post.lastLines(5)}`);
      options.tell(`  ${post.name} ended by itself with ${signal ?? code}`);
    }
    stage.later(RESTART_AFTER_MS, () => post.start());
  };
  const roles = [...Array<'scheduler'>(SCHEDULERS).fill('scheduler'), ...Array<'worker'>(options.workers).fill('worker')];
  const posts = openCrew({ roles, opsPorts: await findPorts(roles.length), folder, env, onUnaskedEnd });
  const operator = { env, tell: options.tell };

  // One disruption may undo what another waits for: Redis can be gone when it should be relieved.
  const attempt = async (work: () => void | Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      options.tell(`  (${describeError(error)})`);
    }
  };
  const pending = new Map<NodeJS.Timeout, () => void | Promise<void>>();
  // Triggers cannot be put on the tables of a cluster.
  const hands = options.needsOperator || options.isOnCitus ? undefined : new Hands(pool, options.tell);
  const stage: Stage = {
    random,
    posts,
    postgres,
    redis,
    passNamesRound: options.needsOperator ? undefined : () => options.tell(`  ${questions.passNamesRound(random)}`),
    deciding: options.needsOperator
      ? {
          changeQuestion: () => options.tell(`  ${questions.change(random)}`),
          decide: () => decideOne(pool, random, operator),
        }
      : undefined,
    logins: options.isOnCitus ? undefined : logins,
    hands,
    proxies: { ...proxies, company: company.proxy },
    later(ms, work) {
      const timer = setTimeout(() => {
        pending.delete(timer);
        void attempt(work);
      }, ms);
      pending.set(timer, work);
    },
  };
  const disruptions: Record<string, number> = {};
  let kills = 0;
  const expected = () => {
    const { [LONG_PAUSE]: pauses = 0 } = disruptions;
    return { limits: HARD_LIMITS, pauses };
  };
  let isOver = false;
  const reader = readTables(pool, { isOnCitus: options.isOnCitus === true, hands }, () => isOver);
  const onlooker = lookOn(pool, { ...operator, env: { ...env, DATABASE_URL: postgres.url } }, () => isOver);
  const prober = await Prober.open(posts, options.most?.freezeMs ?? Number.POSITIVE_INFINITY);

  try {
    await migrateAll(new Secret(postgres.url), redis ? new Secret('redis://unused') : undefined);
    await postgres.complete();
    if (options.faults) sandbox.setFaults(options.faults);
    for (const post of posts) post.start();
    const endsAt = Date.now() + options.stormMs;
    options.tell(
      `seed ${options.seed}, ${options.backend} queue${redis ? ` (${redis.kind})` : ''}: storm for ${Math.round(options.stormMs / 1000)} s`,
    );
    while (Date.now() < endsAt || kills < options.minKills) {
      await delay(between(random, options.pace.min, options.pace.max));
      const disruption = chooseDisruption(stage);
      options.tell(`  ${disruption.name}`);
      disruptions[disruption.name] = (disruptions[disruption.name] ?? 0) + 1;
      if (disruption.isKill) kills++;
      if (/Postgres|Redis|FLUSHALL/.test(disruption.name)) storeProblemUntilMs = performance.now() + STORE_PROBLEM_MS;
      await attempt(() => disruption.strike(stage));
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
      // A process that is told to end while it starts finishes that first, and on a busy machine it is killed for it.
      await until('all processes to answer', () => posts.every(({ isReady }) => isReady), options.calmMs);
      const stops = await Promise.all(posts.map((post) => post.stop()));
      return stops.every(Boolean) ? [] : ['a process did not end by itself when asked to'];
    };
    await hands?.takeOff();
    await waitForRest(pool, { ...options, hands });
    if (hands) {
      // In the storm there may have been nothing yet to delete.
      for (let times = 0; times < 2; times += 1) await hands.deleteRows(random);
      complaints.push(...(await hands.mend(operator)));
      await waitForRest(pool, options);
    }
    complaints.push(...(await stopAll()));
    let held = 0;
    if (options.needsOperator) {
      complaints.push(...(await judge(pool, sandbox, expected(), servedTo)).complaints);
      for (const post of posts) post.start();
      const decisions = seededRandom(options.seed);
      held = await decideAll(pool, () => chooseDecision(decisions), operator);
      await waitForRest(pool, options);
      complaints.push(...(await stopAll()), ...(await judge(pool, sandbox, expected(), servedTo)).complaints);
      questions.askForEverything();
      for (const post of posts) post.start();
      await loadEverythingAgain(pool, options, operator);
      complaints.push(...(await stopAll()), ...(await findOtherQuestions(pool)));
    }
    isOver = true;
    const { looks, contradictions } = await reader;
    const { freezes, longestFreezeMs, probes, peakRssMb } = prober.stop();
    for (const { post, at, ms, lastLine } of freezes) complaints.push(`${post} did not answer for ${ms} ms until ${at}, after ${lastLine}`);
    for (const [post, mb] of Object.entries(peakRssMb)) {
      if (mb > (options.most?.rssMb ?? Number.POSITIVE_INFINITY)) complaints.push(`${post} took ${mb} MB of memory`);
    }
    const { contradictions: untold, mostStanding, statusReads } = await onlooker;
    complaints.push(...untold);
    const verdict = await judge(pool, sandbox, expected(), servedBy);
    complaints.push(...verdict.complaints, ...contradictions);
    const faults = Object.values(sandbox.report().faults.injected).reduce((sum, { submit, poll, page }) => sum + submit + poll + page, 0);
    const calls = Object.values(sandbox.report().calls).reduce((sum, { submit, poll, page }) => sum + submit + poll + page, 0);
    if (complaints.length > 0) options.tell(`the logs of the processes are kept: ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
    return {
      ...verdict,
      complaints: [...new Set(complaints)],
      seed: options.seed,
      backend: options.backend,
      kills,
      disruptions,
      faults,
      held,
      looks,
      calls,
      freezes,
      longestFreezeMs,
      probes,
      peakRssMb,
      unaskedEnds,
      mostStanding,
      statusReads,
      statusContradictions: untold.length,
    };
  } finally {
    isOver = true;
    prober.stop();
    for (const timer of pending.keys()) clearTimeout(timer);
    for (const post of posts) post.kill();
    await Promise.all([reader, onlooker]);
    await pool.end();
    await Promise.all([proxies.postgres.close(), proxies.redis?.close(), company.close(), proxies.service.close()]);
    await sandbox.close();
    await redis?.stop();
    await postgres.stop();
  }
}

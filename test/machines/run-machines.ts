// Loads on machines that are far from each other, whose cables lose packets and are cut, and whose clocks differ; then calm, and the verdict of the
// chaos driver. Runs in the namespace of the service, which this process serves.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startSandbox } from '../../sandbox/server.ts';
import { migrateAll } from '../../src/cli/migrate-verb.ts';
import { Secret } from '../../src/core/secret.ts';
import { addDays, lastCompleteWeek } from '../../src/core/weeks.ts';
import { DATASETS } from '../../src/datasets/index.ts';
import { createPool, type Pool } from '../../src/postgres/pool.ts';
import { pick, seededRandom } from '../chaos/chance.ts';
import { Post, type Role } from '../chaos/crew.ts';
import { waitForRest } from '../chaos/rest.ts';
import { findContradictions, judge } from '../chaos/verdict.ts';
import { findBrokenInvariants } from '../support/invariants.ts';
import { servedBy } from '../support/row-bags.ts';
import { until } from '../support/wait.ts';
import { layCables } from './cables.ts';
import { addressOfServer, type Machine, type Names, PORTS, partition, SERVERS, within } from './network.ts';
import { startPostgres, startRedis } from './servers.ts';

export type MachinesOptions = Readonly<{
  names: Names;
  machines: readonly Machine[];
  folder: string;
  seed: number;
  weeks: number;
  queue: 'redis' | 'postgres';
  tell: (line: string) => void;
}>;

const CLOCK = fileURLToPath(new URL('shifted-clock.mjs', import.meta.url));
const TAKEOVER_SECONDS = 20;
/** Longer than a lease, and than it takes others to notice. */
const CUT_MS = (TAKEOVER_SECONDS + 3) * 1000;
const BETWEEN_CUTS_MS = 4_000;
const CALM_MS = 10 * 60_000;
const TOKENS = ['machines-token-a', 'machines-token-b'] as const;
/** Few, so that loads wait for them all the time. */
const LIMITS = { submit: 12, read: 1_500 } as const;
/** Small, slow pages make loads that last, and many places to be cut at. */
const PAGE_SIZE = 10;
const PAGE_MS = 250;
const LEAST_UNDER_WAY = 3;
/** Loads of a process at once; each may read a page of which another process reads the same when its machine is cut off. */
const CONCURRENCY = 16;
const ROLES: readonly Role[] = ['scheduler', 'worker', 'worker'];

/** Returns sentences about what does not hold. */
export async function runMachines({ names, machines, folder, seed, weeks, queue, tell }: MachinesOptions): Promise<string[]> {
  const random = seededRandom(seed);
  const complaints: string[] = [];
  const { url } = await startPostgres(names.of('postgres'), folder);
  const redisUrl = queue === 'redis' ? await startRedis(names.of('redis'), folder) : '';
  layCables(names, machines);
  const sandbox = await startSandbox({
    host: addressOfServer('service'),
    port: PORTS.service,
    credentials: TOKENS.map((token) => ({ token })),
    queryMs: 700,
    pageMs: PAGE_MS,
    limits: LIMITS,
  });
  const configPath = join(folder, 'jobs.config.yaml');
  writeJobs(configPath, sandbox.url, weeks);
  await migrateAll(new Secret(url), redisUrl ? new Secret(redisUrl) : undefined);
  const pool = createPool(new Secret(url), { applicationName: 'machines driver', max: 4 });
  const posts = machines.flatMap(({ name, clockShiftMs }) =>
    ROLES.map((role, place) => {
      const post: Post = new Post({
        name: `${name}-${role}-${place}`,
        role,
        opsPort: 9464 + place,
        env: {
          DATABASE_URL: url,
          REDIS_URL: redisUrl,
          SEARCHMILL_CONFIG: configPath,
          SEARCHMILL_TAKEOVER_SECONDS: String(TAKEOVER_SECONDS),
          NODE_OPTIONS: `--import=${CLOCK}`,
          CLOCK_SHIFT_MS: String(clockShiftMs),
        },
        within: within(names.of(name)),
        logPath: join(folder, `${name}-${role}-${place}.log`),
        onUnaskedEnd: (ended, { code, signal }) => {
          const last = ended.lastLines(1);
          // A process that begins while a server is out of reach, or whose session was ended, says so and ends; its operator starts it anew.
          const isForgiven = code === 1 && performance.now() < forgivenUntilMs && /cannot be reached|terminating connection/.test(last);
          tell(`  ${ended.name} ended with ${signal ?? code}: ${last}`);
          if (!isForgiven) complaints.push(`${ended.name} ended by itself with ${signal ?? code}:\n${ended.lastLines(5)}`);
          setTimeout(() => post.start(), 1_000);
        },
      });
      return post;
    }),
  );
  let forgivenUntilMs = 0;
  let isOver: boolean = false;
  const contradictions = new Set<string>();
  const reader = (async () => {
    while (!isOver) {
      for (const complaint of await findContradictions(pool)) contradictions.add(`in the middle of the run: ${complaint}`);
      await delay(500);
    }
  })();
  for (const post of posts) post.start();
  let cuts = 0;
  for (const [turn, server] of [...SERVERS, ...SERVERS].entries()) {
    if (server === 'redis' && queue === 'postgres') continue;
    await delay(BETWEEN_CUTS_MS);
    const victim = pick(random, posts);
    tell(`  kill -9 of ${victim.name}`);
    victim.kill();
    setTimeout(() => victim.start(), 2_000);
    await delay(BETWEEN_CUTS_MS);
    // Each server from two machines in the end.
    const index = (turn + (turn >= SERVERS.length ? 1 : 0)) % machines.length;
    const machine = machines[index];
    if (!machine) continue;
    cuts++;
    forgivenUntilMs = performance.now() + 2 * CUT_MS;
    const live = await until('loads to be under way', async () => {
      const underWay = await countUnderWay(pool);
      return underWay >= LEAST_UNDER_WAY && underWay;
    });
    tell(`  ${machine.name} does not reach ${server} for ${CUT_MS / 1000} s; ${live} loads are under way`);
    partition(names, { index, machine, server }, true);
    await delay(CUT_MS);
    partition(names, { index, machine, server }, false);
  }
  tell('calm: waiting for everything to come to rest');
  await waitForRest(pool, { calmMs: CALM_MS, weeks, needsOperator: false, tell });
  const stops = await Promise.all(posts.map((post) => post.stop()));
  if (!stops.every(Boolean)) complaints.push('a process did not end by itself when asked to');
  isOver = true;
  await reader;
  const pauses = cuts * ROLES.length * CONCURRENCY;
  const verdict = await judge(pool, sandbox, { limits: LIMITS, pauses }, servedBy);
  complaints.push(...verdict.complaints, ...contradictions, ...(await findBrokenInvariants(pool)));
  const { violations, peaks } = sandbox.report();
  tell(JSON.stringify({ ...verdict, complaints: complaints.length, cuts, peaks, parallelPages: violations.parallelPages }));
  await pool.end();
  await sandbox.close();
  return [...new Set(complaints)];
}

async function countUnderWay(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ live: number }>(
    "SELECT count(*)::integer AS live FROM searchmill.executions WHERE state = 'loading'",
  );
  return rows[0]?.live ?? 0;
}

/** All seven datasets; the newest week is read again every other minute. */
function writeJobs(path: string, baseUrl: string, weeks: number): void {
  const since = addDays(lastCompleteWeek(new Date(), 'UTC', 'sunday'), -7 * (weeks - 1));
  const limits = { submits_per_minute: LIMITS.submit, reads_per_minute: LIMITS.read };
  const connections = TOKENS.map((token, index) => [`c${index}`, { base_url: baseUrl, allow_http: true, auth: { token }, limits }]);
  const schedule = { cron: '*/2 * * * *', timezone: 'UTC' };
  const jobs = DATASETS.map(({ name }, index) => ({
    name: name.replaceAll('_', '-'),
    dataset: name,
    connection: `c${index % TOKENS.length}`,
  }));
  const defaults = { account_id: 12345, since, lookback_weeks: 1, page_size: PAGE_SIZE, max_submits: 100, schedule };
  // JSON is YAML.
  writeFileSync(path, JSON.stringify({ connections: Object.fromEntries(connections), defaults, jobs }));
}

// Processes of this release and of a next one, side by side on one ledger, with a migration between and loads under way all the time.
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { addDays } from '../../../src/core/weeks.ts';
import { runCli } from '../../support/command-line.ts';
import { asLogin } from '../../support/database-access.ts';
import { buildNextRelease, NEXT_MIGRATION, removeNextReleases } from '../../support/next-release.ts';
import { ensureBuilt, killPrograms, type Program, runMain, startMain, startProgram } from '../../support/program.ts';
import { expectExactlyServed } from '../../support/served-rows.ts';
import { createTestStack, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';
import { jobsSince, newestWeek } from '../../support/weekly-jobs.ts';

const NEWEST = newestWeek();
const WEEKS = 4;
const JOBS = jobsSince(
  addDays(NEWEST, -7 * (WEEKS - 1)),
  {
    rankings: 'keyword_rankings',
    citations: 'ai_search_citations',
    'fan-out': 'ai_search_fan_out',
  },
  'page_size: 50',
);
const SLICES = 3 * WEEKS;
const WRITER = `test_upgrade_${randomBytes(4).toString('hex')}`;

const SCHEDULER = ['start', '--role', 'scheduler'];
/** Loads that a worker has at once. */
const AT_ONCE = 2;
const WORKER = ['start', '--role', 'worker', '--concurrency', String(AT_ONCE)];

let next: string;
beforeAll(async () => {
  await ensureBuilt();
  next = await buildNextRelease();
});
afterAll(removeNextReleases);

type Line = Readonly<{ level: string; msg: string }>;
const linesOf = (programs: readonly Program[]): Line[] =>
  programs.flatMap(({ stdout }) =>
    stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Line),
  );
const published = (...programs: Program[]): number => linesOf(programs).filter(({ msg }) => msg === 'published').length;

describe('an upgrade while loads are under way', () => {
  let stack: TestStack;
  afterEach(async () => {
    await killPrograms();
    await stack.pool.query(`DROP OWNED BY ${WRITER}; DROP ROLE ${WRITER}`);
    await stack.close();
  });

  it('goes on in both releases, loses nothing and doubles nothing', async () => {
    // With the queue in Postgres, its tables are made by one release and used by both.
    const queue = { kind: 'postgres', redisUrl: undefined } as const;
    stack = await createTestStack({ queue, jobs: JOBS, sandbox: { pageMs: 20 } });
    await stack.pool.query(`CREATE ROLE ${WRITER} LOGIN PASSWORD 'test'; GRANT searchmill_writer TO ${WRITER}`);
    const env = { ...stack.env, DATABASE_URL: asLogin(stack.databaseUrl, WRITER) };
    const startOld = (...args: string[]): Program => startProgram(args, env);
    const startNew = (...args: string[]): Program => startMain(next, args, { env });
    const resume = async (job: string): Promise<void> => expect(await runCli(['resume', job], { env })).toMatchObject({ code: 0 });
    const loadsOf = (program: Program): Promise<{ id: number }[]> =>
      stack.read(
        `SELECT e.id FROM searchmill.executions e JOIN searchmill.instances i ON i.id = e.lease_owner
          WHERE i.pid = $1 AND e.state = 'loading' AND e.pages > 1 AND e.ended_at IS NULL`,
        [program.pid],
      );
    const stop = async (program: Program): Promise<void> => {
      program.send('SIGTERM');
      expect(await program.ended).toEqual({ code: 0, signal: null });
    };

    const oldScheduler = startOld(...SCHEDULER);
    const refused = await runMain(next, ['start'], env);
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`the database lacks ${NEXT_MIGRATION}, views_and_functions`) as string,
    });
    await until('all weeks to be planned', async () => (await stack.read('SELECT id FROM searchmill.executions')).length === SLICES);
    const paused = await Promise.all(['rankings', 'citations', 'fan-out'].map((job) => startOld('pause', job).ended));
    expect(paused).toMatchObject([{ code: 0 }, { code: 0 }, { code: 0 }]);

    // Both work, and one dies when the ledger has just changed under it.
    const [oldWorker, mortal] = [startOld(...WORKER), startOld(...WORKER)];
    // A process that came much later would find all loads taken.
    for (const worker of [oldWorker, mortal]) await worker.says(/"msg":"started"/);
    expect(await startOld('resume', 'rankings').ended).toMatchObject({ code: 0 });
    await until('loads by both', async () => (await loadsOf(oldWorker)).length > 0 && (await loadsOf(mortal)).length > 0);
    const begun = await loadsOf(mortal);
    const migrated = await runMain(next, ['migrate'], { ...env, DATABASE_URL: stack.databaseUrl });
    expect(migrated).toMatchObject({ code: 0, stdout: expect.stringContaining(NEXT_MIGRATION) as string });
    // A process may hold a table at that moment: then it says so, waits, and goes on.
    const said = migrated.stderr.split('\n').filter((line) => line !== '' && !/ waits for .*; it tries again for \d+ s$/.test(line));
    expect(said).toEqual([]);
    mortal.send('SIGKILL');
    await mortal.ended;

    const [newScheduler, newWorker] = [startNew(...SCHEDULER), startNew(...WORKER)];
    await newWorker.says(/"msg":"started"/);
    // What waiting for 20 s would do.
    await stack.pool.query(
      `UPDATE searchmill.executions e SET lease_until = now() FROM searchmill.instances i WHERE i.id = e.lease_owner AND i.pid = $1`,
      [mortal.pid],
    );
    // Otherwise the quicker of the two processes might take all loads.
    const resumeFor = async (job: string, loader: Program, other: Program): Promise<void> => {
      const before = published(loader);
      other.send('SIGSTOP');
      await resume(job);
      await until('a load of its own', async () => (await loadsOf(loader)).length > 0 || published(loader) > before);
      other.send('SIGCONT');
    };
    await resumeFor('citations', newWorker, oldWorker);
    await until('a load by the newer release', () => published(newWorker) > 0);

    // Its supervisor starts it again, on a ledger newer than itself.
    await stop(oldWorker);
    const again = startOld(...WORKER);
    await again.says(/"msg":"started"/);
    await resumeFor('fan-out', again, newWorker);
    await until('loads by the older release', () => published(again) > 0);
    await Promise.all([again, oldScheduler].map(stop));
    await until(
      'all weeks',
      async () => (await stack.read('SELECT id FROM searchmill.slices WHERE published_at IS NOT NULL')).length === SLICES,
    );
    await stack.settle();
    // Asked while they run: of the others none may have been seen for a minute.
    expect(JSON.parse((await runCli(['status', '--json'], { env })).out)).toMatchObject({
      problems: [],
      verdict: { kind: 'well', published: SLICES },
    });
    await Promise.all([newScheduler, newWorker].map(stop));
    const programs = [oldScheduler, oldWorker, mortal, again, newScheduler, newWorker];
    expect(programs.map(({ stderr }) => stderr).join('')).toBe('');
    const remarkable = linesOf(programs).filter(({ level }) => level !== 'info');
    expect(remarkable).toEqual([]);

    expect(await expectExactlyServed(stack)).toHaveLength(SLICES);
    expect(
      await stack.read("SELECT FROM searchmill.executions WHERE id = ANY($1) AND state <> 'published'", [begun.map(({ id }) => id)]),
    ).toEqual([]);
    const { submits, violations } = stack.sandbox.report();
    expect(submits).toHaveLength(SLICES);
    expect(violations).toMatchObject({ parallelPages: 0, overLimit: 0 });
    // Of each load that the killed one had, the page that was on its way is asked for again.
    expect(violations.repeatedPages).toBeLessThanOrEqual(AT_ONCE);
    expect(await runCli(['reports', 'check'], { env })).toMatchObject({ code: 0 });
  });
});

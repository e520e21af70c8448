// cancel, pause, resume and enabled as an operator uses them: the built program, and the service beside it.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { addDays, lastCompleteWeek } from '../../../src/core/weeks.ts';
import { type CommandLineOptions, type CommandLineResult, runCli } from '../../support/command-line.ts';
import { ensureBuilt, killPrograms, runProgram, startProgram } from '../../support/program.ts';
import { expectExactlyServed } from '../../support/served-rows.ts';
import { createTestStack, describeOnOneQueue, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';

const NEWEST = lastCompleteWeek(new Date(), 'UTC', 'sunday');
const WEEKS = 184;
const FIRST = addDays(NEWEST, -7 * (WEEKS + 3));

const jobsFile = (jobs: string, limits = 'hard'): string => `
connections:
  main: { base_url: "\${SANDBOX_URL}", auth: { token: stack-token }, limits: ${limits} }
  other: { base_url: "\${SANDBOX_URL}", auth: { api_key: stack-key, shared_secret: stack-shared-secret }, limits: hard }
# Fires when a week is over, so that the newest complete week is expected on whatever day the test runs.
defaults: { account_id: 12345, connection: main, since: ${addDays(NEWEST, -7)}, schedule: { cron: "0 0 * * 0", timezone: UTC }, lookback_weeks: 0 }
jobs:
${jobs}`;
const RANKINGS = '  - { name: rankings, dataset: keyword_rankings, page_size: 50 }\n';

/** Calls that are refused, and what is said. */
const REFUSED: readonly (readonly [string, string])[] = [
  ['cancel ranking', 'the ledger has no job "ranking"; did you mean "rankings"?'],
  ['cancel rankings --from 2026-01-01', '--from and --to must be used together'],
  ['cancel rankings --from 2026-02-01 --to 2026-01-01', 'is before --from'],
  ['pause ranking', 'there is no job or connection "ranking"; did you mean "rankings"?'],
  ['pause main --job', 'there is no job "main"'],
  ['resume rankings --job --connection', 'cannot be used with'],
  [`pause rankings --reason ${'x'.repeat(201)}`, 'at most 200 characters'],
];

let stack: TestStack;
const cli = (args: string, options: CommandLineOptions = {}): Promise<CommandLineResult> =>
  runCli(args.split(' '), { ...options, env: { ...stack.env, ...options.env } });
const states = async (): Promise<Record<string, number>> =>
  Object.fromEntries(
    (await stack.read<{ state: string; n: number }>('SELECT state, count(*)::integer AS n FROM searchmill.executions GROUP BY state')).map(
      ({ state, n }) => [state, n],
    ),
  );
const submits = (): number => stack.sandbox.report().submits.length;
const calls = (): number =>
  Object.values(stack.sandbox.report().calls).reduce((sum, { submit, poll, page }) => sum + submit + poll + page, 0);

beforeAll(ensureBuilt);
afterEach(() => stack.close());
afterAll(killPrograms);

describeOnOneQueue('loads that were started by mistake', (queue) => {
  it('are cancelled: a backfill over three years, stopped by SIGHUP', async () => {
    const limits = '{ submits_per_minute: 4 }';
    stack = await createTestStack({ queue, jobs: jobsFile(RANKINGS, limits), hasAmpleBudget: false, sandbox: { size: 'tiny' } });
    stack.sandbox.setFaults({ rules: [{ fault: { kind: 'stuck' } }] });
    const span = ['--from', FIRST, '--to', addDays(FIRST, 7 * WEEKS - 1)];
    const backfill = startProgram(['backfill', 'rankings', ...span], stack.env);
    await until('the allowed submits', async () => (await states()).in_progress === 4);
    backfill.send('SIGHUP');
    expect(await backfill.ended).toEqual({ code: 1, signal: null });
    expect(await stack.read('SELECT id FROM searchmill.instances')).toEqual([]);
    expect(await states()).toEqual({ planned: WEEKS - 4, in_progress: 4 });

    const { code, stdout } = await runProgram(['cancel', 'rankings', ...span], stack.env);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `Cancelled 184 loads of rankings: 180 planned, 4 in progress.\n184 weeks from before ${addDays(NEWEST, -7)} are not planned again.\n`,
    });
    expect(await states()).toEqual({ cancelled: WEEKS });
    // A scheduler has nothing to do with those weeks; the two that it expects are its own.
    stack.sandbox.clearFaults();
    // Not the connection whose submits are spent.
    const jobs = stack.config.jobs.map((job) => ({ ...job, connection: 'other' }));
    const service = await stack.start({ config: { ...stack.config, jobs } });
    await service.planNow();
    await stack.settle();
    expect(await states()).toEqual({ cancelled: WEEKS, published: 2 });
    expect((await cli('status')).out).toMatch(/^All is well\.\n2 of 2 expected weeks published, 0 loads under way/);
  });

  it('are planned again when the schedule next fires, or when somebody says run', async () => {
    stack = await createTestStack({ queue, jobs: jobsFile(RANKINGS), sandbox: { size: 'tiny' } });
    stack.sandbox.setFaults({ rules: [{ fault: { kind: 'stuck' } }] });
    const service = await stack.start();
    await until('both queries', async () => (await states()).in_progress === 2);
    const { code, out } = await cli('cancel rankings');
    expect(code).toBe(0);
    expect(out).toMatch(
      /^Cancelled 2 loads of rankings: 2 in progress\.\n2 expected weeks missing: planned again when the schedule fires, in .*, or now by "searchmill run rankings"\.\n$/,
    );
    await service.planNow();
    expect(await states()).toEqual({ cancelled: 2 });
    const status = await cli('status rankings');
    expect(status.out).toMatch(/! rankings: 2 weeks missing, cancelled by hand \d+ (s|min) ago, /);
    expect(status.out).toMatch(new RegExp(`^${NEWEST} +missing +- +never +cancelled by hand$`, 'm'));
    await service.stop();
    stack.sandbox.clearFaults();
    expect(await cli('run rankings')).toMatchObject({ code: 0, out: expect.stringContaining('Published 2 windows') as string });
    await expectExactlyServed(stack);
  });

  it('are not cancelled for an unknown job, half a span, or a span that ends before it begins', async () => {
    stack = await createTestStack({ queue, jobs: jobsFile(RANKINGS), sandbox: { size: 'tiny' } });
    await cli('run rankings');
    for (const [args, message] of REFUSED)
      expect(await cli(args), args).toMatchObject({ code: 2, out: '', err: expect.stringContaining(message) as string });
  });
});

describeOnOneQueue('a job that is paused', (queue) => {
  it('stops within seconds in every process, while others go on, and continues where it stopped', async () => {
    const jobs = `${RANKINGS}  - { name: brands, dataset: ai_search_brands, connection: other }\n`;
    stack = await createTestStack({ queue, jobs: jobsFile(jobs), sandbox: { pageMs: 50 } });
    const service = await stack.start({ leaseMs: 2_000 });
    await until('a load', async () => (await stack.read('SELECT FROM searchmill.executions WHERE pages > 3')).length > 0);
    const reason = 'the\u001b[31m account\nis being moved';
    const paused = await runCli(['pause', 'rankings', '--reason', reason], { env: stack.env });
    expect(paused).toMatchObject({ code: 0, out: expect.stringContaining('(the [31m account is being moved)') as string });
    const atWork = `SELECT FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
                     WHERE s.job = 'rankings' AND (lease_until IS NOT NULL OR state = 'staged')`;
    await until('rankings to be left', async () => (await stack.read(atWork)).length === 0);
    await until(
      'brands',
      async () => (await stack.read(`SELECT FROM searchmill.coverage WHERE job = 'brands' AND state = 'published'`)).length === 2,
    );
    const asked = calls();
    await service.planNow();
    await stack.emptyQueue();
    expect(await cli('run rankings')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/job "rankings" has been paused since .*; "searchmill resume rankings --job" ends it/) as string,
    });
    expect(await cli(`backfill rankings --from ${FIRST} --to ${FIRST}`)).toMatchObject({ code: 2 });
    expect(await cli('run')).toMatchObject({ code: 0, err: expect.stringContaining('note: rankings has been paused since') as string });
    const status = await cli('status');
    expect(status.out).toMatch(/^Paused by hand, at least in part: see below\./);
    expect(status.out).toMatch(
      /^ {2}- job rankings has been paused by hand for \d+ (s|min): the \[31m account is being\n {4}moved\n {4}> searchmill resume rankings --job/m,
    );
    expect(status.out).toMatch(/^rankings .* paused$/m);
    expect(calls()).toBe(asked);

    const spent = submits();
    expect(await cli('resume rankings')).toMatchObject({
      code: 0,
      out: expect.stringContaining('job rankings continues; it was paused for') as string,
    });
    await stack.settle();
    await expectExactlyServed(stack);
    expect(submits()).toBe(spent);
    expect(await cli('resume rankings')).toMatchObject({ code: 0, out: 'job rankings was not paused.\n' });
  });

  it('may have the name of a connection: then a flag decides', async () => {
    stack = await createTestStack({ queue, jobs: jobsFile('  - { name: main, dataset: ai_search_brands }\n'), sandbox: { size: 'tiny' } });
    expect(await cli('pause main')).toMatchObject({
      code: 2,
      err: expect.stringContaining('choose with --job or --connection') as string,
    });
    expect(await cli('pause main --connection')).toMatchObject({
      code: 0,
      out: 'connection main is paused; "searchmill resume main --connection" ends it.\n',
    });
    expect(await cli('run main')).toMatchObject({
      code: 2,
      err: expect.stringContaining('asks through connection main, which has been paused') as string,
    });
    expect(submits()).toBe(0);
    expect(await cli('resume main --connection')).toMatchObject({ code: 0 });
    expect(await cli('run main')).toMatchObject({ code: 0, out: expect.stringContaining('Published 2 windows') as string });
  });
});

describeOnOneQueue('a job that is switched off', (queue) => {
  it('is known and not planned, while what is under way goes on', async () => {
    const jobs = `${RANKINGS}  - { name: brands, dataset: ai_search_brands, enabled: false }\n`;
    stack = await createTestStack({ queue, jobs: jobsFile(jobs), sandbox: { size: 'tiny' } });
    const before = { ...stack.config, jobs: stack.config.jobs.map((job) => ({ ...job, isEnabled: true })) };
    stack.sandbox.setFaults({ rules: [{ fault: { kind: 'stuck' }, on: { operation: 'ai_search_brands' } }] });
    const enabled = await stack.start({ config: before });
    await until('its queries', async () => (await states()).in_progress === 2);
    await enabled.stop();
    const service = await stack.start();
    await service.planNow();
    expect(await stack.read(`SELECT enabled, removed_at FROM searchmill.jobs WHERE name = 'brands'`)).toEqual([
      { enabled: false, removed_at: null },
    ]);
    const schedulers = await stack.withQueue('ticks', async (ticks) => (await ticks.getJobSchedulers()).map(({ key }) => key));
    expect(schedulers).toEqual(['job-rankings']);
    stack.sandbox.clearFaults();
    await stack.settle();
    await expectExactlyServed(stack);
    const published = await states();
    expect(published).toEqual({ published: 4 });
    await stack.pool.query(`UPDATE searchmill.executions SET planned_at = planned_at - interval '30 days'`);
    await service.planNow();
    expect(
      await stack.read(`SELECT e.id FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id WHERE s.job = 'brands'`),
    ).toHaveLength(2);
    await stack.settle();
    expect(await cli('run brands')).toMatchObject({
      code: 2,
      err: 'job "brands" is disabled (enabled: false); enable it in the jobs file first\n',
    });
    expect(await cli('run')).toMatchObject({ code: 0, err: 'note: brands is disabled (enabled: false), and is left out\n' });
    const status = await cli('status');
    expect(status.out).toMatch(/^All is well\./);
    expect(status.out).toMatch(/^brands .* disabled$/m);
    expect(status.out).toContain('- brands is disabled (enabled: false): nothing new is planned');
  });
});

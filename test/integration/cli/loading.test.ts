// run, backfill, status, history, approve and discard as an operator uses them, on both queues.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addDays, lastCompleteWeek } from '../../../src/core/weeks.ts';
import type { PastLoad } from '../../../src/ledger/history.ts';
import { type CommandLineOptions, type CommandLineResult, runCli } from '../../support/command-line.ts';
import { expectExactlyServed } from '../../support/served-rows.ts';
import { createTestStack, describeOnOneQueue, SANDBOX_CONNECTION, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';

const NEWEST = lastCompleteWeek(new Date(), 'UTC', 'sunday');
const BEFORE = addDays(NEWEST, -7);
const EARLIER = addDays(NEWEST, -28);

const JOBS = `
${SANDBOX_CONNECTION}
# Fires when a week is over, so that the newest complete week is expected on whatever day the test runs.
defaults: { account_id: 12345, since: ${BEFORE}, schedule: { cron: "0 0 * * 0", timezone: UTC }, lookback_weeks: 0, max_submits: 1 }
jobs:
  - { name: acme-rankings, dataset: keyword_rankings }
  - { name: acme-brands, dataset: ai_search_brands }
`;

describeOnOneQueue('the command line of an operator', (queue) => {
  let stack: TestStack;
  const cli = (args: string, options: CommandLineOptions = {}): Promise<CommandLineResult> =>
    runCli(args.split(' '), { ...options, env: { ...stack.env, ...options.env } });
  const submits = (): number => stack.sandbox.report().submits.length;

  beforeAll(async () => {
    stack = await createTestStack({ queue, jobs: JOBS, sandbox: { size: 'tiny' } });
  });
  afterAll(() => stack.close());

  it('shows an empty ledger, and what to do', async () => {
    expect(await cli('status')).toEqual({
      code: 0,
      out: 'The ledger has no jobs yet; "searchmill run" or "searchmill start" plans the configured ones.\n',
      err: '',
    });
  });

  it('runs what is missing, and says what it published', async () => {
    const { code, out, err } = await cli('run');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^Published 4 windows with \d+ rows\.\n$/);
    expect(await expectExactlyServed(stack)).toHaveLength(4);
    expect(submits()).toBe(4);
  });

  it('runs a second time without a submit', async () => {
    expect(await cli('run')).toEqual({ code: 0, out: 'Nothing to do: every expected week is loaded.\n', err: '' });
    expect(submits()).toBe(4);
  });

  it('loads one week again only when that is asked for', async () => {
    expect(await cli(`run acme-brands --week ${addDays(NEWEST, 3)}`)).toMatchObject({
      code: 0,
      out: expect.stringContaining('Nothing to do'),
    });
    expect(submits()).toBe(4);
    const { code, out } = await cli(`run acme-brands --week ${addDays(NEWEST, 3)} --reload`);
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('Published 1 window with') });
    expect(submits()).toBe(5);
    const history = await cli('history acme-brands');
    expect(history.out.split('\n')[2]).toMatch(new RegExp(`  ${NEWEST}\\.\\.${addDays(NEWEST, 6)}  backfill +0 +0 +\\d+ +0 +0$`));
    expect(JSON.parse((await cli(`history acme-brands ${NEWEST} --json`)).out)).toMatchObject([
      { inserted: 0, updated: 0, deleted: 0 },
      { updated: 0, deleted: 0 },
    ]);
  });

  it('fills in weeks from before "since", and leaves them alone the second time', async () => {
    const args = `backfill acme-rankings --from ${EARLIER} --to ${addDays(EARLIER, 8)}`;
    expect(await cli(args)).toMatchObject({ code: 0, out: expect.stringContaining('Published 2 windows') });
    expect(await cli(args)).toMatchObject({ code: 0, out: expect.stringContaining('Nothing to do') });
    expect(submits()).toBe(7);
    await expectExactlyServed(stack);
  });

  it('shows that all is well, job by job and week by week', async () => {
    const { code, out, err } = await cli('status');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(
      /^Every expected week is published, but no process is running\.\n4 of 4 expected weeks published, 0 loads under way\.\nProcesses running: none\.\n/,
    );
    expect(out).toMatch(new RegExp(`^acme-brands +2/2 +- +${NEWEST} +\\d+ (s|min) ago +in `, 'm'));
    const one = await cli('status acme-rankings');
    expect(one.out).not.toContain('acme-brands');
    expect(one.out).toMatch(new RegExp(`^${EARLIER} +published +\\d+ +\\d+ (s|min) ago +not expected$`, 'm'));
  });

  it('holds a week that collapsed, tells why, and publishes it when it is approved', async () => {
    stack.sandbox.setFaults({ rules: [{ fault: { kind: 'shrink', keep: 0.2 }, on: { operation: 'keyword_rankings' } }] });
    const { code, out } = await cli(`run acme-rankings --week ${NEWEST} --reload`);
    expect(code).toBe(1);
    expect(out).toMatch(/acme-rankings .* is held: .*; decide with "searchmill approve (\d+)" or "searchmill discard \1"/);
    const slice = /approve (\d+)/.exec(out)?.[1] ?? '';
    const status = await cli('status');
    expect(status.code).toBe(0);
    expect(status.out).toMatch(/^1 problem needs you/);
    expect(status.out).toContain(`> searchmill approve ${slice}   publishes`);
    expect(await cli('approve 999999')).toMatchObject({ code: 2, err: expect.stringContaining('slice 999999 is not held') });

    expect((await cli('status acme-rankings')).out).toMatch(new RegExp(`^\\S+ +held .* slice ${slice}\\b`, 'm'));
    expect(await cli(`approve ${slice}`)).toMatchObject({
      code: 0,
      out: expect.stringMatching(new RegExp(`^Slice ${slice} is approved .*; no worker is running: the next one publishes it`)) as string,
    });
    expect(await cli('run acme-rankings')).toMatchObject({ code: 0, out: expect.stringContaining('Published 1 window') });
    expect((await cli('status')).out).toMatch(/^Every expected week is published, but no process is running\./);
    expect(submits()).toBe(8);
    expect((await cli(`history acme-rankings ${NEWEST} --limit 1`)).out).toContain('backfill, approved');
    expect((await cli(`status acme-rankings`)).out).toMatch(new RegExp(`^${NEWEST} +published .* approved by \\S+@\\S+$`, 'm'));
  });

  it('discards a held week on demand, and what was published before stays', async () => {
    stack.sandbox.setFaults({ rules: [{ fault: { kind: 'empty_answer' }, on: { operation: 'ai_search_brands' } }] });
    const before = await stack.read('SELECT count(*) AS rows FROM search.ai_search_brands');
    const { code, out } = await cli(`run acme-brands --week ${NEWEST} --reload`);
    expect(code).toBe(1);
    const slice = /discard (\d+)/.exec(out)?.[1] ?? '';
    expect(await cli(`discard ${slice} --reason tried`)).toMatchObject({
      code: 0,
      out: expect.stringContaining(`Slice ${slice} is discarded`),
    });
    expect(await cli(`discard ${slice}`)).toMatchObject({ code: 2 });
    expect(await stack.read('SELECT count(*) AS rows FROM search.ai_search_brands')).toEqual(before);
    expect((await cli('status acme-brands')).out).toMatch(new RegExp(`^${NEWEST} +published .* discarded by \\S+@\\S+: tried$`, 'm'));
    expect((await cli(`history acme-brands ${NEWEST}`)).out).toMatch(/ {2}discarded by \S+@\S+ .* tried$/m);
    expect((await cli('status')).out).toMatch(/^Every expected week is published, but no process is running\./);
  });

  it('exits with 1 when a query fails, says why, and tries it again when somebody asks', async () => {
    stack.sandbox.setFaults({ rules: [{ fault: { kind: 'failed', message: 'out of memory, sorry' } }] });
    const { code, out } = await cli(`run acme-brands --week ${EARLIER}`);
    expect(code).toBe(1);
    expect(out).toMatch(/acme-brands .* is failed: .*out of memory, sorry/);
    const status = await cli('status acme-brands');
    expect(status.out).toMatch(/^1 problem needs you/);
    expect(status.out).toContain(`> searchmill run acme-brands --week ${EARLIER}   tries again now`);
    stack.sandbox.clearFaults();
    expect(await cli(`run acme-brands --week ${EARLIER}`)).toMatchObject({ code: 0, out: expect.stringContaining('Published 1 window') });
    expect((await cli('status')).out).toMatch(/^Every expected week is published, but no process is running\./);
  });

  it('stops at Ctrl-C, and the next run goes on', async () => {
    stack.sandbox.setFaults({ rules: [{ fault: { kind: 'stuck' } }] });
    const stopping = new AbortController();
    const before = submits();
    const interrupted = cli(`backfill acme-rankings --from ${addDays(EARLIER, -14)} --to ${addDays(EARLIER, -14)}`, {
      stopping: stopping.signal,
    });
    await until('the submit', () => submits() > before);
    stopping.abort();
    expect(await interrupted).toMatchObject({ code: 1, err: expect.stringContaining('continue when Searchmill runs again') });
    expect((await cli('status')).out).toMatch(/^Every expected week is published, but no process is running\.\n.*1 load under way/);
    stack.sandbox.clearFaults();
    expect(await cli('run acme-rankings')).toMatchObject({ code: 0, out: expect.stringContaining('Published 1 window') });
    expect(submits()).toBe(before + 1);
  });

  it('does not wait for a credential that the service refuses', async () => {
    stack.sandbox.revoke();
    const before = submits();
    const { code, out } = await cli(`run acme-brands --week ${addDays(EARLIER, -7)}`);
    expect(code).toBe(1);
    expect(out).toMatch(/acme-brands .* is still planned: .*refused the credential/);
    // It does not wait either when another load was refused, whatever its own loads met before.
    await stack.pool.query("UPDATE searchmill.executions SET last_error = 'the service answered 503' WHERE state = 'planned'");
    const again = await cli(`run acme-brands --week ${addDays(EARLIER, -14)}`);
    expect(again).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^2 windows of acme-brands, .*, are still planned: .*refused the credential/m),
    });
    const status = await cli('status');
    expect(status.out).toMatch(/^1 problem needs you/);
    expect(status.out).toMatch(/! connection main: the service has refused the credential for \d+ (s|min) \(401\)/);
    stack.sandbox.restore();
    // A minute later: a probe is due, and its answer is waited for.
    await stack.pool.query('UPDATE searchmill.budgets SET probe_at = now()');
    await stack.pool.query('UPDATE searchmill.executions SET due_at = now() WHERE ended_at IS NULL');
    expect(await cli('run acme-brands')).toMatchObject({ code: 0, out: expect.stringContaining('Published 2 windows') });
    expect(submits()).toBe(before + 2);
  });

  it('gives scripts everything as JSON, without a colour', async () => {
    const { code, out } = await cli('status --json', { isInteractive: true });
    expect(code).toBe(0);
    const status = JSON.parse(out) as Record<string, unknown[]>;
    const ledger = ['jobs', 'coverage', 'live', 'loads', 'connections', 'instances', 'drift', 'quarantine', 'emptyWeeks'];
    expect(new Set(Object.keys(status))).toEqual(
      new Set([
        ...ledger,
        'acknowledgements',
        'leftRows',
        'verdict',
        'problems',
        'notes',
        'unknownSubmits',
        'unlikeWeeks',
        'unmetSpellings',
        'failingReports',
        'failingTargets',
      ]),
    );
    expect(status.coverage).toContainEqual(
      expect.objectContaining({ job: 'acme-brands', week: NEWEST, state: 'published', isExpected: true }),
    );
    expect(status.connections).toMatchObject([{ name: 'main', unauthorizedSince: null }]);
    const loads = status.loads as PastLoad[];
    const stages = ['waitMs', 'networkMs', 'decodeMs', 'copyMs', 'publishMs'];
    for (const load of loads) expect(Object.keys(load.timings)).toEqual(stages);
    const { rows } = await stack.pool.query<{ of: string }>(`
      SELECT concat_ws(' ', e.id, rows_received, pages, 1 + poll_calls + page_calls, wait_ms, network_ms, decode_ms, copy_ms, publish_ms) AS of
        FROM searchmill.executions e JOIN searchmill.publications p ON p.execution_id = e.id ORDER BY p.id DESC`);
    expect(rows).not.toHaveLength(0);
    expect(loads.map((load) => [load.executionId, load.rows, load.pages, load.calls, ...Object.values(load.timings)].join(' '))).toEqual(
      rows.map((row) => row.of),
    );
    expect(loads.every((load) => (load.durationMs ?? -1) >= 0)).toBe(true);
  });

  it.each([
    ['run acme-ranking', 'has no job "acme-ranking"; did you mean "acme-rankings"?'],
    ['backfill acme --from 2026-01-01 --to 2026-01-07', 'has no job "acme"'],
    ['status acme-brand', 'the ledger has no job "acme-brand"; did you mean "acme-brands"?'],
    ['history acme-brand', 'the ledger has no job "acme-brand"; did you mean "acme-brands"?'],
    ['quarantine list acme-brand', 'the ledger has no job "acme-brand"; did you mean "acme-brands"?'],
    [`run --week ${addDays(NEWEST, 7)}`, `is not over yet; the newest complete one begins on ${NEWEST}`],
    [`backfill acme-brands --from ${NEWEST} --to ${addDays(NEWEST, 30)}`, 'is not over yet'],
    ['run --from 2026-01-01', '--from and --to must be used together'],
    ['run --from 2026-02-01 --to 2026-01-01', 'is before --from'],
    ['run --week 2026-01-01 --from 2026-01-01 --to 2026-01-01', 'exclude each other'],
    ['run --reload', '--reload needs --week or --from and --to'],
    ['--config nowhere.yaml run', 'nowhere.yaml: there is no such file'],
  ])('%s: exits with 2 and spends nothing', async (args, message) => {
    const before = stack.sandbox.report();
    const { code, out, err } = await cli(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(message);
    expect(stack.sandbox.report()).toEqual(before);
  });
});

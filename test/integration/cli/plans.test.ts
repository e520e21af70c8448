// plan, --dry-run, the question before large spans, and JSON of every verb, as an operator or a script uses them.
import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { addDays, lastCompleteWeek } from '../../../src/core/weeks.ts';
import { type CommandLineOptions, type CommandLineResult, runCli } from '../../support/command-line.ts';
import { SANDBOX_CONNECTION } from '../../support/test-stack.ts';
import { useStack } from '../../support/use-stack.ts';
import { until } from '../../support/wait.ts';

const NEWEST = lastCompleteWeek(new Date(), 'UTC', 'sunday');
const SINCE = addDays(NEWEST, -21);
const LONG_AGO = addDays(NEWEST, -7 * 80);

const JOBS = `
${SANDBOX_CONNECTION}
# Fires when a week is over, so that the newest complete week is expected on whatever day the test runs.
defaults: { account_id: 12345, since: ${SINCE}, schedule: { cron: "0 0 * * 0", timezone: UTC }, lookback_weeks: 1 }
jobs:
  - { name: rankings, dataset: keyword_rankings }
  - { name: brands, dataset: ai_search_brands, weeks_per_query: 2 }
  - { name: answers, dataset: ai_search_response, enabled: false }
`;

const stack = useStack({ jobs: JOBS, hasAmpleBudget: false, sandbox: { size: 'tiny' } });

const cli = (args: string, options: CommandLineOptions = {}): Promise<CommandLineResult> =>
  runCli(args.split(' '), { ...options, env: { ...stack.env, ...options.env } });
const json = async (args: string): Promise<Record<string, unknown>> => {
  const { code, out, err } = await cli(`${args} --json`);
  expect({ args, code, err }).toEqual({ args, code: 0, err: '' });
  return JSON.parse(out) as Record<string, unknown>;
};
/** Everything of the ledger that a plan could write, and what the service was asked. */
const traces = async (): Promise<unknown> => ({
  ledger: await stack.read(`
    SELECT (SELECT count(*) FROM searchmill.jobs) AS jobs, (SELECT count(*) FROM searchmill.slices) AS slices,
           (SELECT max(id) FROM searchmill.executions) AS executions, (SELECT max(planned_at) FROM searchmill.jobs) AS planned_at,
           (SELECT count(*) FROM searchmill.connections) AS connections, (SELECT max(granted_at) FROM searchmill.call_slots) AS granted_at`),
  service: stack.sandbox.report(),
});
const loads = (job: string): Promise<{ id: number }[]> =>
  stack.read('SELECT e.id FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id WHERE s.job = $1', [job]);

describe('a plan that is only shown', () => {
  it('says what would be loaded and what it costs, of jobs that were never planned, and leaves no trace', async () => {
    const before = await traces();
    const { code, out, err } = await cli('plan');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toBe(
      `job       reason    windows within          submits  weeks  replaces
--------  --------  ----------------------  -------  -----  --------
rankings  newest    ${NEWEST}..${addDays(NEWEST, 6)}        1      1  -
rankings  catch-up  ${SINCE}..${addDays(NEWEST, -1)}        3      3  -
brands    newest    ${NEWEST}..${addDays(NEWEST, 6)}        1      1  -
brands    catch-up  ${SINCE}..${addDays(NEWEST, -1)}        2      3  -
total                                             7      8  -
about 1 minute of submits for connection main. The number of polls and pages is not known in advance.
Left out: answers is disabled (enabled: false); enable it in the jobs file first.
`,
    );
    for (const same of ['run --dry-run', 'run --dry-run --scheduled']) expect(await cli(same)).toEqual({ code, out, err });
    expect(await json('run brands --dry-run')).toEqual(await json('plan brands'));
    // A plan of jobs that are left out says so, whichever way it is asked for; a run of them is refused.
    expect(await cli('run answers --dry-run')).toEqual(await cli('plan answers'));
    expect(await cli('run answers')).toMatchObject({ code: 2, out: '' });
    expect((await cli(`backfill rankings --from ${LONG_AGO} --to ${NEWEST} --dry-run`)).out).toMatch(
      new RegExp(
        `^rankings +backfill +${LONG_AGO}\\.\\.${addDays(NEWEST, 6)} +81 +81 +-\nabout 3 minutes of submits for connection main\\.`,
        'm',
      ),
    );
    expect(await traces()).toEqual(before);
  });

  it('has every window as JSON, for scripts', async () => {
    const plan = await json('plan brands');
    expect(plan).toEqual({
      jobs: [
        {
          job: 'brands',
          connection: 'main',
          loads: [
            { from: NEWEST, to: addDays(NEWEST, 6), reason: 'newest', weeks: 1, replacedWeeks: 0, replacedRows: 0 },
            {
              from: addDays(NEWEST, -14),
              to: addDays(NEWEST, -1),
              reason: 'catch_up',
              weeks: 2,
              replacedWeeks: 0,
              replacedRows: 0,
            },
            { from: SINCE, to: addDays(SINCE, 6), reason: 'catch_up', weeks: 1, replacedWeeks: 0, replacedRows: 0 },
          ],
          underWay: {},
        },
      ],
      leftOut: [],
      connections: [{ connections: ['main'], submitsPerMinute: 40, submits: 3, minutes: 1 }],
      totals: { submits: 3, weeks: 4, replacedWeeks: 0, replacedRows: 0, underWay: 0 },
      stale: [],
      removals: [],
      leaves: [],
    });
  });

  it('is counted by check', async () => {
    const { code, out } = await cli('check');
    expect(code).toBe(0);
    expect(out).toContain('3 jobs (1 disabled)');
    expect(out).toMatch(
      /^ok {4}plan: 7 submits planned at the next start, about 1 minute of submits for connection main; "searchmill plan" shows them$/m,
    );
    expect(await json('check')).toMatchObject({
      isFit: true,
      jobs: { configured: 3, switchedOff: 1 },
      plan: { totals: { submits: 7 } },
      checks: expect.arrayContaining([{ check: 'queue on Postgres', isOk: true, state: 'ok', detail: 'answers' }]) as unknown[],
    });
  });

  it('is what the command then really plans', async () => {
    const service = await stack.start();
    await service.planNow();
    await stack.settle();
    await service.stop();
    expect([await loads('rankings'), await loads('brands')].map(({ length }) => length)).toEqual([4, 3]);
    expect((await cli('plan')).out).toMatch(/^Nothing would be planned\.\nLeft out: answers/);
  });

  it('says how many published weeks and rows would be replaced, and what is under way', async () => {
    const { rows } = (
      await stack.read<{ rows: number }>(`SELECT sum(published_rows)::integer AS rows FROM searchmill.slices WHERE job = 'rankings'`)
    )[0] ?? {
      rows: 0,
    };
    expect(rows).toBeGreaterThan(0);
    const plan = await json(`backfill rankings --from ${LONG_AGO} --to ${NEWEST} --reload --dry-run`);
    expect(plan.totals).toEqual({ submits: 81, weeks: 81, replacedWeeks: 4, replacedRows: rows, underWay: 0 });
    expect((await cli(`run rankings --from ${SINCE} --to ${NEWEST} --reload --dry-run`)).out).toMatch(/ 4 {6}4 {2}4 weeks, [\d,]+ rows\n/);
    // Each of two weeks that were loaded together is counted.
    const inTable = await stack.read<{ rows: number }>(
      `SELECT count(*)::integer AS rows FROM search.ai_search_brands WHERE time_period_start BETWEEN '${addDays(NEWEST, -14)}' AND '${addDays(NEWEST, -1)}' GROUP BY time_period_start ORDER BY time_period_start`,
    );
    const replaced = async (from: string): Promise<unknown> => (await json(`run brands --week ${from} --reload --dry-run`)).totals;
    expect([await replaced(addDays(NEWEST, -14)), await replaced(addDays(NEWEST, -7))]).toMatchObject(
      inTable.map((week) => ({ replacedRows: week.rows })),
    );
    stack.sandbox.setFaults({ rules: [{ fault: { kind: 'stuck' } }] });
    const stopping = new AbortController();
    const running = cli(`run brands --week ${NEWEST} --reload --yes`, { stopping: stopping.signal });
    await until('its query', async () => /^Already running: brands: 1 in progress\.$/m.test((await cli('plan brands')).out));
    stopping.abort();
    await running;
    stack.sandbox.clearFaults();
    expect((await json('cancel brands')).cancelled).toMatchObject([{ from: NEWEST, to: addDays(NEWEST, 6), was: 'in_progress' }]);
  });

  it('is about the slices that a renamed job takes over', async () => {
    const renamed = { SEARCHMILL_CONFIG: `${stack.folder}/renamed.yaml` };
    await writeFile(renamed.SEARCHMILL_CONFIG, JOBS.replace('name: rankings', 'name: positions'));
    expect((await cli('plan positions', { env: renamed })).out).toBe('Nothing would be planned.\n');
    await writeFile(renamed.SEARCHMILL_CONFIG, JOBS.replace('account_id: 12345', 'account_id: 54321'));
    expect(await cli('plan rankings', { env: renamed })).toMatchObject({
      code: 2,
      err: expect.stringContaining('has loaded another dataset or account') as string,
    });
  });

  it('leaves weeks that are over, but whose schedule has not fired, to a run without --scheduled', async () => {
    const unfired = { SEARCHMILL_CONFIG: `${stack.folder}/unfired.yaml` };
    const others = JOBS.replace('12345', '54321').replace('name: rankings', 'name: leap_days');
    await writeFile(unfired.SEARCHMILL_CONFIG, others.replace('"0 0 * * 0"', '"0 0 29 2 *"'));
    const shown = async (args: string): Promise<string> => (await cli(args, { env: unfired })).out;
    for (const args of ['plan leap_days', 'run leap_days --dry-run --scheduled'])
      expect(await shown(args)).toBe('Nothing would be planned.\n');
    expect(await shown('run leap_days --dry-run')).toMatch(/^leap_days +newest /m);
    expect(await cli(`run brands --scheduled --week ${NEWEST}`)).toMatchObject({
      code: 2,
      err: expect.stringContaining('--scheduled') as string,
    });
  });
});

describe('a large span, or one that replaces published weeks', () => {
  it('is asked about on a terminal, and not planned without a yes', async () => {
    const questions: string[] = [];
    const confirm = async (question: string): Promise<boolean> => {
      questions.push(question);
      return false;
    };
    const before = await traces();
    const args = `backfill rankings --from ${LONG_AGO} --to ${NEWEST}`;
    expect(await cli(args, { confirm })).toEqual({ code: 1, out: '', err: 'Nothing was planned.\n' });
    expect(questions).toEqual(['This plans 77 loads: about 2 minutes of submits for connection main. Continue? [y/N] ']);
    await cli(`run rankings --week ${NEWEST} --reload`, { confirm });
    expect(questions.at(-1)).toMatch(
      /^This plans 1 load, which replaces 1 published week of \d+ rows?: about 1 minute of submits .* Continue/,
    );
    expect(await traces()).toEqual(before);
  });

  it('goes on after a yes, with --yes, and with a note where nobody can answer', async () => {
    const args = `run rankings --week ${NEWEST} --reload`;
    const published = expect.stringMatching(/^Published 1 window/) as string;
    expect(await cli(args, { confirm: async () => true })).toMatchObject({ code: 0, out: published });
    const never = async (): Promise<boolean> => Promise.reject(new Error('nobody was to be asked'));
    expect(await cli(`${args} --yes`, { confirm: never })).toMatchObject({ code: 0, out: published, err: '' });
    expect(await cli(args)).toMatchObject({
      code: 0,
      out: published,
      err: expect.stringMatching(
        /^note: This plans 1 load, which replaces 1 published week .*"searchmill cancel" cancels loads\.\n$/,
      ) as string,
    });
    expect((await cli(`run rankings --week ${NEWEST}`)).out).toBe(
      'Nothing to do: those weeks are already published; --reload loads them again.\n',
    );
    // A small one that replaces nothing is not worth a question.
    expect(await cli(`backfill rankings --from ${addDays(SINCE, -7)} --to ${SINCE}`, { confirm: never })).toMatchObject({
      code: 0,
      out: published,
    });
  });
});

it('quarantine says where to look when a load has no such rows, or does not exist', async () => {
  expect((await cli('quarantine show 999999')).out).toBe(
    'Execution 999999 has no rows in quarantine; "searchmill quarantine list" shows the loads that have some.\n',
  );
  const { code, err } = await cli('quarantine replay 999999');
  expect({ code, err }).toEqual({
    code: 2,
    err: expect.stringContaining('"searchmill quarantine list" shows what can be replayed') as string,
  });
});

describe('every verb', () => {
  it('gives a script one object', async () => {
    expect(await json('migrate')).toEqual({ applied: [] });
    expect(await json(`backfill brands --from ${addDays(SINCE, -14)} --to ${addDays(SINCE, -14)}`)).toMatchObject({
      published: 1,
      loads: [{ job: 'brands', from: addDays(SINCE, -14), to: addDays(SINCE, -8), state: 'published' }],
      leftOut: [],
    });
    expect(await json('run rankings')).toEqual({ published: 0, loads: [], leftOut: [], emptyWeeks: [] });
    expect(await json('quarantine list')).toEqual({ loads: [] });
    expect(await json('quarantine show 1')).toEqual({ execution: 1, rows: [] });
    expect(await json('pause rankings --reason moving')).toEqual({
      kind: 'job',
      name: 'rankings',
      pausedSince: expect.any(String) as string,
      reason: 'moving',
    });
    expect(await json('plan')).toMatchObject({ leftOut: [{ job: 'rankings' }, { job: 'answers' }] });
    expect(await json('check')).toMatchObject({ plan: { leftOut: [{ job: 'rankings' }, { job: 'answers' }] }, warnings: [] });
    expect((await cli('check')).out).toMatch(/^ok {4}plan: .*; left out: 1 paused job; "searchmill plan" /m);
    expect((await cli('run')).out).toBe('Nothing to do: every expected week of the other jobs is loaded.\n');
    expect(await json('resume rankings')).toMatchObject({ kind: 'job', name: 'rankings', pausedSince: expect.any(String) as string });
    expect(await json('cancel rankings')).toMatchObject({ job: 'rankings', cancelled: [], left: [] });
    expect(await json('status')).toHaveProperty('coverage');
  });

  it.each([
    ['approve', 'brands'],
    ['discard', 'rankings'],
  ] as const)('gives a script one object: %s', async (verb, job) => {
    stack.sandbox.setFaults({ rules: [{ fault: { kind: 'empty_answer' } }] });
    const { code, out } = await cli(`run ${job} --week ${NEWEST} --reload --json`);
    const { loads: held } = JSON.parse(out) as { loads: { slice: number }[] };
    expect({ code, held }).toMatchObject({ code: 1, held: [{ state: 'held', objections: [{ rule: 'shrink' }] }] });
    const slice = held[0]?.slice;
    stack.sandbox.clearFaults();
    expect(Object.values(await json(`${verb} ${slice}`))).toEqual([[{ slice, job, from: NEWEST, to: addDays(NEWEST, 6) }]]);
    await cli(`run ${job}`);
  });

  it('with --json keeps its exit code, and says on standard error what is wrong', async () => {
    expect(await cli('check --json', { env: { SANDBOX_URL: 'http://127.0.0.1:9' } })).toMatchObject({
      code: 1,
      out: expect.stringContaining('"isFit": false') as string,
    });
    expect(await cli('cancel rankins --json')).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('has no job "rankins"') as string,
    });
  });
});

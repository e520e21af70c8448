// No answer takes published rows away unasked: a filter that matches nothing, through every way by which weeks are loaded
// again. The service that does it unasked is the program as it is shipped; verbs run in the test's process, which starts none.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { addDays, lastCompleteWeek } from '../../../src/core/weeks.ts';
import { runCli } from '../../support/command-line.ts';
import { startProgram } from '../../support/program.ts';
import { SANDBOX_CONNECTION } from '../../support/test-stack.ts';
import { useStack } from '../../support/use-stack.ts';
import { until } from '../../support/wait.ts';

const NEWEST = lastCompleteWeek(new Date(), 'UTC', 'sunday');
const BEFORE = addDays(NEWEST, -7);

type Question = Readonly<{ engines: string; other?: string }>;

/** The jobs file: `engines` are those of the job brands, `other` is one more job. */
const jobsFile = ({ engines, other = '' }: Question): string => `
${SANDBOX_CONNECTION}
defaults: { account_id: 12345, dataset: ai_search_brands, since: ${BEFORE}, schedule: { cron: "0 0 * * 0", timezone: UTC }, lookback_weeks: 1, min_keep: 0.9 }
jobs:
  - { name: brands, filters: { ai_search_engines: [${engines}] } }
${other}`;

const BOTH = { engines: 'chatgpt, perplexity' };
const MISSPELT = { engines: 'ChatGPT' };

const stack = useStack({ jobs: jobsFile(BOTH), sandbox: { size: 'tiny' }, startsPrograms: true });

const searchmill = async (args: string): Promise<{ code: number; stdout: string; stderr: string }> => {
  const { code, out, err } = await runCli(args.split(' '), { env: stack.env });
  return { code, stdout: out, stderr: err };
};
const configure = (question: Question): Promise<void> => writeFile(join(stack.folder, 'jobs.config.yaml'), jobsFile(question));

/** As if all that has happened were from the week before: the schedule has fired since. */
const tick = (): Promise<unknown> =>
  stack.read(`UPDATE searchmill.executions SET planned_at = planned_at - interval '7 days', ended_at = ended_at - interval '7 days'`);

type Published = { week: string; engine: string; rows: number };
const published = (): Promise<Published[]> =>
  stack.read<Published>(
    `SELECT time_period_start::text AS week, ai_search_engine AS engine, count(*) AS rows
       FROM search.ai_search_brands GROUP BY 1, 2 ORDER BY 1, 2`,
  );
const heldWeeks = async (): Promise<string[]> =>
  (
    await stack.read<{ week: string }>(
      `SELECT s.window_start::text AS week FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id WHERE e.state = 'held' ORDER BY 1`,
    )
  ).map(({ week }) => week);

let good: Published[];
const total = (week: string): number => good.filter((row) => row.week === week).reduce((sum, { rows }) => sum + rows, 0);

it('publishes the first answer', async () => {
  expect(await searchmill('run')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Published 2 windows with [1-9]/) });
  good = await published();
  expect(new Set(good.map(({ engine }) => engine))).toEqual(new Set(['chatgpt', 'perplexity']));
});

// Whichever way weeks are loaded again, a filter that matches nothing ends like this.
const ways: [string, () => Promise<unknown>, string][] = [
  ['the lookback of the next tick', tick, 'run'],
  ['run --reload', async () => undefined, `run --from ${BEFORE} --to ${NEWEST} --reload`],
  ['backfill --stale', async () => undefined, `backfill brands --from ${BEFORE} --to ${NEWEST} --stale`],
  ['backfill --stale --approve', async () => undefined, `backfill brands --from ${BEFORE} --to ${NEWEST} --stale --approve`],
];

it.each(ways)(
  'holds an answer without rows that %s brings, with exit code 1, what would vanish, and what to do',
  async (_, prepare, args) => {
    await prepare();
    await configure(MISSPELT);
    const { code, stdout } = await searchmill(args);
    expect(code).toBe(1);
    expect(await heldWeeks()).toEqual([BEFORE, NEWEST]);
    expect(await published()).toEqual(good);
    const engines = good.filter(({ week }) => week === NEWEST).toSorted((a, b) => b.rows - a.rows);
    expect(stdout).toContain(
      `brands ${NEWEST}..${addDays(NEWEST, 6)} is held: 0 rows would replace ${total(NEWEST)}; min_keep is 0.9. ` +
        'The filters have changed: ai_search_engines was [chatgpt, perplexity], is [ChatGPT]. Rows that would vanish: ',
    );
    for (const { engine, rows } of engines) expect(stdout).toContain(`${engine} ${rows} -> 0`);
    expect(stdout).toMatch(/; decide with "searchmill approve \d+" or "searchmill discard \d+"/);
    expect(stdout).toContain('2 windows of brands are held; "searchmill approve brands" publishes all of them');
    const submits = stack.sandbox.report().submits.length;
    expect(await searchmill('run')).toMatchObject({ code: 1 });
    expect(stack.sandbox.report().submits).toHaveLength(submits);
    expect(await searchmill('discard brands')).toMatchObject({ code: 0, stdout: expect.stringContaining(`(brands ${BEFORE}..`) });
    expect(await searchmill('discard brands')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('job "brands" has no held slices'),
    });
  },
);

it('holds an answer without rows to a load that the service planned, shows it in status, and does not ask again and again', async () => {
  await tick();
  const service = startProgram(['start'], stack.env);
  await until('the lookback to be held', async () => (await heldWeeks()).length === 2);
  service.send('SIGTERM');
  await service.ended;
  expect(await published()).toEqual(good);
  const { code, stdout } = await searchmill('status');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^2 problems need you/);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain('The filters have changed: ai_search_engines was [chatgpt, perplexity], is [ChatGPT].');
  expect(stdout).toContain('> searchmill approve brands   publishes all 2 of the job');
  const { live } = JSON.parse((await searchmill('status --json')).stdout) as { live: { objections: unknown[] }[] };
  expect(live[0]?.objections).toMatchObject([
    {
      rule: 'shrink',
      filters: { before: { ai_search_engines: ['chatgpt', 'perplexity'] }, now: { ai_search_engines: ['ChatGPT'] } },
      weeks: [{ before: expect.any(Number), after: 0 }],
      vanishing: expect.arrayContaining([expect.objectContaining({ what: 'engines', column: 'ai_search_engine' })]),
    },
  ]);
  const submits = stack.sandbox.report().submits.length;
  const plannedAt = () => stack.read('SELECT planned_at FROM searchmill.jobs');
  const before = await plannedAt();
  const again = startProgram(['start'], stack.env);
  await until('the job to be planned', async () => JSON.stringify(await plannedAt()) !== JSON.stringify(before));
  again.send('SIGTERM');
  await again.ended;
  expect(stack.sandbox.report().submits).toHaveLength(submits);
});

it('asks the corrected question at once when the held answer is discarded', async () => {
  await configure(BOTH);
  await searchmill('discard brands');
  expect(await searchmill('run')).toMatchObject({ code: 0 });
  expect(await published()).toEqual(good);
});

it('publishes fewer rows where somebody allows it: week by week, for the job, or beforehand', async () => {
  await configure({ engines: 'chatgpt' });
  const narrow = `backfill brands --from ${BEFORE} --to ${NEWEST} --stale`;
  const narrowed = good.filter(({ engine }) => engine === 'chatgpt');
  expect(await searchmill(narrow)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('ai_search_engines was [perplexity, chatgpt], is [chatgpt]'),
  });
  expect(await published()).toEqual(good);
  const { code, stdout } = await searchmill('approve brands');
  expect({ code, lines: stdout.trim().split('\n') }).toMatchObject({
    code: 0,
    lines: [
      expect.stringMatching(new RegExp(`^Slice \\d+ is approved \\(brands ${BEFORE}\\.\\.[-\\d]+\\);`)),
      expect.stringMatching(new RegExp(`^Slice \\d+ is approved \\(brands ${NEWEST}\\.\\.[-\\d]+\\);`)),
    ],
  });
  expect(await searchmill('run')).toMatchObject({ code: 0 });
  expect(await published()).toEqual(narrowed);

  await configure(BOTH);
  expect(await searchmill(narrow)).toMatchObject({ code: 0 });
  expect(await published()).toEqual(good);
  await configure({ engines: 'chatgpt' });
  expect(await searchmill(`${narrow} --approve`)).toMatchObject({ code: 0, stdout: expect.stringContaining('Published 2 windows') });
  expect(await published()).toEqual(narrowed);
});

it('reports a first load without rows until the job allows such weeks', async () => {
  const asked = (more = '') => ({
    engines: 'chatgpt',
    other: `  - { name: "17", filters: { ai_search_engines: [no-such-engine] }${more} }\n`,
  });
  await configure(asked());
  const told = `17: 2 weeks published with 0 rows, ${BEFORE}..${addDays(NEWEST, 6)}: do the filters exist? They are ai_search_engines [no-such-engine]`;
  expect(await searchmill('run 17')).toMatchObject({ code: 0, stdout: expect.stringContaining(told) });
  const status = async (): Promise<string> => (await searchmill('status')).stdout.replaceAll(/\s+/g, ' ');
  expect(await status()).toContain(told);
  expect(JSON.parse((await searchmill('status --json')).stdout)).toMatchObject({
    emptyWeeks: [{ job: '17', weeks: 2, first: BEFORE, last: NEWEST }],
  });
  expect(await searchmill(`run 17 --week ${NEWEST} --reload`)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('17: 1 week published with 0 rows'),
  });
  expect(await status()).toContain(told);

  // A job whose name is a number: it has no held week, and there is no slice of that number.
  expect(await searchmill('approve 17')).toMatchObject({ code: 2, stderr: expect.stringContaining('job "17" has no held slices') });
  expect(await searchmill('approve --job 1')).toMatchObject({ code: 2, stderr: expect.stringContaining('no job "1"') });

  await configure(asked(', allow_empty: true'));
  expect(await searchmill(`run 17 --week ${NEWEST} --reload`)).toMatchObject({ code: 0, stdout: 'Published 1 window with 0 rows.\n' });
  expect(await status()).toMatch(/^Every expected week is published, but no process is running\./);
  expect(await status()).not.toContain('0 rows,');
});

// Jobs whose names go round: what they have loaded answers their questions, whatever they are called.
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addDays, lastCompleteWeek } from '../../../src/core/weeks.ts';
import { runCli } from '../../support/command-line.ts';
import { startProgram } from '../../support/program.ts';
import { createTestStack, SANDBOX_CONNECTION, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';

const NEWEST = lastCompleteWeek(new Date(), 'UTC', 'sunday');
const SINCE = addDays(NEWEST, -14);

/** A jobs file with one job a device, by name, and filters that all of them have. Devices have more or fewer rows by the week: that is not what these tests are about. */
const file = (jobs: Readonly<Record<string, string>>, shared = ''): string => `
${SANDBOX_CONNECTION}
defaults: { account_id: 12345, since: ${SINCE}, dataset: keyword_rankings, lookback_weeks: 0, min_keep: 0.2, schedule: { cron: "0 0 * * 0", timezone: UTC } }
jobs:
${Object.entries(jobs)
  .map(([name, device]) => `  - { name: ${name}, filters: { devices: [${device}]${shared} } }`)
  .join('\n')}
`;

let stack: TestStack;
beforeAll(async () => {
  const jobs = file({ alpha: 'DESKTOP', beta: 'SMARTPHONE', gamma: 'TABLET' });
  stack = await createTestStack({ queue: { kind: 'postgres', redisUrl: undefined }, jobs, sandbox: { size: 'tiny' } });
  expect(await cli('run')).toMatchObject({ code: 0 });
});
afterAll(() => stack.close());

const cli = (args: string) => runCli(args.split(' '), { env: stack.env });
const configure = (jobs: Readonly<Record<string, string>>, shared?: string): Promise<void> =>
  writeFile(`${stack.env.SEARCHMILL_CONFIG}`, file(jobs, shared));
const submits = (): number => stack.sandbox.report().submits.length;
const rows = () =>
  stack.read(
    'SELECT device, time_period_start::text AS week, count(*)::integer AS rows FROM search.keyword_rankings GROUP BY 1, 2 ORDER BY 1, 2',
  );
/** The devices whose rows are under each name, and how many of its weeks are published. */
const shares = async (): Promise<unknown> =>
  Object.fromEntries(
    (
      await stack.read<{ job: string; holds: string }>(
        `SELECT s.job, string_agg(DISTINCT t.device, ' ') || ' ' || count(DISTINCT s.id) FILTER (WHERE s.published_execution_id IS NOT NULL) AS holds
           FROM searchmill.slices s JOIN search.keyword_rankings t ON t._slice = s.id GROUP BY 1 ORDER BY 1`,
      )
    ).map(({ job, holds }) => [job, holds]),
  );

describe('jobs that are kept apart by a filter', () => {
  it('exchange their names without a submit, and each reloads its own rows', async () => {
    const [before, asked] = [await rows(), submits()];
    await configure({ alpha: 'SMARTPHONE', beta: 'DESKTOP', gamma: 'TABLET' });
    expect(await cli('plan')).toMatchObject({ code: 0, out: 'Nothing would be planned.\n' });
    expect(await cli('check')).toMatchObject({ code: 0 });
    expect(await cli(`run alpha --week ${NEWEST} --reload --yes`)).toMatchObject({ code: 0 });
    expect(submits()).toBe(asked + 1);
    expect(await rows()).toEqual(before);
    expect(await shares()).toEqual({ alpha: 'SMARTPHONE 3', beta: 'DESKTOP 3', gamma: 'TABLET 3' });
    const [last] = await stack.read(
      `SELECT p.rows_inserted + p.rows_updated + p.rows_deleted AS changed FROM searchmill.publications p ORDER BY id DESC LIMIT 1`,
    );
    expect(last).toEqual({ changed: 0 });
  });

  it('pass their names round in a circle with a new name, without a submit', async () => {
    const [before, asked] = [await rows(), submits()];
    await configure({ alpha: 'TABLET', beta: 'SMARTPHONE', delta: 'DESKTOP' });
    expect(await cli(`backfill alpha beta delta --from ${SINCE} --to ${NEWEST}`)).toMatchObject({ code: 0 });
    expect([await rows(), submits()]).toEqual([before, asked]);
    expect(await shares()).toEqual({ alpha: 'TABLET 3', beta: 'SMARTPHONE 3', delta: 'DESKTOP 3' });
    expect((await cli('status')).out).not.toContain('gamma');
  });

  it('are told apart by a service that reads its file again; a pause and past decisions stay with the weeks they were about', async () => {
    const [before, asked] = [await rows(), submits()];
    const service = startProgram(['start'], stack.env);
    await service.says(/"msg":"started"/);
    for (const job of ['alpha', 'delta']) expect(await cli(`pause ${job} --job --reason ${job}`)).toMatchObject({ code: 0 });
    expect(await cli('resume alpha --job')).toMatchObject({ code: 0 });
    await configure({ alpha: 'DESKTOP', beta: 'TABLET', delta: 'SMARTPHONE' });
    service.send('SIGHUP');
    await service.says(/"msg":"configuration reloaded"/);
    await until('the new names', async () => JSON.stringify(await shares()).includes('"alpha":"DESKTOP 3"'));
    service.send('SIGTERM');
    expect(await service.ended).toEqual({ code: 0, signal: null });
    expect([await rows(), submits()]).toEqual([before, asked]);
    expect(await shares()).toEqual({ alpha: 'DESKTOP 3', beta: 'TABLET 3', delta: 'SMARTPHONE 3' });
    expect(await stack.read("SELECT name FROM searchmill.pauses WHERE kind = 'job'")).toEqual([{ name: 'alpha' }]);
    expect((await cli('resume alpha --job')).code).toBe(0);
    const decisions = await stack.read('SELECT job, action, reason FROM searchmill.actions ORDER BY id');
    expect(decisions.slice(-4)).toEqual([
      { job: 'beta', action: 'pause', reason: 'alpha' },
      { job: 'alpha', action: 'pause', reason: 'delta' },
      { job: 'beta', action: 'resume', reason: null },
      { job: 'alpha', action: 'resume', reason: null },
    ]);
    expect((await cli('history beta')).out).toContain('alpha');
  });
});

describe('a value of a filter that moves from one job to another', () => {
  it('leaves both jobs with weeks of other filters, and plan and check name both, whichever job is asked about', async () => {
    await configure({ alpha: 'DESKTOP, SMARTPHONE', beta: 'TABLET' });
    expect(await cli('run')).toMatchObject({ code: 0 });
    // A scheduler does this, when it finds a job no more.
    await stack.read("UPDATE searchmill.jobs SET removed_at = now() WHERE name = 'delta'");
    const stale = (job: string): string =>
      `${job}: 3 published weeks answer other filters than now, ${SINCE} to ${NEWEST}; "searchmill backfill ${job} --from ${SINCE} --to ${NEWEST} --stale" loads them again.`;
    for (const args of ['plan', 'plan alpha']) expect((await cli(args)).out).toContain(stale('alpha'));
    expect((await cli(`backfill alpha --from ${SINCE} --to ${NEWEST} --stale --yes`)).code).toBe(0);
    expect((await cli('plan')).out).toBe('Nothing would be planned.\n');
    expect((await cli('check')).out).toContain('ok    filters: all published weeks match');

    await configure({ alpha: 'DESKTOP', beta: 'TABLET, SMARTPHONE' });
    for (const args of ['plan', 'plan alpha', 'plan beta', 'check'])
      for (const job of ['alpha', 'beta']) expect((await cli(args)).out).toContain(stale(job));
    expect((JSON.parse((await cli('check --json')).out) as { plan: { stale: unknown[] } }).plan.stale).toHaveLength(2);

    const before = await rows();
    const reload = await cli(`run alpha --week ${NEWEST} --reload --yes`);
    expect(reload.code).toBe(1);
    expect(reload.out).toContain('are what job beta asks for now and has not loaded');
    expect(await rows()).toEqual(before);
    expect((await cli(`backfill beta --from ${SINCE} --to ${NEWEST} --stale --yes`)).code).toBe(0);
    expect((await cli('discard alpha')).code).toBe(0);
    expect((await cli(`backfill alpha --from ${SINCE} --to ${NEWEST} --stale --yes`)).code).toBe(0);
    expect(await rows()).toEqual(before);
    expect((await cli('plan')).out).toBe('Nothing would be planned.\n');
  });
});

describe('jobs whose filters change when they exchange their names', () => {
  const narrower = ', max_rank: 5';

  it('are recognised where each job now asks for rows of only one other name, and reload those', async () => {
    await configure({ alpha: 'DESKTOP', beta: 'SMARTPHONE, TABLET' });
    expect(await cli('run')).toMatchObject({ code: 0 });
    const [before, asked] = [await rows(), submits()];
    await configure({ alpha: 'SMARTPHONE, TABLET', beta: 'DESKTOP' }, narrower);
    for (const job of ['alpha', 'beta'])
      expect((await cli(`plan ${job}`)).out).toContain(`${job}: 3 published weeks answer other filters than now`);
    expect(await cli('run')).toMatchObject({ code: 0 });
    expect([await rows(), submits()]).toEqual([before, asked]);
    expect(await shares()).toEqual({ alpha: 'SMARTPHONE TABLET 3', beta: 'DESKTOP 3' });
    expect((await cli(`run alpha --week ${NEWEST} --reload --yes`)).code).toBe(0);
    const desktop = (all: Awaited<ReturnType<typeof rows>>) => all.filter(({ device }) => device === 'DESKTOP');
    expect(desktop(await rows())).toEqual(desktop(before));
    // The job lost its own rows beyond the new depth, and the rows of neither device.
    const after = await rows();
    expect(after).toHaveLength(before.length);
    expect(after).not.toEqual(before);
  });

  it('when not recognised, delete no rows that the other job asks for, and say which job that is', async () => {
    const before = await rows();
    // Rows of beta are asked for by both now.
    await configure({ alpha: 'DESKTOP, SMARTPHONE', beta: 'TABLET' }, ', max_rank: 4');
    const [{ alpha, beta }] = [(await shares()) as Record<string, string>];
    expect([alpha, beta]).toEqual(['SMARTPHONE TABLET 3', 'DESKTOP 3']);
    const reload = await cli(`run alpha --week ${NEWEST} --reload --yes`);
    expect(reload.code).toBe(1);
    expect(reload.out).toMatch(/that would be deleted (is|are) what job beta asks for now and has not loaded; load them first/);
    expect(await rows()).toEqual(before);
  });
});

// kill -9 of a real process between a submit and its answer: whether the service has begun the query nobody can know, so nothing else is said.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { FaultInput } from '../../../sandbox/faults/fault.ts';
import { ensureBuilt, killPrograms, runProgram, startProgram } from '../../support/program.ts';
import { expectExactlyServed } from '../../support/served-rows.ts';
import { createTestStack, describeOnOneQueue, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';
import { jobsSince, newestWeek } from '../../support/weekly-jobs.ts';

const NEWEST = newestWeek();
const JOBS = jobsSince(NEWEST, {
  rankings: 'keyword_rankings',
});

let stack: TestStack;
beforeAll(ensureBuilt);
afterEach(() => stack.close());
afterAll(killPrograms);

const executions = () =>
  stack.read<{ state: string; outcome: string | null; remote: string | null; reason: string | null }>(
    `SELECT state, submit_outcome AS outcome, remote_execution_id AS remote, end_reason AS reason FROM searchmill.executions ORDER BY id`,
  );
const problems = async (): Promise<readonly { kind: string; title: string }[]> =>
  (JSON.parse((await runProgram(['status', '--json'], stack.env)).stdout) as { problems: { kind: string; title: string }[] }).problems;

describeOnOneQueue('a process that is killed between a submit and its answer', (queue) => {
  it.each<[string, FaultInput]>([
    ['before a byte of it came', 'stall_headers'],
    ['when half of it had come', 'stall_body'],
  ])('leaves one submit of unknown outcome, and nothing else: %s', async (_, fault) => {
    stack = await createTestStack({ queue, jobs: JOBS, sandbox: { size: 'tiny' } });
    stack.sandbox.setFaults({ rules: [{ on: { call: 'submit' }, when: { nth: 1 }, fault }] });
    const first = startProgram(['start'], stack.env);
    await until('the submit to be sent', () => stack.sandbox.report().submits.length === 1);
    expect(await executions()).toEqual([{ state: 'submitting', outcome: null, remote: null, reason: null }]);
    first.send('SIGKILL');
    expect(await first.ended).toEqual({ code: null, signal: 'SIGKILL' });
    expect((await problems()).map(({ kind }) => kind)).not.toContain('unknown-submits');

    const second = startProgram(['start'], stack.env);
    await second.says(/"msg":"started"/);
    expect(await executions()).toHaveLength(1);
    // What waiting for its lease and half a minute would do.
    await stack.pool.query("UPDATE searchmill.executions SET lease_until = clock_timestamp() - interval '1 minute'");
    await second.says(/"msg":"published"/);
    second.send('SIGTERM');
    await second.ended;

    const [lost, next] = await executions();
    expect(lost).toMatchObject({ state: 'abandoned', outcome: 'lost', remote: null });
    expect(lost?.reason).toMatch(/not known/);
    expect(next).toMatchObject({ state: 'published', outcome: 'accepted' });
    expect(stack.sandbox.report().submits).toHaveLength(2);
    const unknown = (await problems()).filter(({ kind }) => kind === 'unknown-submits');
    expect(unknown).toHaveLength(1);
    expect(unknown[0]?.title).toMatch(/^rankings: the outcome of 1 submit in the last 24 hours is not known/);
    await expectExactlyServed(stack);
  });
});

// `run` and `start` with a database that is away for a while, or has few connections left: they wait, fit themselves, or say at
// once what is missing. Nothing hangs.
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { lastCompleteWeek } from '../../../src/core/weeks.ts';
import { openProxy } from '../../chaos/tcp-proxy.ts';
import { runCli } from '../../support/command-line.ts';
import { ensureBuilt, killPrograms, startProgram } from '../../support/program.ts';
import { expectExactlyServed } from '../../support/served-rows.ts';
import { createTestStack, sandboxJobs, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';

const WEEK = lastCompleteWeek(new Date(), 'UTC', 'sunday');
const JOBS = sandboxJobs(`account_id: 12345, since: ${WEEK}, max_submits: 1, schedule: { cron: "0 0 * * 0" }`, {
  rankings: 'keyword_rankings',
});
const RUN = ['run', '--week', WEEK];

const role = `mill_${randomBytes(4).toString('hex')}`;
let stack: TestStack;
beforeAll(ensureBuilt);
afterAll(killPrograms);
beforeEach(async () => {
  stack = await createTestStack({ queue: { kind: 'postgres', redisUrl: undefined }, jobs: JOBS, sandbox: { size: 'tiny' } });
  await stack.pool.query(`CREATE ROLE ${role} LOGIN PASSWORD 'stack' IN ROLE searchmill_writer`);
});
afterEach(async () => {
  const { pool } = stack;
  await pool.query(`DROP OWNED BY ${role}`);
  await pool.query(`DROP ROLE ${role}`);
  await stack.close();
});

const publishedWeeks = async (): Promise<number> =>
  (await stack.read("SELECT FROM searchmill.executions WHERE state = 'published'")).length;

function addressOf(changes: Readonly<{ port?: number; user?: string }>): string {
  const url = new URL(stack.databaseUrl);
  if (changes.port !== undefined) url.host = `127.0.0.1:${changes.port}`;
  if (changes.user !== undefined) [url.username, url.password] = [changes.user, 'stack'];
  return url.href;
}

it('run waits for a database that goes away in the middle, says so, and ends well', async () => {
  await stack.replaceSandbox({ queryMs: 3_000 });
  const proxy = await openProxy(Number(new URL(stack.databaseUrl).port));
  try {
    const run = startProgram(RUN, { ...stack.env, DATABASE_URL: addressOf({ port: proxy.port }) });
    await until('its query', async () => (await stack.read("SELECT FROM searchmill.executions WHERE state = 'in_progress'")).length > 0);
    proxy.refuse();
    await run.says(/waiting for the database: /);
    proxy.release();
    await run.says(/the database answers again/);
    expect(await run.ended).toEqual({ code: 0, signal: null });
    await expectExactlyServed(stack);
    expect(stack.sandbox.report().submits).toHaveLength(1);
  } finally {
    await proxy.close();
  }
});

it('run loads everything with 5 connections, and says that it is slower', async () => {
  await stack.pool.query(`ALTER ROLE ${role} CONNECTION LIMIT 5`);
  const { code, err } = await runCli(RUN, { env: { ...stack.env, DATABASE_URL: addressOf({ user: role }) } });
  expect({ code, err }).toEqual({
    code: 0,
    err: `note: 5 of 5 connections of role ${role} are free, so 1 instead of 16 loads are worked on at once; with more connections and a restart it is more\n`,
  });
  await expectExactlyServed(stack);
});

it.each(['run', 'start'])('%s with 3 connections ends at once with what to do', async (verb) => {
  await stack.pool.query(`ALTER ROLE ${role} CONNECTION LIMIT 3`);
  const { code, err } = await runCli([verb], { env: { ...stack.env, DATABASE_URL: addressOf({ user: role }) } });
  expect(code).toBe(1);
  expect(err).toMatch(
    /3 of 3 connections of role mill_\w+ are free, and at least [58] are needed; raise that limit.*REDIS_URL, with which [24] are enough/,
  );
  expect(stack.sandbox.report().submits).toEqual([]);
});

it('start works on as many loads at once as connections allow, and loads everything', async () => {
  await stack.pool.query(`ALTER ROLE ${role} CONNECTION LIMIT 8`);
  const stop = new AbortController();
  const started = runCli(['start'], { env: { ...stack.env, DATABASE_URL: addressOf({ user: role }) }, stopping: stop.signal });
  await until('loads', async () => (await publishedWeeks()) === 1);
  await stack.settle();
  stop.abort();
  expect(await started).toMatchObject({ code: 0 });
  await expectExactlyServed(stack);
});

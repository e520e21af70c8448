// The tables of the queue on Postgres: missing from the start, lost on the way, or out of sight.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDeadline } from '../../../src/core/deadline.ts';
import { ConfigurationError } from '../../../src/core/errors.ts';
import { Secret } from '../../../src/core/secret.ts';
import { openQueueBackend, type QueueBackend } from '../../../src/queue/backend/backend.ts';
import { migrateQueue } from '../../../src/queue/backend/queue-tables.ts';
import { runCli } from '../../support/command-line.ts';
import { runProgram } from '../../support/program.ts';
import { useStack } from '../../support/use-stack.ts';
import { until } from '../../support/wait.ts';

const JOBS = `
connections: { main: { base_url: "\${SANDBOX_URL}", auth: { token: stack-token } } }
defaults: { account_id: 12345, since: 2026-11-08, connection: main }
jobs: [{ name: rankings, dataset: keyword_rankings }]
`;
const MISSING = /the tables of the queue are missing in schema bullmq of the database; run "searchmill migrate" without REDIS_URL/;

const stack = useStack({ jobs: JOBS, sandbox: { size: 'tiny' }, startsPrograms: true });

const openBackend = (onError: (error: Error) => void = () => undefined): Promise<QueueBackend> =>
  openQueueBackend({ databaseUrl: new Secret(stack.databaseUrl), redisUrl: undefined, ledgerId: '', onError });

describe('a queue without its tables', () => {
  beforeAll(() => stack.pool.query('DROP SCHEMA bullmq CASCADE'));
  afterAll(() => migrateQueue(new Secret(stack.databaseUrl)));

  // As after a migration with REDIS_URL.
  it.each(['start', 'run', 'backfill rankings --from 2026-11-08 --to 2026-11-14'])('makes %s refuse at once', async (verb) => {
    const stopping = openDeadline(60_000).signal;
    const { code, out, err } = await runCli(verb.split(' '), { env: stack.env, stopping });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(MISSING);
  });

  it('makes the program end with 2 and say what to do', async () => {
    const { code, stderr } = await runProgram(['run'], { ...stack.env, SEARCHMILL_COMMAND: 'searchmill' });
    expect(code).toBe(2);
    expect(stderr).toMatch(MISSING);
  });

  it('is found by check', async () => {
    const { code, out } = await runCli(['check'], { env: stack.env });
    expect(code).toBe(1);
    expect(out).toMatch(new RegExp(`^FAIL {2}queue on Postgres: ${MISSING.source}`, 'm'));
  });

  it('spends no submit', () => {
    expect(stack.sandbox.report().submits).toEqual([]);
  });
});

describe('a queue that loses its tables', () => {
  it('is asked rarely, reports the loss, and works again when the tables are back', async () => {
    const errors: Error[] = [];
    const backend = await openBackend((error) => errors.push(error));
    const answered: string[] = [];
    const worker = backend.openWorker('lost', async ({ name }) => void answered.push(name), { concurrency: 4 });
    const queue = backend.openQueue('lost');
    const running = worker.run();
    await queue.add('before', {});
    await until('an answer', () => answered.includes('before'));
    // The worker is reading its tables, so a first try may meet a deadlock.
    await until('the tables to go', () =>
      stack.pool.query('DROP SCHEMA IF EXISTS bullmq CASCADE').then(
        () => true,
        () => false,
      ),
    );
    // Wakes the worker, as any bell of another process does.
    await stack.pool.query("SELECT pg_notify('bullmq_jobs', 'lost')");
    await until('an error', () => errors.some(({ message }) => MISSING.test(message)));
    const before = errors.length;
    for (let asked = 0; asked < 50; asked += 1) await expect(backend.ping()).rejects.toBeInstanceOf(ConfigurationError);
    // Each of these took as long as one of the worker's.
    expect(errors.length - before).toBeLessThan(10);
    await migrateQueue(new Secret(stack.databaseUrl));
    await backend.ping();
    await queue.add('after', {});
    await until('an answer', () => answered.includes('after'));
    await worker.close();
    await queue.close();
    await running;
    await backend.close();
  });

  it('makes a running process not ready', async () => {
    const instance = await stack.start();
    await instance.pingQueue();
    await stack.pool.query('ALTER TABLE bullmq.job RENAME TO job_hidden');
    await expect(instance.pingQueue()).rejects.toThrow(MISSING);
    await stack.pool.query('ALTER TABLE bullmq.job_hidden RENAME TO job');
    await instance.pingQueue();
    await stack.settle();
    await instance.stop();
  });
});

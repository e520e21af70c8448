// What `status` says while loads stand still, read off a ledger of the real engine.
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { reportInstance } from '../../../src/ledger/instances.ts';
import { runCli } from '../../support/command-line.ts';
import { freePort } from '../../support/free-port.ts';
import { startProgram } from '../../support/program.ts';
import { useStack } from '../../support/use-stack.ts';
import { until } from '../../support/wait.ts';
import { jobsSince, newestWeek } from '../../support/weekly-jobs.ts';

const JOBS = jobsSince(newestWeek(), { rankings: 'keyword_rankings' });

type Problem = Readonly<{ needsYou: boolean; title: string; why: string[]; next: string[] }>;

const SHIFTED_CLOCK = fileURLToPath(new URL('../../machines/shifted-clock.mjs', import.meta.url));

const stack = useStack({ jobs: JOBS, sandbox: { size: 'tiny' }, startsPrograms: true });

async function status(): Promise<{ text: string; problems: Problem[] }> {
  const [text, json] = [await runCli(['status'], { env: stack.env }), await runCli(['status', '--json'], { env: stack.env })];
  expect([text.code, json.code]).toEqual([0, 0]);
  return { text: text.out, problems: JSON.parse(json.out).problems };
}

it('a publish that never gets through needs a person; remote text moves no terminal', async () => {
  await stack.pool.query(`
    CREATE FUNCTION public.fill_up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      RAISE EXCEPTION E'could not extend file \\u001B]0;owned\\u0007 \\u009B2J' USING ERRCODE = '53100'; END $$;
    CREATE TRIGGER fill_up BEFORE INSERT ON searchmill.publications EXECUTE FUNCTION public.fill_up()`);
  const instance = await stack.start();
  await until('a failure', async () => (await stack.read('SELECT 1 FROM searchmill.executions WHERE last_error IS NOT NULL')).length > 0);
  await instance.stop();
  await stack.start({ role: 'scheduler' });
  await stack.pool.query(
    `UPDATE searchmill.executions SET retrying_since = now() - interval '7 minutes', lease_until = NULL, lease_owner = NULL`,
  );
  const { text, problems } = await status();
  expect(text).toMatch(/^\d problems? needs? you/);
  const failing = problems.find(({ why }) => why[0]?.startsWith('the disk is full'));
  expect(failing).toMatchObject({ needsYou: true, title: expect.stringContaining('no progress for 7 min') });
  expect(failing?.next[0]).toContain('make room');
  expect(text).not.toMatch(/(?!\n)\p{Cc}/u);
});

it('due loads that no worker takes, and submits without a known outcome, are reported', async () => {
  await stack.pool.query(`
    UPDATE searchmill.executions SET retrying_since = NULL, errors_in_row = 0, due_at = now() - interval '7 minutes';
    INSERT INTO searchmill.instances (id, role, host, pid, version) VALUES ('deaf', 'worker', 'here', 1, 'test');
    INSERT INTO searchmill.executions (id, slice_id, connection, reason, priority, filters_digest, request, page_size, max_rejected_share,
        min_keep_share, max_wait, max_submits, state, due_at, submit_started_at, submit_outcome, ended_at, end_reason)
      OVERRIDING SYSTEM VALUE
    SELECT -n, slice_id, connection, reason, priority, filters_digest, request, page_size, max_rejected_share, min_keep_share, max_wait,
           max_submits, 'abandoned', NULL, now(), 'unanswered', now(), 'unknown' FROM searchmill.executions, generate_series(1, 3) AS n`);
  const { text, problems } = await status();
  expect(problems.map(({ title }) => title)).toEqual([
    '1 load should have continued by now, for up to 7 min, and no worker takes it',
    expect.stringMatching(/^rankings: the outcome of 3 submits in the last 24 hours is not known/),
  ]);
  expect(text).toMatch(/^1 problem needs you/);
  await stack.pool.query(
    `UPDATE searchmill.executions SET submitted_at = now(), submit_outcome = 'accepted', end_reason = 'it led in a circle' WHERE id = -1`,
  );
  expect((await status()).problems).toContainEqual(
    expect.objectContaining({
      title: expect.stringContaining('is being submitted again, since the previous query'),
      why: ['it led in a circle'],
    }),
  );
  await stack.pool.query(`DROP TRIGGER fill_up ON searchmill.publications; DELETE FROM searchmill.instances WHERE id = 'deaf'`);
  await stack.start();
  await stack.settle();
  expect((await status()).text).toMatch(/^Some problems, but nothing for you to do\./);
});

it('a process that cannot use the queue is reported as long as that lasts, with the time since when', async () => {
  const report = { id: 'cut off', role: 'worker', host: 'here', pid: 2, version: 'test', jobs: null };
  const said = async (): Promise<Problem | undefined> => (await status()).problems.find(({ title }) => title.includes('the queue'));
  await reportInstance(stack.pool, report, { queueError: 'the tables of the queue are missing' });
  await stack.pool.query(`UPDATE searchmill.instances SET queue_error_since = now() - interval '4 minutes' WHERE id = 'cut off'`);
  await reportInstance(stack.pool, report, { queueError: 'the tables of the queue are missing' });
  expect(await said()).toMatchObject({ needsYou: true, title: '1 process cannot use the queue, for 4 min' });
  await reportInstance(stack.pool, report);
  expect(await said()).toBeUndefined();
});

it('a process whose rounds fail for long, and one whose clock is wrong, are reported', async () => {
  const report = { id: 'unwell', role: 'scheduler', host: 'here', pid: 3, version: 'test', jobs: null };
  const since = new Date(Date.now() - 20 * 60_000).toISOString();
  await reportInstance(stack.pool, report, { failingRounds: [{ name: 'planning', what: 'planning failed', why: 'no right', since }] });
  expect((await status()).problems).toContainEqual(
    expect.objectContaining({ needsYou: true, title: 'planning failed, for 20 min, in 1 process', why: ['no right'] }),
  );
  await reportInstance(stack.pool, report);
  // Not so far behind that the first week is in its future.
  const env = { ...stack.env, NODE_OPTIONS: `--import ${SHIFTED_CLOCK}`, CLOCK_SHIFT_MS: String(-5 * 86_400_000) };
  const process = startProgram(['start', '--role', 'scheduler'], { ...env, OPS_PORT: String(await freePort()) });
  try {
    const wrong = await until('the clock to be told of', async () =>
      (await status()).problems.find(({ title }) => title.includes('the clock of')),
    );
    expect(wrong).toMatchObject({ needsYou: true, title: expect.stringMatching(/^the clock of \S+ is 5 days behind the database's/) });
  } finally {
    process.send('SIGTERM');
    await process.ended;
  }
});

it('rows that no version can decode, and columns that were added, are told until they are acknowledged', async () => {
  const notes = async (): Promise<string[]> => {
    const { out } = await runCli(['status', '--json'], { env: stack.env });
    return (JSON.parse(out).notes as { kind: string }[])
      .map(({ kind }) => kind)
      .filter((kind) => kind === 'quarantine' || kind === 'drift');
  };
  const addDrift = (column: string): Promise<unknown> =>
    stack.pool.query(
      `INSERT INTO searchmill.drift_events (execution_id, kind, column_name, page, detail)
       SELECT coalesce(max(s.published_execution_id), max(e.id) FILTER (WHERE e.ended_at IS NULL)), 'new_column', $1, 1, 'x'
         FROM searchmill.slices s JOIN searchmill.executions e ON e.slice_id = s.id`,
      [column],
    );
  await addDrift('mood');
  expect(await notes()).toEqual(['drift']);
  const refused = await runCli(['acknowledge', 'held'], { env: stack.env });
  expect(refused).toMatchObject({ code: 2, err: expect.stringMatching(/"held" is nothing to acknowledge; expected one of failed, /) });
  const done = await runCli(['acknowledge', 'drift', '--reason', 'known'], { env: stack.env });
  expect(done).toMatchObject({ code: 0, out: expect.stringContaining('What is told as "drift" of all jobs is acknowledged') });
  expect(await notes()).toEqual([]);
  expect(await stack.read("SELECT action, reason FROM searchmill.actions WHERE action = 'acknowledge'")).toEqual([
    { action: 'acknowledge', reason: 'known' },
  ]);
  await addDrift('tone');
  expect(await notes()).toEqual(['drift']);
});

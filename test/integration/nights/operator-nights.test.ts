// Nights of an operator: something goes wrong while nobody looks. A message arrives, the page it links to explains it, the command it
// names ends it where there is one, and the recovery arrives.

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/core/log.ts';
import { Secret } from '../../../src/core/secret.ts';
import { NO_PROXIES } from '../../../src/egress/route.ts';
import { startNotifier } from '../../../src/notify/notifier.ts';
import { createMetrics } from '../../../src/ops/metrics.ts';
import { type OpsServer, startOpsServer } from '../../../src/ops/server.ts';
import type { Instance } from '../../../src/queue/instance.ts';
import { runCli } from '../../support/command-line.ts';
import { isChromiumThere, launchBrowser, PAGE_PATIENCE_MS, prepareAssets } from '../../support/dashboards.ts';
import { notifyTarget } from '../../support/notify-target.ts';
import { ensureBuilt } from '../../support/program.ts';
import { createTestStack, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';
import { type Received, startWebhookReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';
import { jobsSince, newestWeek } from '../../support/weekly-jobs.ts';

const NEWEST = newestWeek();
const JOBS = jobsSince(
  NEWEST,
  {
    rankings: 'keyword_rankings',
  },
  'max_submits: 50',
);

let stack: TestStack;
let receiver: WebhookReceiver;
let worker: Instance;
let ops: OpsServer;
let browser: Browser;
const closers: (() => Promise<unknown>)[] = [];

describe.skipIf(!isChromiumThere)('a night', () => {
  beforeAll(async () => {
    await ensureBuilt();
    browser = await launchBrowser();
    stack = await createTestStack({ queue: { kind: 'postgres', redisUrl: undefined }, jobs: JOBS, sandbox: { size: 'tiny' } });
    receiver = await startWebhookReceiver();
    const scheduler = await stack.start({ role: 'scheduler' });
    worker = await stack.start({ role: 'worker' });
    ops = await startOpsServer({
      host: '127.0.0.1',
      port: 0,
      databaseUrl: new Secret(stack.databaseUrl),
      instance: scheduler,
      metrics: createMetrics('test'),
      log: silentLogger,
      assetsFolder: await prepareAssets(),
    });
    const notifier = await startNotifier({
      proxies: NO_PROXIES,
      notify: { pages: ops.url, targets: [notifyTarget('night', receiver.url)] },
      pool: stack.pool,
      log: silentLogger,
      watchEveryMs: 100,
      sendEveryMs: 50,
    });
    closers.push(() => notifier.stop());
    await stack.settle();
  });
  afterAll(async () => {
    for (const close of closers) await close();
    await browser.close();
    await ops.close();
    await receiver.close();
    await stack.close();
  });

  type Told = Readonly<{ kind: string; page: string; problems: { title: string; commands: string[] }[] }>;

  /** The next message of a kind, and what the page that it links to shows in a browser. */
  async function hear(kind: string, type: string): Promise<Told & { shown: string }> {
    const isIt = (message: Received): boolean => message.type === type && message.data.kind === kind;
    const message = await until(`${type} of ${kind}`, () => receiver.accepted.find(isIt));
    receiver.accepted.splice(receiver.accepted.indexOf(message), 1);
    const told = message.data as unknown as Told;
    const page = await browser.newPage();
    page.setDefaultTimeout(PAGE_PATIENCE_MS);
    const errors: string[] = [];
    page.on('console', (entry) => entry.type() === 'error' && errors.push(entry.text()));
    expect((await page.goto(told.page))?.status()).toBe(200);
    const shown = await page.locator('main').innerText();
    expect(errors).toEqual([]);
    await page.close();
    return { ...told, shown };
  }

  const run = async (command: string): Promise<void> => {
    const [, ...words] = command.split(' ');
    expect(await runCli(words, { env: stack.env })).toMatchObject({ code: 0 });
  };

  /** What `searchmill status` says. */
  const status = async (): Promise<string> => (await runCli(['status'], { env: stack.env, width: 400 })).out;
  /** The first command of a kind that status names, as an operator copies it. */
  const commandIn = (said: string, verb: string): string =>
    new RegExp(`searchmill ${verb}\\S*( [a-z-]+)*`).exec(said)?.[0] ?? `${verb} is not named: ${said}`;

  it('a week is held: the message names the commands, one of which ends it', async () => {
    stack.sandbox.setFaults({ rules: [{ fault: { kind: 'shrink', keep: 0.2 }, on: { operation: 'keyword_rankings' } }] });
    await worker.reload('rankings', NEWEST, { name: 'test' });
    const { problems, shown } = await hear('held', 'problem.began');
    stack.sandbox.setFaults({ rules: [] });
    expect(problems[0]?.title).toContain(`rankings ${NEWEST}`);
    const approve = problems[0]?.commands.find((command) => command.startsWith('searchmill approve')) ?? '';
    expect(shown).toContain(approve);
    await run(approve);
    await hear('held', 'problem.ended');
    await stack.settle();
  });

  it('a credential expires, and is taken again', async () => {
    stack.sandbox.revoke();
    await worker.reload('rankings', NEWEST, { name: 'test' });
    const { shown } = await hear('credential-refused', 'problem.began');
    expect(shown).toContain('the service has refused the credential');
    stack.sandbox.restore();
    await stack.read('UPDATE searchmill.budgets SET probe_at = now()');
    await stack.read('UPDATE searchmill.executions SET due_at = now() WHERE ended_at IS NULL');
    await hear('credential-refused', 'problem.ended');
    await stack.settle();
  });

  it('the disk of the database fills up, and has room again', async () => {
    await stack.pool.query(`
    CREATE FUNCTION public.fill_up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$;
    CREATE TRIGGER fill_up BEFORE INSERT ON searchmill.publications EXECUTE FUNCTION public.fill_up()`);
    await worker.reload('rankings', NEWEST, { name: 'test' });
    await until(
      'a failure',
      async () => (await stack.read("SELECT FROM searchmill.executions WHERE last_error LIKE 'the disk is full%'")).length > 0,
    );
    await stack.read("UPDATE searchmill.executions SET retrying_since = now() - interval '7 minutes' WHERE ended_at IS NULL");
    const { shown } = await hear('failing', 'problem.began');
    expect(shown).toContain('make room for the database');
    await stack.pool.query('DROP TRIGGER fill_up ON searchmill.publications');
    await stack.read('UPDATE searchmill.executions SET due_at = now() WHERE ended_at IS NULL');
    await hear('failing', 'problem.ended');
    await stack.settle();
  });

  it('the service is down for a day, and comes back', async () => {
    stack.sandbox.setFaults({ rules: [{ fault: { kind: 'unavailable' } }] });
    await worker.reload('rankings', NEWEST, { name: 'test' });
    await until(
      'a failure',
      async () => (await stack.read('SELECT FROM searchmill.executions WHERE ended_at IS NULL AND errors_in_row > 0')).length > 0,
    );
    await stack.read("UPDATE searchmill.executions SET retrying_since = now() - interval '1 day' WHERE ended_at IS NULL");
    const { problems, shown } = await hear('failing', 'problem.began');
    expect(problems[0]?.title).toMatch(/no progress for (24 h|1 day)/);
    expect(shown).toContain('503');
    stack.sandbox.setFaults({ rules: [] });
    await stack.read('UPDATE searchmill.executions SET due_at = now() WHERE ended_at IS NULL');
    await hear('failing', 'problem.ended');
    await stack.settle();
  });

  it('the schema changes: status says what is new and names the command that ends the telling', async () => {
    stack.sandbox.setFaults({
      rules: [{ fault: { kind: 'drift', change: 'new_column', column: 'mood' }, on: { operation: 'keyword_rankings' } }],
    });
    await worker.reload('rankings', NEWEST, { name: 'test' });
    await stack.settle();
    stack.sandbox.setFaults({ rules: [] });
    const said = await status();
    expect(said).toContain('mood');
    await run(commandIn(said, 'acknowledge'));
    expect(await status()).not.toContain('mood');
  });

  it('submits are lost on their way back: status counts them and names the command that ends the telling', async () => {
    stack.sandbox.setFaults({
      rules: [{ fault: { kind: 'lost_submit' }, on: { operation: 'keyword_rankings' }, when: { nth: 1, times: 1 } }],
    });
    await worker.reload('rankings', NEWEST, { name: 'test' });
    const said = await until('status to tell of the submit', async () => {
      const text = await status();
      return /the outcome of 1 submit .* is not known/.test(text) ? text : undefined;
    });
    stack.sandbox.setFaults({ rules: [] });
    await run(commandIn(said, 'acknowledge unknown-submits'));
    expect(await status()).not.toContain('the outcome of');
    await stack.read('UPDATE searchmill.executions SET due_at = now() WHERE ended_at IS NULL');
    await stack.settle();
  });

  it('the receiver of messages is down: status names it, and what waited arrives when it is back', async () => {
    receiver.answer = (response) => void response.writeHead(503).end();
    stack.sandbox.revoke();
    await worker.reload('rankings', NEWEST, { name: 'test' });
    // As if the pauses after each failure had passed.
    const tryAgain = (): Promise<unknown> => stack.read('UPDATE searchmill.notification_targets SET due_at = now()');
    const said = await until('status to tell of the receiver', async () => {
      await tryAgain();
      const text = await status();
      return text.includes('notifications to night have failed') ? text : undefined;
    });
    expect(said).toContain('503');
    receiver.answer = undefined;
    await tryAgain();
    await hear('credential-refused', 'problem.began');
    stack.sandbox.restore();
    await stack.read('UPDATE searchmill.budgets SET probe_at = now()');
    await stack.read('UPDATE searchmill.executions SET due_at = now() WHERE ended_at IS NULL');
    await hear('credential-refused', 'problem.ended');
    await stack.settle();
    expect(await status()).not.toContain('notifications to night');
  });

  it('the only worker dies: the scheduler reports that, and names the command that starts another', async () => {
    await worker.stop();
    const scheduler = await stack.start({ role: 'scheduler' });
    await scheduler.reload('rankings', NEWEST, { name: 'test' });
    await stack.read("UPDATE searchmill.executions SET due_at = now() - interval '5 minutes' WHERE ended_at IS NULL");
    const { problems, shown } = await hear('no-process', 'problem.began');
    expect(problems[0]?.commands).toEqual(['searchmill start --role worker']);
    expect(shown).toContain('no worker is running');
    worker = await stack.start({ role: 'worker' });
    await hear('no-process', 'problem.ended');
    await stack.settle();
  });
});

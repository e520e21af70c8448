// Notifications from the ledger to a real receiver: when a problem begins, lasts and ends, in order, however the receiver behaves.

import { afterEach, describe, expect, it } from 'vitest';
import type { NotifyRules, NotifyTarget } from '../../../src/config/notify.ts';
import { compareText } from '../../../src/core/compare-text.ts';
import { silentLogger } from '../../../src/core/log.ts';
import { addDays } from '../../../src/core/weeks.ts';
import { NO_PROXIES } from '../../../src/egress/route.ts';
import { discardHeld } from '../../../src/ledger/endings.ts';
import { hold } from '../../../src/ledger/executions.ts';
import { listMessages } from '../../../src/ledger/notifications.ts';
import { type NotifierOptions, startNotifier } from '../../../src/notify/notifier.ts';
import { watchProblems } from '../../../src/notify/watch.ts';
import { findProblems } from '../../../src/problems/find-problems.ts';
import { readStatus } from '../../../src/problems/read-status.ts';
import { runCli } from '../../support/command-line.ts';
import { jobOf, useLedger, WEEK } from '../../support/ledger.ts';
import { notifyTarget } from '../../support/notify-target.ts';
import { until } from '../../support/wait.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';
import { stageWindow } from '../../support/window-steps.ts';

const ledger = useLedger();
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  const { rows } = await ledger.pool.query<{ job: string }>(
    "SELECT DISTINCT job FROM searchmill.executions e JOIN searchmill.slices s ON s.id = slice_id WHERE state = 'held'",
  );
  for (const { job } of rows) await discardHeld(ledger.pool, job);
  // A discarded week is a failed one: of no concern to the next test.
  await ledger.pool.query('TRUNCATE searchmill.slices, searchmill.notifications, searchmill.notification_targets CASCADE');
});

let lastTarget = 0;
async function open(own: Partial<NotifyRules> = {}): Promise<{ receiver: WebhookReceiver; target: NotifyTarget }> {
  const receiver = await startWebhookReceiver();
  closers.push(() => receiver.close());
  lastTarget += 1;
  return { receiver, target: notifyTarget(`target-${lastTarget}`, receiver.url, own) };
}

async function start(targets: readonly NotifyTarget[], own: Partial<NotifierOptions> = {}): Promise<() => Promise<void>> {
  const notify = { pages: 'https://pages.example', targets };
  const quick = { watchEveryMs: 30, sendEveryMs: 20, retryBaseMs: 10 };
  const notifier = await startNotifier({ notify, pool: ledger.pool, log: silentLogger, proxies: NO_PROXIES, ...quick, ...own });
  closers.push(() => notifier.stop());
  return () => notifier.stop();
}

/** Weeks of one job that the audit objects to. */
async function holdWeeks(weeks: number, job = jobOf()): Promise<string> {
  for (let index = 0; index < weeks; index++) {
    const window = { start: addDays(WEEK.start, -7 * index), end: addDays(WEEK.end, -7 * index) };
    await hold(ledger.pool, await stageWindow(ledger.pool, job, [[]], window), [{ rule: 'shrink', message: 'fewer rows <!channel>' }], 1);
  }
  return job.name;
}

const told = ({ accepted }: WebhookReceiver, kind = 'held') => accepted.filter(({ data }) => data.kind === kind);
const typesOf = (receiver: WebhookReceiver, kind?: string): string[] => told(receiver, kind).map(({ type }) => type);

describe('a target gets a message', () => {
  it('when weeks are held, all of them in one message, and when the last is decided on', async () => {
    const { receiver, target } = await open();
    const job = await holdWeeks(12);
    await start([target]);
    const [message] = await until('the message', () => told(receiver).length > 0 && told(receiver));
    expect(message).toMatchObject({
      type: 'problem.began',
      data: { kind: 'held', severity: 'error', jobs: [job], count: 12, more: 2, page: 'https://pages.example/operations' },
    });
    const [problem] = (message?.data.problems ?? []) as Record<string, unknown>[];
    expect(problem).toMatchObject({ job, why: ['fewer rows <!channel>'], page: expect.stringContaining(`/operations/jobs/${job}/`) });
    expect(problem?.commands).toEqual([
      expect.stringMatching(/^searchmill approve \d+$/),
      expect.stringMatching(/^searchmill discard \d+$/),
    ]);
    await discardHeld(ledger.pool, job);
    await until('the recovery', () => typesOf(receiver).includes('problem.ended'));
    expect(told(receiver).map(({ type, data }) => [type, data.count])).toEqual([
      ['problem.began', 12],
      ['problem.ended', 12],
    ]);
  });

  it('again while it lasts', async () => {
    const { receiver, target } = await open({ remindMs: 1 });
    await holdWeeks(1);
    await start([target]);
    await until('two reminders', () => typesOf(receiver).length > 2);
    expect(typesOf(receiver).slice(0, 3)).toEqual(['problem.began', 'problem.lasts', 'problem.lasts']);
  });

  it('nothing about older problems, when a process starts again', async () => {
    const { receiver, target } = await open();
    await holdWeeks(1);
    const stop = await start([target]);
    await until('the message', () => told(receiver).length > 0);
    await stop();
    await start([target]);
    const other = await holdWeeks(1);
    await until('the other message', () => told(receiver).some(({ data }) => (data.jobs as string[]).includes(other)));
    expect(told(receiver).map(({ data }) => data.count)).toEqual([1, 1]);
  });

  it('once, in order, by many processes at once', async () => {
    const { receiver, target } = await open();
    const pools = [1, 2, 3, 4].map(() => ledger.openPool(4));
    for (const pool of pools) await start([target], { pool });
    const jobs: string[] = [];
    for (let index = 0; index < 6; index++) {
      const job = await holdWeeks(1);
      jobs.push(job);
      await until(`the message about ${job}`, () => told(receiver).some(({ data }) => (data.jobs as string[]).includes(job)));
    }
    expect(told(receiver).flatMap(({ data }) => data.jobs)).toEqual(jobs);
    expect(new Set(receiver.accepted.map(({ id }) => id)).size).toBe(receiver.accepted.length);
  });
});

describe('a receiver that', () => {
  const failing: [string, WebhookReceiver['answer'], string | RegExp][] = [
    ['answers 500', (response) => response.writeHead(500).end(), '500'],
    ['redirects', (response) => response.writeHead(307, { location: 'http://127.0.0.1:9/other' }).end(), /^307: a redirect/],
    ['hangs up', (response) => response.destroy(), /^cannot be reached/],
    ['answers without end', (response) => void response.writeHead(503).write('x'.repeat(100_000)), '503'],
  ];
  it.each(failing)('%s gets each message later, in order, and the rest of the targets at once', async (_, answer, expected) => {
    const [broken, well] = [await open(), await open()];
    broken.receiver.answer = answer;
    await start([broken.target, well.target]);
    const first = await holdWeeks(1);
    await until('the failure', async () => (await listMessages(ledger.pool, 10)).some(({ attempts }) => attempts > 1));
    await until('the other target', () => told(well.receiver).length === 1);
    await discardHeld(ledger.pool, first);
    await until('the end, at the other target', () => told(well.receiver).length === 2);
    const [oldest] = (await listMessages(ledger.pool, 10)).filter(({ target }) => target === broken.target.name).reverse();
    expect(oldest?.answer).toMatch(expected);
    expect(JSON.stringify(await listMessages(ledger.pool, 10))).not.toMatch(/path-secret|127\.0\.0\.1/);
    broken.receiver.answer = undefined;
    await until('both messages', () => told(broken.receiver).length === 2);
    expect(typesOf(broken.receiver)).toEqual(['problem.began', 'problem.ended']);
    expect(typesOf(broken.receiver, 'notifications-failing')).toEqual([]);
  });

  it('answers 429 is left alone as long as it asks for', async () => {
    const { receiver, target } = await open();
    receiver.answer = (response) => response.writeHead(429, { 'retry-after': '600' }).end();
    await start([target]);
    await holdWeeks(1);
    const waiting = "SELECT due_at > now() + interval '590 seconds' AS waits FROM searchmill.notification_targets WHERE failures = 1";
    const { waits } = await until('the wait', async () => (await ledger.pool.query<{ waits: boolean }>(waiting)).rows[0]);
    expect(waits).toBe(true);
  });

  it('refuses a message gets the next ones', async () => {
    const { receiver, target } = await open();
    receiver.answer = (response) => response.writeHead(400).end();
    await start([target]);
    const job = await holdWeeks(1);
    await until('that it is given up', async () => (await listMessages(ledger.pool, 10)).some(({ state }) => state === 'given up'));
    receiver.answer = undefined;
    await discardHeld(ledger.pool, job);
    await until('the next', () => typesOf(receiver).includes('problem.ended'));
    expect(typesOf(receiver)).toEqual(['problem.ended']);
  });

  it('takes no message is a problem, reported to the other targets and not to this one', async () => {
    const [broken, well] = [await open(), await open()];
    broken.receiver.answer = (response) => response.writeHead(500).end();
    await start([broken.target, well.target]);
    await holdWeeks(1);
    await until('the other target to hear', () => typesOf(well.receiver, 'notifications-failing').length > 0);
    const problems = findProblems(await readStatus(ledger.pool), new Date());
    expect(problems.find(({ kind }) => kind === 'notifications-failing')).toMatchObject({
      key: `notifications-failing:::${broken.target.name}`,
      severity: 'error',
      why: ['500'],
      commands: ['searchmill notify --test'],
    });
    const own = (await listMessages(ledger.pool, 100)).filter(({ target }) => target === broken.target.name);
    expect(own.some(({ body }) => JSON.stringify(body).includes('notifications-failing'))).toBe(false);
    broken.receiver.answer = undefined;
    await until('its end', () => typesOf(well.receiver, 'notifications-failing').includes('problem.ended'));
  });
});

it('a process that dies between sending and writing that down sends again, under the same id', async () => {
  const { receiver, target } = await open();
  const stopped = await open();
  await holdWeeks(1);
  let stop: (() => Promise<void>) | undefined;
  let isFirst = true;
  receiver.answer = (response) => {
    // Cut before the answer: the sender cannot know whether the message arrived.
    if (isFirst) void stop?.();
    isFirst = false;
    receiver.answer = undefined;
    setImmediate(() => response.destroy());
  };
  stop = await start([target, stopped.target]);
  await until('the first attempt', () => receiver.requests.length > 0);
  await stop();
  await start([target]);
  await until('the message', () => told(receiver).length === 1);
  const ids = receiver.requests.map(({ headers }) => headers['webhook-id']);
  expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
});

it('a process that looks for problems writes problem and message of a target together or not at all, and those of the others all the same', async () => {
  const [refused, other] = [(await open()).target, (await open()).target];
  await start([]);
  for (const { name } of [refused, other])
    await ledger.pool.query('INSERT INTO searchmill.notification_targets (name) VALUES ($1)', [name]);
  await holdWeeks(1);
  await ledger.pool.query(`ALTER TABLE searchmill.notifications ADD CONSTRAINT refused CHECK (target <> '${refused.name}') NOT VALID`);
  const look = () => watchProblems(ledger.pool, { pages: undefined, targets: [refused, other] }, 0, () => new Date());
  const written = async (): Promise<string[]> => (await listMessages(ledger.pool, 10)).map(({ target }) => target).toSorted(compareText);
  expect((await look())?.failures).toMatchObject([{ message: expect.stringContaining('refused') as string }]);
  const { rows } = await ledger.pool.query('SELECT DISTINCT target FROM searchmill.notified_problems');
  expect(rows).toEqual([{ target: other.name }]);
  expect(await written()).toEqual([other.name]);
  await ledger.pool.query('ALTER TABLE searchmill.notifications DROP CONSTRAINT refused');
  expect((await look())?.failures).toEqual([]);
  expect(await written()).toEqual([refused.name, other.name].toSorted(compareText));
});

it('a process that stops waits for the answer to what it has sent', async () => {
  const { receiver, target } = await open();
  await holdWeeks(1);
  let answer: (() => void) | undefined;
  receiver.answer = (response) => {
    answer = () => response.end();
  };
  const stop = await start([target]);
  const respond = await until('the message', () => answer);
  const stopped = stop();
  respond();
  await stopped;
  expect((await listMessages(ledger.pool, 10)).map(({ state }) => state)).toEqual(['delivered']);
});

it('looking for problems writes nothing while nothing changes', async () => {
  const { target } = await open();
  await start([target]);
  await holdWeeks(2);
  const look = (): Promise<unknown> => watchProblems(ledger.pool, { pages: undefined, targets: [target] }, 0, () => new Date());
  const versions = async (): Promise<unknown[]> =>
    (await ledger.pool.query('SELECT key, xmin FROM searchmill.notified_problems WHERE told_at IS NOT NULL ORDER BY key')).rows;
  await until('that both are told', async () => (await versions()).length === 2);
  const before = await versions();
  await look();
  await look();
  expect(await versions()).toEqual(before);
});

it('searchmill notify list shows what became of each message', async () => {
  const { receiver, target } = await open();
  await holdWeeks(3);
  await start([target]);
  await until('the message', () => told(receiver).length > 0);
  const shown = await until('that it is written down', async () => {
    const { out } = await runCli(['notify', 'list'], { env: { DATABASE_URL: ledger.url } });
    return out.includes('delivered') && out;
  });
  expect(shown).toMatch(new RegExp(`${target.name} +problem.began, held.* delivered +1 +200`));
  const { out } = await runCli(['notify', 'list', '--json'], { env: { DATABASE_URL: ledger.url } });
  expect(JSON.parse(out)).toMatchObject([{ target: target.name, state: 'delivered' }]);
});

it('a target that lacks a variable is a problem, and has what it would have been sent once the variable is there', async () => {
  const { receiver, target } = await open();
  const { name, severity, afterMs, remindMs, gatherMs, hasDigest, events } = target;
  const rules = { severity, afterMs, remindMs, gatherMs, hasDigest, events };
  const reason = 'jobs.yaml:9:5: notify.targets.ops.slack: the variable SLACK_WEBHOOK is not set; expected SLACK_WEBHOOK';
  const stop = await start([{ name, kind: 'unset', reason, ...rules }]);
  const failing = async () =>
    findProblems(await readStatus(ledger.pool), new Date()).filter(({ kind }) => kind === 'notifications-failing');
  const [problem] = await until('the problem', async () => ((await failing()).length > 0 ? failing() : undefined));
  expect(problem?.title).toBe(`notifications to ${name} are not sent, since a variable is missing; 0 messages wait`);
  expect(problem?.why).toEqual([`nothing can be sent: ${reason}`]);
  expect(problem?.next[0]).toMatch(/^set it, then send SIGHUP to each process to apply it; restart if it is in an environment variable;/);
  await holdWeeks(1);
  await until('a message that waits', async () => (await listMessages(ledger.pool, 10)).length > 0);
  await stop();
  await start([target]);
  await until('the message', () => told(receiver).length > 0);
  expect(typesOf(receiver)).toEqual(['problem.began']);
  await until('the end', async () => (await failing()).length === 0);
});

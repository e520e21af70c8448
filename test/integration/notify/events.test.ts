// Events of weeks to a real receiver: once for each week and publication, whatever dies meanwhile.
import { afterEach, expect, it } from 'vitest';
import type { NotifyTarget } from '../../../src/config/notify.ts';
import { silentLogger } from '../../../src/core/log.ts';
import { addDays, windowOfWeeks } from '../../../src/core/weeks.ts';
import { NO_PROXIES } from '../../../src/egress/route.ts';
import { discardHeld } from '../../../src/ledger/endings.ts';
import { hold } from '../../../src/ledger/executions.ts';
import { listMessages, registerTargets } from '../../../src/ledger/notifications.ts';
import { startNotifier } from '../../../src/notify/notifier.ts';
import { watchProblems } from '../../../src/notify/watch.ts';
import { jobOf, useLedger, WEEK } from '../../support/ledger.ts';
import { notifyTarget } from '../../support/notify-target.ts';
import { until } from '../../support/wait.ts';
import { startWebhookReceiver } from '../../support/webhook-receiver.ts';
import { loadWindow, stageWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

let lastTarget = 0;
async function open(events: NotifyTarget['events']) {
  const receiver = await startWebhookReceiver();
  closers.push(() => receiver.close());
  lastTarget += 1;
  return { receiver, target: notifyTarget(`events-${lastTarget}`, receiver.url, { afterMs: 3_600_000, events }) };
}

async function start(target: NotifyTarget, pool = ledger.pool): Promise<() => Promise<void>> {
  const notify = { pages: 'https://pages.example', targets: [target] };
  const quick = { watchEveryMs: 30, sendEveryMs: 20, retryBaseMs: 10 };
  const notifier = await startNotifier({ notify, pool, log: silentLogger, proxies: NO_PROXIES, ...quick });
  closers.push(() => notifier.stop());
  return () => notifier.stop();
}

const row = (job: ReturnType<typeof jobOf>, query: string): unknown[] => wireRow(job, { query });
const ALL = ['published', 'held', 'revised'] as const;

it('a target is told of each week that is published, revised or held, with counts, publication and a link', async () => {
  const { receiver, target } = await open(ALL);
  await loadWindow(ledger.pool, jobOf(), []); // from before the target: nothing of it is told
  await start(target);
  const job = jobOf();
  await loadWindow(ledger.pool, job, [row(job, 'a'), row(job, 'b')]);
  await loadWindow(ledger.pool, job, [row(job, 'a'), row(job, 'b')]); // changes nothing, so nothing is told
  await loadWindow(ledger.pool, job, [row(job, 'b'), row(job, 'c')]);
  await hold(ledger.pool, await stageWindow(ledger.pool, job, [[]]), [{ rule: 'shrink', message: 'fewer rows <!channel>' }], 1);
  const events = () => receiver.accepted.filter(({ type }) => type.startsWith('week.'));
  await until('three events', () => events().length >= 3);
  const { rows: publications } = await ledger.pool.query<{ id: number }>(
    'SELECT p.id FROM searchmill.publications p JOIN searchmill.slices s ON s.id = p.slice_id WHERE s.job = $1 ORDER BY p.id',
    [job.name],
  );
  const week = { job: job.name, dataset: 'keyword_rankings', account: String(job.accountId), week: WEEK.start, window: WEEK };
  const page = `https://pages.example/operations/jobs/${job.name}/${WEEK.start}`;
  expect(events().map(({ type, data }) => ({ type, ...data }))).toMatchObject([
    { type: 'week.published', ...week, page, publication: publications[0]?.id, counts: { inserted: 2, deleted: 0 }, objections: [] },
    { type: 'week.revised', ...week, page, publication: publications[2]?.id, counts: { inserted: 1, unchanged: 1, deleted: 1 } },
    { type: 'week.held', ...week, page, publication: null, counts: { staged: 0, published: 2 }, objections: ['fewer rows <!channel>'] },
  ]);
  expect(events()).toHaveLength(3);
  const { rows: changed } = await ledger.pool.query<{ cursor: number; ledger: string }>(
    'SELECT cursor, ledger FROM search_reports.changed_weeks WHERE account_id = $1',
    [job.accountId],
  );
  expect(events().map(({ data }) => data.cursor)).toContain(changed[0]?.cursor);
  expect(new Set(events().map(({ data }) => data.ledger))).toEqual(new Set([changed[0]?.ledger]));
  await discardHeld(ledger.pool, job.name);
});

it('a target is told that a week is revised, whichever window had loaded it before', async () => {
  const { receiver, target } = await open(ALL);
  await start(target);
  const job = jobOf();
  const later = windowOfWeeks(WEEK.start, 2);
  await loadWindow(ledger.pool, job, [row(job, 'a')], later);
  await loadWindow(ledger.pool, job, [row(job, 'a')]); // changes nothing, so nothing is told
  await loadWindow(ledger.pool, job, [row(job, 'b')]);
  await until('three events', () => receiver.accepted.length >= 3);
  expect(receiver.accepted.map(({ type, data }) => [type, data.week])).toEqual([
    ['week.published', WEEK.start],
    ['week.published', addDays(WEEK.start, 7)],
    ['week.revised', WEEK.start],
  ]);
});

it('a target gets messages of the kinds it wants, and none if it wants none', async () => {
  const [revised, none] = [await open(['revised']), await open([])];
  for (const { target } of [revised, none]) await start(target);
  const job = jobOf();
  await loadWindow(ledger.pool, job, [row(job, 'a')]);
  await loadWindow(ledger.pool, job, [row(job, 'b')]);
  await until('the event', () => revised.receiver.accepted.length > 0);
  expect(revised.receiver.accepted.map(({ type }) => type)).toEqual(['week.revised']);
  expect((await listMessages(ledger.pool, 100)).filter(({ target }) => target === none.target.name)).toEqual([]);
});

it('each event is sent once for each week and publication, by many processes at once, some of which die while they write', async () => {
  const { receiver, target } = await open(ALL);
  const notify = { pages: undefined, targets: [target] };
  await registerTargets(ledger.pool, [{ name: target.name, hasEvents: true }]);
  const jobs = Array.from({ length: 5 }, () => jobOf());
  await Promise.all(jobs.map((job) => loadWindow(ledger.pool, job, [row(job, 'a')])));
  // Dies after it has written the messages, before the commit.
  const dying = ledger.openPool(2);
  dying.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    client.query = ((...args: unknown[]) =>
      args[0] === 'COMMIT' ? Promise.reject(new Error('killed')) : query(...args)) as typeof client.query;
  });
  await expect(watchProblems(dying, notify, 0, () => new Date())).rejects.toThrow();
  expect((await listMessages(ledger.pool, 100)).filter((message) => message.target === target.name)).toEqual([]);
  for (const pool of [1, 2, 3].map(() => ledger.openPool(4))) await start(target, pool);
  await Promise.all(jobs.map((job) => loadWindow(ledger.pool, job, [row(job, 'b')])));
  await until('all events', () => receiver.accepted.length >= 10);
  const told = receiver.accepted.map(({ type, data }) => `${type} ${data.job} ${data.publication}`);
  expect(new Set(told).size).toBe(10);
  expect(told).toHaveLength(10);
  expect(receiver.accepted.map(({ data }) => Number(data.cursor))).toEqual(
    receiver.accepted.map(({ data }) => Number(data.cursor)).toSorted((a, b) => a - b),
  );
});

it('a target that asks for events later is told of what happens from then on', async () => {
  const { receiver, target } = await open([]);
  const stop = await start(target);
  const job = jobOf();
  await loadWindow(ledger.pool, job, [row(job, 'a')]);
  await stop();
  await start({ ...target, events: ALL });
  await loadWindow(ledger.pool, job, [row(job, 'b')]);
  await until('the event', () => receiver.accepted.length > 0);
  expect(receiver.accepted.map(({ type }) => type)).toEqual(['week.revised']);
});

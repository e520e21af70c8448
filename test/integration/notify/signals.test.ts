// Signals and briefs from rows to real receivers: each told once, by Slack, webhook and e-mail, whatever starts again.
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { NotifyAddress, NotifyRules, NotifyTarget } from '../../../src/config/notify.ts';
import type { Job } from '../../../src/config/settings.ts';
import { silentLogger } from '../../../src/core/log.ts';
import { Secret } from '../../../src/core/secret.ts';
import { type IsoDate, windowOfWeeks } from '../../../src/core/weeks.ts';
import { readBoards } from '../../../src/dashboards/boards.ts';
import { aiSearchResponse } from '../../../src/datasets/ai-search-response.ts';
import { NO_PROXIES } from '../../../src/egress/route.ts';
import { endExecution } from '../../../src/ledger/endings.ts';
import { recordJob } from '../../../src/ledger/jobs.ts';
import { registerTargets } from '../../../src/ledger/notifications.ts';
import { readBrief } from '../../../src/notify/brief.ts';
import { startNotifier } from '../../../src/notify/notifier.ts';
import type { SignalMessage } from '../../../src/notify/signal-message.ts';
import { tellSignals } from '../../../src/notify/tell-signals.ts';
import { nextTick } from '../../../src/pipeline/expected-weeks.ts';
import { readStatus } from '../../../src/problems/read-status.ts';
import { readRules } from '../../../src/signals/rules.ts';
import { insertOwnDomains } from '../../support/account-settings.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { startMailServer } from '../../support/mail-server.ts';
import { notifyTarget } from '../../support/notify-target.ts';
import { lookAtAll } from '../../support/signal-rounds.ts';
import { until } from '../../support/wait.ts';
import { startWebhookReceiver } from '../../support/webhook-receiver.ts';
import { loadWindow, submitWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  // Targets of the next test are told of its own account alone.
  await ledger.pool.query('UPDATE searchmill.jobs SET removed_at = now() WHERE removed_at IS NULL');
});

const BEFORE: IsoDate = '2026-11-01';
const NOW: IsoDate = '2026-11-08';
const PAGES = 'https://pages.example';
const THRESHOLDS = { least_volume: 100, least_lead: 0.1, least_points: 1, least_citations: 1, least_criticism: 1, least_naming: 1 };
const rules = readRules();
/** A Monday, half an hour after the schedule has fired, later than everything that the tests load. */
let monday: Date;
beforeAll(() => {
  // The day before it must not be over, whatever day it is.
  const afterTwoDays = new Date(Date.now() + 2 * 24 * 60 * 60_000);
  monday = new Date((nextTick(jobOf(), afterTwoDays) as Date).getTime() + 30 * 60_000);
});
const later = (minutes: number): Date => new Date(monday.getTime() + minutes * 60_000);
const WEEK_MINUTES = 7 * 24 * 60;

/** Searches with our result at a place. */
const load = (job: Job, week: IsoDate, places: Readonly<Record<string, number>>) =>
  loadWindow(
    ledger.pool,
    job,
    Object.entries(places).map(([query, place]) =>
      wireRow(
        job,
        {
          query,
          account_name: 'Acme <b>',
          device: 'DESKTOP',
          search_engine: 'GOOGLE',
          root_domain: 'acme.example',
          normalized_url: 'https://acme.example/crm',
          average_search_volume: '500',
          rank_standard: String(place),
        },
        week,
      ),
    ),
    windowOfWeeks(week, 1),
  );
const look = (): Promise<void> => lookAtAll(ledger.pool, rules, { isEnabled: true, thresholds: THRESHOLDS });

/** Two weeks, in the second of which our result has left the first 3. */
async function loaded(since: IsoDate = BEFORE): Promise<Job> {
  const job = jobOf({ since });
  await insertOwnDomains(ledger.pool, job.accountId, 'acme.example');
  await recordJob(ledger.pool, job, NOW);
  await load(job, BEFORE, { crm: 2, erp: 1 });
  await load(job, NOW, { crm: 7, erp: 1 });
  await look();
  return job;
}
/** As the choices of the board Search. */
const TRACKED = 'device=DESKTOP&engine=GOOGLE';
const SIGNAL = '“crm” has left the first 3 (Desktop, Google): place 7, after 2; searched 500 times a month';

let lastTarget = 0;
async function targetOf(own: Partial<NotifyRules> = {}, to: string | NotifyAddress = 'http://127.0.0.1:9/'): Promise<NotifyTarget> {
  lastTarget += 1;
  const target = notifyTarget(`signals-${lastTarget}`, to, { afterMs: 3_600_000, hasSignals: true, ...own });
  await registerTargets(ledger.pool, [{ name: target.name, hasEvents: false }]);
  return target;
}

/** As `loaded`, with one week more, and a target that was told of that. */
async function toldOfNext(): Promise<{ job: Job; target: NotifyTarget }> {
  const job = await loaded();
  const target = await targetOf();
  await load(job, '2026-11-15', { crm: 7, erp: 1 });
  await look();
  await tell(target, monday);
  return { job, target };
}

const tell = async (target: NotifyTarget, at: Date): Promise<void> =>
  tellSignals(ledger.pool, { pages: PAGES, targets: [target] }, await readStatus(ledger.pool), at);

type Told = Readonly<{ type: string; texts: string[]; late: string[]; takenBack: string[] }> & Pick<SignalMessage, 'data'>;
/** What the outbox has for a target about the account of a job. */
async function toldOf({ name }: NotifyTarget, { accountId }: Job): Promise<Told[]> {
  const { rows } = await ledger.pool.query<{ body: SignalMessage }>(
    "SELECT body FROM searchmill.notifications WHERE target = $1 AND body -> 'data' ->> 'account' = $2 ORDER BY id",
    [name, accountId],
  );
  const textsOf = (signals: SignalMessage['data']['signals']): string[] =>
    signals.filter(({ rule }) => rule === 'left-places').map(({ text }) => text);
  return rows.map(({ body: { type, data } }) => {
    const { signals, late, takenBack } = data;
    return { type, data, texts: textsOf(signals), late: textsOf(late), takenBack: textsOf(takenBack) };
  });
}

describe('signals of a week', () => {
  it('are reported once all is loaded, by one of many processes, with links to the boards', async () => {
    const job = await loaded();
    const target = await targetOf();
    const status = await readStatus(ledger.pool);
    const pools = [1, 2, 3, 4].map(() => ledger.openPool(4));
    await Promise.all(pools.map((pool) => tellSignals(pool, { pages: PAGES, targets: [target] }, status, monday)));
    await tell(target, later(WEEK_MINUTES));
    const [message, ...others] = await toldOf(target, job);
    expect(others).toEqual([]);
    expect(message).toMatchObject({
      type: 'signals',
      texts: [SIGNAL],
      data: { account: String(job.accountId), name: 'Acme <b>', week: NOW, more: 0, takenBackCount: 0, brief: null },
    });
    const query = `account=${job.accountId}`;
    expect(message?.data.page).toBe(`${PAGES}/boards/home?${query}`);
    expect(message?.data.signals.find(({ text }) => text === SIGNAL)?.page).toBe(
      `${PAGES}/boards/search?${query}&keyword=crm&${TRACKED}&weeks=2026-08-16..${NOW}`,
    );
  });

  it('wait while something of the account is loaded, six hours at most', async () => {
    const job = await loaded();
    const target = await targetOf();
    await submitWindow(ledger.pool, job, windowOfWeeks('2026-10-25', 1), 'catch_up');
    const { rows } = await ledger.pool.query<{ at: Date }>('SELECT min(found_at) AS at FROM searchmill.signals WHERE account_id = $1', [
      job.accountId,
    ]);
    const sixHours = (rows[0]?.at.getTime() ?? 0) + 6 * 3_600_000;
    await tell(target, new Date(sixHours - 1_000));
    expect(await toldOf(target, job)).toEqual([]);
    await tell(target, new Date(sixHours + 1_000));
    expect((await toldOf(target, job)).map(({ texts }) => texts)).toEqual([[SIGNAL]]);
  });

  it('that a revision takes back are reported as taken back, once, and as news when they are found again', async () => {
    const job = await loaded();
    const target = await targetOf();
    await tell(target, monday);
    await load(job, NOW, { crm: 3, erp: 1 });
    // From the publication until the next look nothing is known, so nothing is said.
    await tell(target, later(10));
    expect(await toldOf(target, job)).toHaveLength(1);
    await look();
    await tell(target, later(20));
    await tell(target, later(30));
    await load(job, NOW, { crm: 8, erp: 1 });
    await look();
    await tell(target, later(40));
    const told = (await toldOf(target, job)).map(({ type, texts, takenBack }) => ({ type, texts, takenBack }));
    expect(told).toEqual([
      { type: 'signals', texts: [SIGNAL], takenBack: [] },
      { type: 'signals', texts: [], takenBack: [SIGNAL] },
      { type: 'signals', texts: [SIGNAL.replace('place 7', 'place 8')], takenBack: [] },
    ]);
  });

  it('that are taken back before they were sent are not sent', async () => {
    const job = await loaded();
    const target = await targetOf();
    await load(job, NOW, { crm: 2, erp: 1 });
    await look();
    await tell(target, monday);
    expect((await toldOf(target, job)).flatMap(({ texts, takenBack }) => [...texts, ...takenBack])).toEqual([]);
  });

  it('of weeks before the newest are not sent to a new target', async () => {
    const { job, target } = await toldOfNext();
    await tell(target, later(10));
    expect((await toldOf(target, job)).flatMap(({ texts, late }) => [...texts, ...late])).toEqual([]);
  });

  it.each(['signals', 'brief'] as const)('of earlier weeks that were loaded late are reported once, apart, by %s', async (type) => {
    const job = await loaded('2026-10-18');
    const target = await targetOf(type === 'signals' ? {} : { hasSignals: false, briefOn: 'monday' });
    await tell(target, monday);
    await load(job, '2026-10-18', { crm: 2, erp: 1 });
    await load(job, '2026-10-25', { crm: 2, erp: 5 });
    await look();
    for (const minutes of [10, 20, WEEK_MINUTES, 2 * WEEK_MINUTES]) await tell(target, later(minutes));
    const told = await toldOf(target, job);
    const erp = '“erp” has left the first 3 (Desktop, Google): place 5, after 1; searched 500 times a month';
    expect(told.flatMap(({ late }) => late)).toEqual([erp]);
    const message = told.find(({ late }) => late.length > 0);
    expect(message?.data).toMatchObject({ week: NOW, lateCount: message?.data.late.length });
    expect(message?.texts).toEqual(type === 'signals' ? [] : [SIGNAL]);
    expect(message?.data.late.find(({ text }) => text === erp)).toMatchObject({
      week: '2026-10-25',
      page: `${PAGES}/boards/search?account=${job.accountId}&keyword=erp&${TRACKED}&weeks=2026-08-02..2026-10-25`,
    });
  });

  it('of an earlier week that a revision brings are reported as late, and those that it takes back as taken back', async () => {
    const { job, target } = await toldOfNext();
    await load(job, NOW, { crm: 2, erp: 9 });
    await look();
    await tell(target, later(20));
    const told = await toldOf(target, job);
    expect(told.flatMap(({ late }) => late)).toEqual([
      '“erp” has left the first 3 (Desktop, Google): place 9, after 1; searched 500 times a month',
    ]);
    expect(told.flatMap(({ texts }) => texts)).toEqual([
      '“crm” has left the first 3 (Desktop, Google): place 7, after 2; searched 500 times a month',
    ]);
  });

  it('are reported as late only if all that was expected of the account had been there', async () => {
    const job = await loaded('2026-10-18');
    const target = await targetOf();
    const catchUp = await submitWindow(ledger.pool, job, windowOfWeeks('2026-10-11', 1), 'catch_up');
    await tell(target, monday);
    await load(job, '2026-10-18', { crm: 2, erp: 1 });
    await load(job, '2026-10-25', { crm: 2, erp: 5 });
    await look();
    await tell(target, later(10));
    await endExecution(ledger.pool, catchUp, { state: 'failed', reason: 'the service refused it' });
    await tell(target, later(20));
    await tell(target, later(30));
    const told = await toldOf(target, job);
    expect(told.map(({ texts }) => texts)).toEqual([[SIGNAL]]);
    expect(told.flatMap(({ late }) => late)).toEqual([]);
  });

  it('and the note that they were sent are written together or not at all', async () => {
    const job = await loaded();
    const target = await targetOf();
    await ledger.pool.query("ALTER TABLE searchmill.notifications ADD CONSTRAINT refused CHECK (type <> 'signals') NOT VALID");
    await expect(tell(target, monday)).rejects.toThrow();
    expect((await ledger.pool.query('SELECT FROM searchmill.told_signals WHERE target = $1', [target.name])).rowCount).toBe(0);
    await ledger.pool.query('ALTER TABLE searchmill.notifications DROP CONSTRAINT refused');
    await tell(target, monday);
    expect(await toldOf(target, job)).toHaveLength(1);
  });

  it('leave no record of having been sent once they are deleted', async () => {
    await loaded();
    const target = await targetOf();
    await tell(target, monday);
    const known = () => ledger.pool.query('SELECT FROM searchmill.told_signals WHERE target = $1', [target.name]);
    expect((await known()).rowCount).toBeGreaterThan(0);
    await ledger.pool.query('DELETE FROM searchmill.signals');
    expect((await known()).rowCount).toBe(0);
  });
});

describe('the brief', () => {
  it('names moves of the newest week only, and says which week a figure is from', async () => {
    const job = await loaded();
    const asked = jobOf({ dataset: aiSearchResponse, accountId: job.accountId, since: NOW });
    await recordJob(ledger.pool, asked, '2026-11-15');
    const answer = { ai_search_engine: 'chatgpt', prompt: 'best crm' };
    for (const week of [NOW, '2026-11-15']) await loadWindow(ledger.pool, asked, [wireRow(asked, answer, week)], windowOfWeeks(week, 1));
    await look();
    const home = readBoards().find(({ name }) => name === 'home');
    const brief = home && (await readBrief(ledger.pool, home, String(job.accountId), () => null));
    expect(brief?.unread).toEqual([]);
    expect(brief?.figures.find(({ title }) => title === 'Searches in the first three')?.text).toMatch(new RegExp(`^week of ${NOW}: `));
    expect(brief?.figures.find(({ title }) => title === 'Mention rate')?.text).toMatch(/^no figure in the week of 2026-11-15: brands/);
    expect(brief?.facts.map(({ text }) => text).join(' ')).not.toContain('crm');
    expect(brief?.facts.map(({ text }) => text).join(' ')).toContain(`No week after that of ${NOW}: `);
  });

  it('comes on its day, once, with the figures of home, signals and what is missing', async () => {
    const job = await loaded();
    const target = await targetOf({ hasSignals: false, briefOn: 'monday' });
    // First seen after this week's Monday: nothing before the next.
    await tell(target, monday);
    expect(await toldOf(target, job)).toEqual([]);
    await tell(target, later(WEEK_MINUTES - 31));
    expect(await toldOf(target, job)).toEqual([]);
    for (const minutes of [0, 1, 60, WEEK_MINUTES - 60]) await tell(target, later(WEEK_MINUTES + minutes));
    const [message, ...others] = await toldOf(target, job);
    expect(others).toEqual([]);
    expect(message).toMatchObject({ type: 'brief', texts: [SIGNAL], data: { name: 'Acme <b>', week: NOW } });
    const { brief } = message?.data ?? {};
    const page = `${PAGES}/boards/home?account=${job.accountId}`;
    expect(brief?.unread).toEqual([]);
    expect(brief?.figures).toContainEqual({
      title: 'Searches in the first three',
      text: `50 %, −50 points against ${BEFORE}, too few to tell`,
      page: `${page}#first-three`,
    });
    expect(brief?.facts).toContainEqual({ text: expect.stringMatching(/^A quiet week: no change since /), page: `${page}#news` });
    expect(brief?.missing.empty).toBe('Every week is complete.');
    await tell(target, later(2 * WEEK_MINUTES));
    expect(await toldOf(target, job)).toHaveLength(2);
  });

  it('replaces the message about signals, and says what was taken back since', async () => {
    const job = await loaded();
    const target = await targetOf({ briefOn: 'monday' });
    await tell(target, later(-24 * 60));
    await load(job, NOW, { crm: 3, erp: 9 });
    await look();
    await tell(target, monday);
    const told = await toldOf(target, job);
    expect(told.map(({ type }) => type)).toEqual(['signals', 'brief']);
    expect(told[1]?.takenBack).toEqual([SIGNAL]);
    expect(told[1]?.texts.join()).toContain('“erp” has left the first 3');
  });
});

it('Slack, a webhook and e-mail each get one message, also when the process starts again', async () => {
  const [hook, slack, mail] = [await startWebhookReceiver(), await startWebhookReceiver(), await startMailServer()];
  closers.push(() => Promise.all([hook.close(), slack.close(), mail.close()]));
  slack.answer = (response) => response.end('ok');
  const job = await loaded();
  const targets = [
    await targetOf({}, hook.url),
    await targetOf({}, { kind: 'slack', url: new Secret(slack.url) }),
    await targetOf(
      {},
      { kind: 'email', url: new Secret(mail.url), mail: { from: 'searchmill@example.com', to: ['team@example.com'], allowsPlain: false } },
    ),
  ];
  const quick = { watchEveryMs: 30, sendEveryMs: 20, retryBaseMs: 10, now: () => monday };
  const isOurs = (text: string): boolean => text.includes(`account=${job.accountId}`) || text.includes(`account=3D${job.accountId}`);
  const got = () => [
    hook.accepted.filter(({ type, data }) => type === 'signals' && data.account === String(job.accountId)).length,
    slack.requests.filter(({ body }) => isOurs(body)).length,
    mail.received.filter(({ source }) => isOurs(source.replaceAll(/=\r\n/g, ''))).length,
  ];
  for (const time of [1, 2]) {
    const notifier = await startNotifier({
      notify: { pages: PAGES, targets },
      pool: ledger.pool,
      log: silentLogger,
      proxies: NO_PROXIES,
      ...quick,
    });
    closers.push(() => notifier.stop());
    const other = time === 2 ? await loaded() : job;
    await until(
      'the messages',
      () =>
        mail.received.some(({ source }) => source.replaceAll(/=\r\n/g, '').includes(`account=3D${other.accountId}`)) &&
        hook.accepted.some(({ data }) => data.account === String(other.accountId)) &&
        slack.requests.some(({ body }) => body.includes(`account=${other.accountId}`)),
    );
    await notifier.stop();
    expect(got()).toEqual([1, 1, 1]);
  }
  const body = JSON.parse(slack.requests.find(({ body }) => isOurs(body))?.body ?? '') as { text: string };
  expect(body.text).toContain('*Acme &lt;b&gt;: ');
  expect(body.text).toContain(
    `• ${SIGNAL} <${PAGES}/boards/search?account=${job.accountId}&amp;keyword=crm&amp;${TRACKED.replaceAll('&', '&amp;')}&amp;weeks=2026-08-16..${NOW}|look>`,
  );
  const source = mail.received.find(({ source }) => isOurs(source.replaceAll(/=\r\n/g, '')))?.source ?? '';
  expect(source).toMatch(/^Subject: Acme <b>: \d+ signals? in the week of 2026-11-08\r$/m);
  expect(source).not.toMatch(/<b>: \d+ signals?[\s\S]{0,40}<\/h1>/);
});

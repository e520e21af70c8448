// Messages about signals: one for each account and target when a tick's loads are done and the rules have run, and the brief on its day, even
// if nothing was found. Each signal is reported once, and those of earlier weeks are listed apart. A reported signal that is removed by a
// revision is reported as taken back.
import type { Notify, NotifyTarget } from '../config/notify.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../core/clock.ts';
import { groupBy } from '../core/group-by.ts';
import { cutText, onOneLine } from '../core/invisible.ts';
import { WEEKDAYS, type Weekday } from '../core/weeks.ts';
import { readBoards } from '../dashboards/boards.ts';
import { addressOf } from '../dashboards/links.ts';
import type { KnownJob } from '../ledger/coverage.ts';
import { addMessage } from '../ledger/notifications.ts';
import { readSignals, readSilences, type Signal } from '../ledger/signals.ts';
import {
  beginAccount,
  beginBriefs,
  findBegun,
  findNews,
  lockTelling,
  noteTold,
  readTakenBack,
  readToldAccount,
  readUntold,
  type ToldAccount,
  takeBrief,
} from '../ledger/told-signals.ts';
import { lastTick, nextTick } from '../pipeline/expected-weeks.ts';
import type { Pool } from '../postgres/pool.ts';
import { inTransaction } from '../postgres/transaction.ts';
import type { Status } from '../problems/status.ts';
import { readBrief } from './brief.ts';
import type { SignalMessage, ToldSignal } from './signal-message.ts';

/** Within this time after a tick its loads have been planned, and within this time after a load the rules have run. */
const SETTLED_MS = 2 * MINUTE;
/** Messages do not wait longer than this for loads. */
const MAX_WAIT_MS = 6 * HOUR;
/** After this time the remaining accounts of a target wait for the next round. */
const MAX_ROUND_MS = 20 * SECOND;
const MAX_SHOWN = 10;
const MAX_NAME = 80;

/** Writes the messages that are due. A failure of one target or account does not stop the others. Throws the first StoreError at the end. */
export async function tellSignals(pool: Pool, { targets, pages }: Notify, status: Status, at: Date): Promise<void> {
  const started = performance.now();
  const active = status.jobs.filter(({ isEnabled, removedAt }) => isEnabled && removedAt === null);
  const accounts = groupBy(active, ({ accountId }) => String(accountId));
  const failures: unknown[] = [];
  for (const target of targets) {
    if (!target.hasSignals && target.briefOn === undefined) continue;
    const attempt = async (work: () => Promise<void>): Promise<void> => work().catch((error: unknown) => void failures.push(error));
    await attempt(async () => {
      const news = target.hasSignals ? await findNews(pool, target.name) : new Map<string, Date>();
      const begun = await findBegun(pool, target.name);
      const briefs = target.briefOn ? await beginBriefs(pool, target.name, [...accounts.keys()], at) : new Map<string, Date>();
      for (const [account, jobs] of accounts) {
        if (performance.now() - started > MAX_ROUND_MS) return;
        const own = { account, jobs, live: status.live.filter(({ job }) => jobs.some(({ name }) => name === job)) };
        const telling = { target, pages, at, news: news.get(account), briefAt: briefs.get(account), isBegun: begun.has(account) };
        await attempt(() => tellAccount(pool, telling, own));
      }
    });
  }
  if (failures.length > 0) throw failures[0];
}

type Telling = Readonly<{
  target: NotifyTarget;
  pages: string | undefined;
  at: Date;
  /** Since when there are unreported signals; undefined when there are none. */
  news: Date | undefined;
  /** When the target last got a brief of the account. */
  briefAt: Date | undefined;
  /** Whether all due loads of the account have been complete once: signals of earlier weeks count as late only after that. */
  isBegun: boolean;
}>;
type OwnLoads = Readonly<{ account: string; jobs: readonly KnownJob[]; live: Status['live'] }>;

async function tellAccount(pool: Pool, telling: Telling, own: OwnLoads): Promise<void> {
  const { target, at, news, briefAt, isBegun } = telling;
  const { account } = own;
  const readyAt = target.briefOn && briefAt ? briefReadyAt(own.jobs, target.briefOn, briefAt, at) : undefined;
  if (news === undefined && readyAt === undefined && isBegun) return;
  const known = await readToldAccount(pool, account);
  const isReady = isSettled(own, known.endedAt, at);
  const isDue = (since: Date | undefined): boolean => since !== undefined && (isReady || isOver(since, MAX_WAIT_MS, at));
  const isBrief = isDue(readyAt);
  if (isBrief || isDue(news)) await writeMessage(pool, telling, { account, known, isBrief });
  if (!isBegun && isReady && known.week !== null) await beginAccount(pool, target.name, account);
}

type Due = Readonly<{ account: string; known: ToldAccount; isBrief: boolean }>;

async function writeMessage(pool: Pool, { target, pages, at, briefAt }: Telling, { account, known, isBrief }: Due): Promise<void> {
  const page = (panel: string): string | null =>
    pages === undefined ? null : pages + addressOf(panel, { account, week: null, things: [] });
  const home = isBrief ? readBoards().find(({ name }) => name === 'home') : undefined;
  const brief = home ? await readBrief(pool, home, account, (panel) => page(`home/${panel}`)) : null;
  await inTransaction(pool, async (client) => {
    await lockTelling(client, target.name);
    if (isBrief && briefAt && !(await takeBrief(client, { target: target.name, accountId: account, since: briefAt, at }))) return;
    const untold = await readUntold(client, target.name, account);
    const takenBack = await readTakenBack(client, target.name, account);
    if (!isBrief && untold.length + takenBack.length === 0) return;
    const late = untold.filter(({ isLate }) => isLate);
    const signals = isBrief ? await readSignals(client, account, null) : untold.filter(({ isLate }) => !isLate);
    const silences = await readSilences(client, account, null);
    const tell = (signal: Signal): ToldSignal => tellSignal(signal, account, pages);
    const message: SignalMessage = {
      type: isBrief ? 'brief' : 'signals',
      timestamp: at.toISOString(),
      data: {
        account,
        name: nameOf(known, account),
        week: known.week,
        count: signals.length,
        signals: signals.slice(0, MAX_SHOWN).map(tell),
        more: Math.max(0, signals.length - MAX_SHOWN),
        late: late.slice(0, MAX_SHOWN).map(tell),
        lateCount: late.length,
        takenBack: takenBack.slice(0, MAX_SHOWN).map(tell),
        takenBackCount: takenBack.length,
        silent: silences.map(({ title, silence }) => ({ title, reason: onOneLine(silence) })),
        brief,
        page: page('home'),
      },
    };
    await addMessage(client, target.name, message);
    await noteTold(client, target.name, untold, takenBack);
  });
}

const isOver = (since: Date, ms: number, at: Date): boolean => at.getTime() - since.getTime() >= ms;

/** Whether all due loads of the account are done and the rules have run. `endedAt`: when its last load ended. */
export function isSettled({ jobs, live }: Pick<OwnLoads, 'jobs' | 'live'>, endedAt: Date | null, at: Date): boolean {
  const isRecent = (time: Date | null | undefined): boolean => time !== null && time !== undefined && !isOver(time, SETTLED_MS, at);
  const isBusy = live.some(({ state, isPaused }) => state !== 'held' && !isPaused);
  return !isBusy && !isRecent(endedAt) && !jobs.some((schedule) => isRecent(lastTick({ schedule }, at)));
}

/**
 * Since when the brief of weekday `day` is due: when every job's schedule has fired, on that day or else in that week; a job whose schedule
 * is later delays it by at most MAX_WAIT_MS. At the earliest, the beginning of `day`, in the time zone of the account's first job.
 * Undefined before that, and when the brief was already written.
 */
export function briefReadyAt(jobs: readonly KnownJob[], day: Weekday, briefAt: Date, at: Date): Date | undefined {
  const [timezone = 'UTC'] = jobs.map((job) => job.timezone);
  const begun = (weekday: Weekday): Date | undefined =>
    lastTick({ schedule: { cron: `0 0 * * ${WEEKDAYS.indexOf(weekday)}`, timezone } }, at);
  const [since, weekEnded] = [begun(day), begun('sunday')];
  if (since === undefined || weekEnded === undefined || briefAt >= since) return undefined;
  const wanted = jobs.flatMap((schedule): Date[] => {
    const next = nextTick({ schedule }, new Date(since.getTime() - 1));
    const isOnDay = next !== undefined && next.getTime() - since.getTime() < DAY;
    const first = isOnDay ? next : nextTick({ schedule }, new Date(weekEnded.getTime() - 1));
    return first ? [first > since ? first : since] : [];
  });
  const times = wanted.map((time) => time.getTime());
  if (times.length === 0) return undefined;
  const [first, last] = [Math.min(...times), Math.max(...times)];
  if (last <= at.getTime()) return new Date(last);
  // A job with a later schedule delays the brief no longer than loads may.
  return first + MAX_WAIT_MS <= at.getTime() ? new Date(first) : undefined;
}

function nameOf({ name }: ToldAccount, account: string): string {
  const tidy = cutText(onOneLine(name ?? ''), MAX_NAME);
  return tidy === '' ? `Account ${account}` : tidy;
}

/** The variable of the boards for a field of a signal's `about`, where it has another name. */
const VARIABLES: Readonly<Record<string, string>> = { query: 'keyword', url: 'page' };

function tellSignal({ rule, title, week, text, about }: Signal, account: string, pages: string | undefined): ToldSignal {
  const { panel, ...named } = about;
  const things = Object.entries(named).flatMap(([name, value]) => (value === null ? [] : [[VARIABLES[name] ?? name, value] as const]));
  return { rule, title, week, text, page: panel && pages !== undefined ? pages + addressOf(panel, { account, week, things }) : null };
}

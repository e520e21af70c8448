// The digest: what was loaded since the last one. It is due when the loads of a tick are done.

import { HOUR, MINUTE } from '../core/clock.ts';
import { sumOf } from '../core/numbers.ts';
import type { PublishedSum } from '../ledger/notifications.ts';
import { lastTick } from '../pipeline/expected-weeks.ts';
import { findProblems } from '../problems/find-problems.ts';
import type { Status } from '../problems/status.ts';
import { findVerdict, type Verdict } from '../problems/verdict.ts';

/** Within this time after a tick, its loads have been planned. */
const PLANNED_MS = 2 * MINUTE;
/** The digest does not wait longer than this for loads. */
const MAX_WAIT_MS = 6 * HOUR;
const MAX_JOBS = 50;

export type Digest = Readonly<{
  type: 'digest';
  timestamp: string;
  data: Readonly<{
    from: string;
    to: string;
    verdict: string;
    weeks: Readonly<Record<'expected' | 'published' | 'underWay' | 'held', number>>;
    problems: number;
    loads: number;
    jobs: readonly PublishedSum[];
    more: number;
  }>;
}>;

/** Whether a schedule has fired since the last digest, and its loads are done or took longer than MAX_WAIT_MS. */
export function isDigestDue({ jobs, live }: Status, digestAt: Date, now: Date): boolean {
  const ticks = jobs
    .filter(({ isEnabled, removedAt }) => isEnabled && removedAt === null)
    .flatMap((job) => lastTick({ schedule: job }, now)?.getTime() ?? [])
    .filter((tick) => tick > digestAt.getTime());
  if (ticks.length === 0) return false;
  const sinceLastMs = now.getTime() - Math.max(...ticks);
  const isBusy = live.some(({ state, isPaused }) => state !== 'held' && !isPaused);
  return sinceLastMs >= PLANNED_MS && (!isBusy || now.getTime() - Math.min(...ticks) >= MAX_WAIT_MS);
}

export function digestMessage(status: Status, published: readonly PublishedSum[], from: Date, now: Date): Digest {
  const problems = findProblems(status, now);
  const verdict: Verdict = findVerdict(status, problems);
  const held = status.live.filter(({ state }) => state === 'held').length;
  const { expected, published: there, underWay } = verdict;
  return {
    type: 'digest',
    timestamp: now.toISOString(),
    data: {
      from: from.toISOString(),
      to: now.toISOString(),
      verdict: verdict.text,
      weeks: { expected, published: there, underWay, held },
      problems: problems.length,
      loads: sumOf(published, ({ loads }) => loads),
      jobs: published.slice(0, MAX_JOBS),
      more: Math.max(0, published.length - MAX_JOBS),
    },
  };
}

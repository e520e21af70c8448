// Why run, backfill or demo had nothing to load: every week is published, or which are not.
import type { Job } from '../config/settings.ts';
import { count } from '../core/numbers.ts';
import type { IsoDate } from '../core/weeks.ts';
import type { CoverageState, CoveredWeek } from '../ledger/coverage.ts';

export type Nothing = Readonly<{
  text: string;
  /** Whether weeks are held: nothing was loaded, but not all is done. */
  hasHeld: boolean;
}>;

const ORDER = ['held', 'running', 'failed', 'missing', 'expired'] as const satisfies readonly CoverageState[];

/** `weeksOf`: the weeks that a person asked for of a job; undefined if all expected ones were asked for. `isPart`: other jobs were left out. */
export function describeNothing(
  jobs: readonly Job[],
  coverage: readonly CoveredWeek[],
  weeksOf: (job: Job) => readonly IsoDate[] | undefined,
  isPart: boolean,
): Nothing {
  if (jobs.length === 0) return { text: 'Nothing was loaded: every job is left out.', hasHeld: false };
  const chosen = jobs.flatMap((job) => {
    const weeks = weeksOf(job);
    return coverage.filter((week) => week.job === job.name && (weeks ? weeks.includes(week.week) : week.isExpected));
  });
  const others = ORDER.flatMap((state) => {
    const amount = chosen.filter((week) => week.state === state).length;
    return amount === 0 ? [] : [`${amount} ${state}`];
  });
  const isSpan = jobs.some((job) => weeksOf(job) !== undefined);
  if (others.length > 0) {
    const unpublished = chosen.filter(({ state }) => state !== 'published').length;
    const what = `${unpublished} of ${count(chosen.length, isSpan ? 'week' : 'expected week')} ${unpublished === 1 ? 'is' : 'are'} not published`;
    return {
      text: `Nothing to load now, but ${what}: ${others.join(', ')}; "searchmill status" says what to do.`,
      hasHeld: chosen.some(({ state }) => state === 'held'),
    };
  }
  if (isSpan) return { text: 'Nothing to do: those weeks are already published; --reload loads them again.', hasHeld: false };
  return { text: `Nothing to do: every expected week${isPart ? ' of the other jobs' : ''} is loaded.`, hasHeld: false };
}

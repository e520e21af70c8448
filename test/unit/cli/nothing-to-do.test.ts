// What run says when there is nothing to load: a week counts as loaded only when it is published.
import { expect, it } from 'vitest';
import { describeNothing } from '../../../src/cli/nothing-to-do.ts';
import type { Job } from '../../../src/config/settings.ts';
import type { CoveredWeek } from '../../../src/ledger/coverage.ts';

const JOBS = [{ name: 'rankings' }, { name: 'brands' }] as unknown as Job[];
const week = (job: string, day: string, state: CoveredWeek['state'], isExpected = true): CoveredWeek =>
  ({ job, week: day, state, isExpected }) as unknown as CoveredWeek;
const all = (): undefined => undefined;

it('says that all is loaded when every expected week is published', () => {
  const coverage = [
    week('rankings', '2026-11-08', 'published'),
    week('rankings', '2026-11-01', 'held', false),
    week('gone', '2026-11-08', 'held'),
  ];
  expect(describeNothing(JOBS, coverage, all, false)).toEqual({ text: 'Nothing to do: every expected week is loaded.', hasHeld: false });
  expect(describeNothing(JOBS, coverage, all, true).text).toBe('Nothing to do: every expected week of the other jobs is loaded.');
});

it('does not count held, running or missing weeks as loaded', () => {
  const coverage = [
    week('rankings', '2026-11-08', 'held'),
    week('rankings', '2026-11-01', 'running'),
    week('brands', '2026-11-08', 'missing'),
    week('brands', '2026-11-01', 'published'),
  ];
  expect(describeNothing(JOBS, coverage, all, false)).toEqual({
    text: 'Nothing to load now, but 3 of 4 expected weeks are not published: 1 held, 1 running, 1 missing; "searchmill status" says what to do.',
    hasHeld: true,
  });
});

it('looks only at the weeks that were asked for', () => {
  const coverage = [week('rankings', '2026-11-08', 'held'), week('rankings', '2026-11-01', 'published', false)];
  const text = 'Nothing to do: those weeks are already published; --reload loads them again.';
  expect(describeNothing(JOBS, coverage, () => ['2026-11-01'], false)).toEqual({ text, hasHeld: false });
  expect(describeNothing(JOBS, coverage, () => ['2026-11-08'], false)).toEqual({
    text: 'Nothing to load now, but 1 of 1 week is not published: 1 held; "searchmill status" says what to do.',
    hasHeld: true,
  });
});

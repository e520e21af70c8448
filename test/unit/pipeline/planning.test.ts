// What a job should have, what was loaded under other filters, and how chosen loads are recorded.
import { describe, expect, it, vi } from 'vitest';
import { MINUTE } from '../../../src/core/clock.ts';
import { ConfigurationError } from '../../../src/core/errors.ts';
import { silentLogger } from '../../../src/core/log.ts';
import { windowOfWeeks } from '../../../src/core/weeks.ts';
import { describeWanted, findStaleWeeks, planJob, refuseAhead } from '../../../src/pipeline/plan.ts';
import { answeringPool } from '../../support/answering-pool.ts';
import { pipelineOn } from '../../support/drive.ts';
import { jobOf } from '../../support/jobs.ts';
import { publishedSlice, sliceOf } from './planned-slices.ts';

const AT = new Date('2026-11-16T06:00:00Z');
const WEEKS = ['2026-10-18', '2026-10-25', '2026-11-01', '2026-11-08'];

describe('the weeks that a job should have', () => {
  const wanted = (lookbackWeeks: number, weeks = WEEKS) => describeWanted(jobOf({ name: 'rankings', lookbackWeeks }), { tick: AT, weeks });

  it('are named by the first one, the newest one and the first of the lookback', () => {
    expect(wanted(1)).toEqual({ name: 'rankings', first: '2026-10-18', recent: '2026-11-01', newest: '2026-11-08', tick: AT });
    expect(wanted(0)).toMatchObject({ recent: '2026-11-08' });
  });

  it('have no lookback before the first', () => {
    expect(wanted(3)).toMatchObject({ recent: '2026-10-18' });
    expect(wanted(50)).toMatchObject({ first: '2026-10-18', recent: '2026-10-18' });
  });

  it('are none before the first week', () => {
    expect(wanted(1, [])).toBeUndefined();
  });
});

it('weeks that were published under other filters are stale, oldest first', () => {
  const [first = '', second = '', third = '', fourth = ''] = WEEKS;
  const stale = findStaleWeeks(jobOf({ filtersDigest: 'digest' }), [
    publishedSlice(windowOfWeeks(fourth, 1), AT, { publishedFiltersDigest: 'other' }),
    publishedSlice(windowOfWeeks(first, 2), AT, { publishedFiltersDigest: null }),
    publishedSlice(windowOfWeeks(third, 1), AT),
    sliceOf(windowOfWeeks('2026-11-15', 1), { latestFiltersDigest: 'other' }),
  ]);
  expect(stale).toEqual([first, second, fourth]);
});

it('of two publications of a week the later one counts', () => {
  const [week = ''] = WEEKS;
  const later = new Date(AT.getTime() + 1);
  const of = (at: Date, publishedFiltersDigest: string) => publishedSlice(windowOfWeeks(week, 1), at, { publishedFiltersDigest });
  const stale = (...slices: ReturnType<typeof of>[]) => findStaleWeeks(jobOf({ filtersDigest: 'digest' }), slices);
  expect(stale(of(AT, 'other'), of(later, 'digest'))).toEqual([]);
  expect(stale(of(later, 'digest'), of(AT, 'other'))).toEqual([]);
  expect(stale(of(AT, 'digest'), of(later, 'other'))).toEqual([week]);
  expect(stale(of(later, 'other'), of(AT, 'digest'))).toEqual([week]);
});

it('a clock that is more than five minutes ahead of the database is refused, one that is late is not', () => {
  const ahead = (ms: number) => () => refuseAhead(new Date(AT.getTime() + ms), AT);
  for (const ms of [-60 * MINUTE, 0, 5 * MINUTE]) expect(ahead(ms)).not.toThrow();
  expect(ahead(5 * MINUTE + 1)).toThrow(ConfigurationError);
  expect(ahead(7.9 * MINUTE)).toThrow('the clock of this machine is 7 minutes ahead of the database');
});

describe('loads that were chosen', () => {
  async function plan(weeks: readonly string[], databaseNow = AT) {
    const job = jobOf({ name: 'rankings', connection: 'main' });
    const { pool, asked } = answeringPool((name) => {
      if (name === 'transitions/plan') return [{ id: 40 + asked.filter((each) => each.name === name).length }];
      return [
        {
          id: 1,
          name: 'rankings',
          isRecorded: true,
          isKnown: true,
          now: databaseNow,
          pausedSince: null,
          found: true,
          start: '2026-11-01',
          end: '2026-11-07',
        },
      ];
    });
    const ring = vi.fn(async () => undefined);
    const info = vi.fn();
    const pipeline = pipelineOn(pool, undefined, { ring, clock: { now: () => AT } as never, log: { ...silentLogger, info } as never });
    const choose = vi.fn(() => weeks.map((week) => ({ window: windowOfWeeks(week, 1), reason: 'newest' as const })));
    const planned = await planJob(pipeline, job, { configured: [job], expectedThrough: '2026-11-08', choose });
    return { planned, ring, info, asked, choose };
  }

  it('are planned as of now, told, and rung for at once', async () => {
    const { planned, ring, info, asked } = await plan(['2026-11-08', '2026-11-01']);
    expect(planned).toEqual({ job: 'rankings', planned: [41, 42], expectedThrough: '2026-11-08' });
    expect(asked.filter(({ name }) => name === 'transitions/plan').map(({ values }) => values.plannedAt)).toEqual([AT, AT]);
    expect(ring).toHaveBeenCalledExactlyOnceWith({ kind: 'submits', connection: 'main', delayMs: 0 });
    expect(info).toHaveBeenCalledExactlyOnceWith({ job: 'rankings', planned: 2, newest: '2026-11-08' }, 'planned loads');
  });

  it('are not rung for when there are none', async () => {
    const { planned, ring, info, choose } = await plan([]);
    expect(planned).toEqual({ job: 'rankings', planned: [], expectedThrough: '2026-11-08' });
    expect(choose).toHaveBeenCalledOnce();
    expect([ring.mock.calls, info.mock.calls]).toEqual([[], []]);
  });

  it('are not planned by a clock that is ahead', async () => {
    await expect(plan(['2026-11-08'], new Date(AT.getTime() - 6 * MINUTE))).rejects.toThrow('6 minutes ahead');
  });
});

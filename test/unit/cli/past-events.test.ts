import { describe, expect, it } from 'vitest';
import { describePast } from '../../../src/cli/past-events.ts';
import type { PastEvent } from '../../../src/ledger/history.ts';

const EVENT: PastEvent = {
  at: new Date('2026-11-16T06:00:12Z'),
  event: 'published',
  sliceId: 1,
  executionId: 1,
  windowStart: '2026-11-08',
  windowEnd: '2026-11-14',
  reason: 'newest',
  actor: null,
  detail: null,
  publishedAt: new Date('2026-11-16T06:00:12Z'),
  inserted: 4700,
  updated: 0,
  unchanged: 0,
  deleted: 0,
  quarantined: 0,
  isApproved: false,
};
const UNCHANGED = { inserted: null, updated: null, unchanged: null, deleted: null, quarantined: null };
const WORDS = 'the database refused what was sent to it, since somebody has changed the table that it was sent to, which nobody expected';
const PAST = [EVENT, { ...EVENT, ...UNCHANGED, event: 'failed' as const, detail: WORDS }];

describe('the past of a job', () => {
  it.each([60, 80, 100, 120, 160, 240])('fits a terminal of %i columns without leaving anything out', (width) => {
    const text = describePast(PAST, width);
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(width);
    expect(text.replaceAll(/\s+/g, ' ')).toContain(WORDS);
    expect(text).toMatch(/4,?700/);
  });

  it('is a line for each event if there is no terminal', () => {
    expect(describePast(PAST, Number.POSITIVE_INFINITY).split('\n')).toHaveLength(4);
  });

  it('has details below the lines of a table that fits without them, else a few lines for each event', () => {
    expect(describePast(PAST, 120).split('\n').slice(3)).toEqual([
      expect.stringMatching(/^2026-11-16 06:00:12 {2}2026-11-08\.\.2026-11-14 {2}newest, failed +- +-/),
      expect.stringMatching(/^ {4}the database refused/),
      expect.stringMatching(/^ {4}/),
    ]);
    expect(describePast([EVENT], 80)).toBe('2026-11-16 06:00:12 2026-11-08..2026-11-14 newest\n    4700 inserted');
  });
});

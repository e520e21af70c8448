// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of variables
// A first day that is yet to come.
import { describe, expect, it } from 'vitest';
import { parseJobsConfig } from '../../../src/config/jobs-config.ts';
import { jobFile, mistakesIn } from './jobs-file.ts';

/** A Thursday; in Tokyo it is Friday, 2026-09-11 already. */
const clock = { now: () => new Date('2026-09-10T20:00:00Z') };

const mistakesOf = (text: string, env = {}): string[] => mistakesIn(text, env, clock);
const warningsOf = (text: string): readonly string[] => parseJobsConfig('jobs.yaml', text, {}, clock).warnings;

describe('since after today', () => {
  it('is a mistake where it is written, by the time zone of the job', () => {
    expect(mistakesOf(jobFile('account_id: 1', 'since: 2026-09-11'))).toEqual([
      '7:12: jobs[0].since: is 2026-09-11, which is after today, 2026-09-10 in UTC; expected a day up to today',
    ]);
    expect(mistakesOf(jobFile('account_id: 1', 'since: 2026-09-11', 'schedule: { timezone: Asia/Tokyo }'))).toEqual([]);
    expect(mistakesOf(jobFile('account_id: 1', 'since: 2026-09-12', 'schedule: { timezone: Asia/Tokyo }'))).toEqual([
      '7:12: jobs[0].since: is 2026-09-12, which is after today, 2026-09-11 in Asia/Tokyo; expected a day up to today',
    ]);
  });

  it('in defaults is reported once, however many jobs have it, and not when none has', () => {
    const defaults = 'defaults: { since: 2062-09-06, account_id: 1, schedule: { timezone: Asia/Tokyo } }\n';
    const other = '  - { name: b, dataset: ai_search_brands }\n';
    expect(mistakesOf(defaults + jobFile() + other)).toEqual([
      '1:20: defaults.since: is 2062-09-06, which is after today, 2026-09-11 in Asia/Tokyo; expected a day up to today',
    ]);
    expect(mistakesOf(defaults + jobFile('since: 2026-09-06'))).toEqual([]);
  });

  it('is reported beside the other mistakes of the file, and never shows a variable', () => {
    expect(mistakesOf(jobFile('account_id: 0', 'since: 2026-10-${DAY}'), { DAY: '04' })).toEqual([
      '6:17: jobs[0].account_id: is 0; expected a whole number, at least 1',
      '7:12: jobs[0].since: comes from a variable and is after today, 2026-09-10 in UTC; expected a day up to today',
    ]);
  });

  it('is not reported where the date or the time zone itself is wrong', () => {
    expect(mistakesOf(jobFile('account_id: 1', 'since: 2026-13-01'))).toHaveLength(1);
    expect(mistakesOf(jobFile('account_id: 1', 'since: 2026-10-01', 'schedule: { timezone: Nowhere }'))).toEqual([
      expect.stringMatching(/^8:27: jobs\[0\]\.schedule\.timezone/),
    ]);
  });
});

it('since in the running week is fine, with a warning that says until when nothing is expected', () => {
  const warning = 'jobs.yaml:7:12: jobs[0].since: is in the current week, so nothing is expected before 2026-09-13';
  expect(warningsOf(jobFile('account_id: 1', 'since: 2026-09-10'))).toEqual([warning]);
  expect(warningsOf(jobFile('account_id: 1', 'since: 2026-09-06'))).toEqual([warning]);
  expect(warningsOf(jobFile('account_id: 1', 'since: 2026-09-05'))).toEqual([]);
});

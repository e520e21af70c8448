// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of variables
// A first day that is yet to come.
import { describe, expect, it } from 'vitest';
import { checkWeekCount, todayAt } from '../../../src/config/check-since.ts';
import { parseJobsConfig } from '../../../src/config/jobs-config.ts';
import { readYaml } from '../../../src/config/yaml-source.ts';
import { jobOf } from '../../support/jobs.ts';
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

describe('since long ago', () => {
  it('is a mistake where it is written: a year without its century makes weeks for two thousand years', () => {
    expect(mistakesOf(jobFile('account_id: 1', 'since: 0026-09-06'))).toEqual([
      '7:12: jobs[0].since: is 0026-09-06, which is before 2000-01-01; expected a day from then on',
    ]);
    expect(mistakesOf(`defaults: { since: "\${DAY}", account_id: 1 }\n${jobFile()}`, { DAY: '1999-12-31' })).toEqual([
      '1:20: defaults.since: comes from a variable and is before 2000-01-01; expected a day from then on',
    ]);
    expect(mistakesOf(jobFile('account_id: 1', 'since: 2000-01-01'))).toEqual([]);
  });

  it('of many jobs is a mistake when they have more than a million weeks together', () => {
    const accounts = Array.from({ length: 1_000 }, (_, index) => index + 1).join(', ');
    const file = jobFile(`account_ids: [${accounts}]`, 'since: 2000-01-02');
    // 1,392 weeks of each.
    expect(mistakesOf(file)).toEqual([
      expect.stringMatching(
        /^7:12: jobs\[0\]\.since: makes the jobs up to acme-\d+ have 1000\d\d\d weeks together, more than the 1000000 that one file may plan; expected a later day, fewer jobs, or keep_weeks$/,
      ),
    ]);
    expect(mistakesOf(file.replace('since: 2000-01-02', 'since: 2000-01-02\n    keep_weeks: 104'))).toEqual([]);
    expect(mistakesOf(file.replace('since: 2000-01-02', 'since: 2000-01-02\n    enabled: false'))).toEqual([]);
  });

  it('counts the weeks that each job may have, up to the limit', () => {
    const { source } = readYaml('jobs: [{ since: 2026-08-30 }]', {});
    if (!source) throw new Error('no file');
    const entry = ['jobs', 0];
    const count = (jobs: Parameters<typeof jobOf>[0][], most: number): number =>
      checkWeekCount(
        jobs.map((changes) => ({ job: jobOf(changes), entry })),
        source,
        todayAt(clock.now()),
        most,
      ).length;
    const two = { since: '2026-08-23' };
    expect(count([two, two], 4)).toBe(0);
    expect(count([two, two], 3)).toBe(1);
    expect(count([two, { ...two, keepWeeks: 1 }], 3)).toBe(0);
    expect(count([two, { ...two, isEnabled: false }], 3)).toBe(0);
  });
});

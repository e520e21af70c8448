import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays, dateInZone, startOfWeek, WEEKDAYS } from '../../../src/core/weeks.ts';
import { describeKept, expectBySchedule, expectNow, lastTick, nextTick, refuseUnkept } from '../../../src/pipeline/expected-weeks.ts';
import { jobOf } from '../../support/jobs.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const mondays = (timezone: string) => jobOf({ schedule: { cron: '0 6 * * 1', timezone } });

describe('the last tick of a schedule', () => {
  it.each([
    ['Europe/Berlin', '2026-11-16T04:59:59.999Z', '2026-11-09T05:00:00.000Z'],
    ['Europe/Berlin', '2026-11-16T05:00:00.000Z', '2026-11-16T05:00:00.000Z'],
    ['Europe/Berlin', '2026-11-16T05:00:00.001Z', '2026-11-16T05:00:00.000Z'],
    // Summer time ends on October 25: the same wall clock is an hour later in UTC.
    ['Europe/Berlin', '2026-10-26T04:59:59.000Z', '2026-10-19T04:00:00.000Z'],
    ['Europe/Berlin', '2026-10-26T05:00:00.000Z', '2026-10-26T05:00:00.000Z'],
    ['America/New_York', '2026-03-09T10:00:00.000Z', '2026-03-09T10:00:00.000Z'],
    ['Asia/Kolkata', '2026-03-09T00:30:00.000Z', '2026-03-09T00:30:00.000Z'],
    ['Pacific/Kiritimati', '2026-03-08T15:59:59.999Z', '2026-03-01T16:00:00.000Z'],
    ['Pacific/Kiritimati', '2026-03-08T16:00:00.000Z', '2026-03-08T16:00:00.000Z'],
  ])('in %s at %s was %s', (timezone, at, tick) => {
    expect(lastTick(mondays(timezone), new Date(at))?.toISOString()).toBe(tick);
  });

  it('is never later than the instant it is asked for, and at most a week before it', () => {
    const instant = fc.date({ min: new Date('2020-01-01'), max: new Date('2035-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(instant, fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata'), (at, timezone) => {
        const tick = lastTick(mondays(timezone), at) ?? at;
        expect(tick.getTime()).toBeLessThanOrEqual(at.getTime());
        // A week in which the clock goes back has an hour more.
        expect(at.getTime() - tick.getTime()).toBeLessThanOrEqual((7 * 24 + 1) * 3_600_000);
        expect(WEEKDAYS[new Date(`${dateInZone(tick, timezone)}T00:00:00Z`).getUTCDay()]).toBe('monday');
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  it('is the same whatever was asked before, also where clocks change', () => {
    const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca'];
    const crons = ['30 2 * * *', '0 6 * * 1', '*/20 1-3 * * 0', '0 0 1 * *'];
    // Around the ends of summer time, which the steps meet.
    const instants = fc.array(fc.integer({ min: Date.parse('2026-10-20'), max: Date.parse('2026-11-05') }), {
      minLength: 2,
      maxLength: 12,
    });
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.constantFrom(...crons), instants, (timezone, cron, times) => {
        const job = jobOf({ schedule: { cron, timezone } });
        // A blank more is another key for the same schedule: nothing is remembered of it.
        let asked = 0;
        const unremembered = (): typeof job => {
          asked += 1;
          return { ...job, schedule: { cron: cron + ' '.repeat(asked), timezone } };
        };
        for (const at of times.map((time) => new Date(time)))
          expect(lastTick(job, at)?.toISOString()).toBe(lastTick(unremembered(), at)?.toISOString());
      }),
      { numRuns: propertyRuns(200) },
    );
  });

  it('is found for a schedule that fires once a year', () => {
    const job = jobOf({ schedule: { cron: '0 0 29 2 *', timezone: 'UTC' } });
    expect(lastTick(job, new Date('2026-11-16T00:00:00Z'))?.toISOString()).toBe('2024-02-29T00:00:00.000Z');
  });
});

describe('the weeks a schedule expects', () => {
  it('end with the last one that was over when it last fired', () => {
    // Sunday's week is over on Sunday the 15th, but nobody asks before Monday at six.
    const job = { ...mondays('UTC'), since: '2026-10-25' };
    expect(expectBySchedule(job, new Date('2026-11-16T05:59:59Z'))?.weeks).toEqual(['2026-10-25', '2026-11-01']);
    expect(expectBySchedule(job, new Date('2026-11-16T06:00:00Z'))?.weeks).toEqual(['2026-10-25', '2026-11-01', '2026-11-08']);
  });

  it('are all weeks that are over when somebody asks by hand', () => {
    const job = { ...mondays('UTC'), since: '2026-11-01' };
    expect(expectNow(job, new Date('2026-11-14T23:59:59Z')).weeks).toEqual(['2026-11-01']);
    expect(expectNow(job, new Date('2026-11-15T00:00:00Z')).weeks).toEqual(['2026-11-01', '2026-11-08']);
  });

  it('are none until its first week is over', () => {
    expect(expectBySchedule({ ...mondays('UTC'), since: '2026-11-15' }, new Date('2026-11-16T06:00:00Z'))?.weeks).toEqual([]);
  });

  it('follow one another without a gap from since, whatever the weekday, zone and year', () => {
    const instant = fc.date({ min: new Date('2021-01-01'), max: new Date('2030-01-01'), noInvalidDate: true });
    const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/Los_Angeles', 'Pacific/Kiritimati');
    fc.assert(
      fc.property(instant, zone, fc.constantFrom(...WEEKDAYS), (at, timezone, weekStartsOn) => {
        const since = startOfWeek('2020-06-01', weekStartsOn);
        const { weeks } = expectNow(jobOf({ since, weekStartsOn, schedule: { cron: '0 6 * * 1', timezone } }), at);
        const today = dateInZone(at, timezone);
        expect(weeks[0]).toBe(since);
        for (const [index, week] of weeks.entries()) expect(week).toBe(addDays(since, index * 7));
        expect(addDays(weeks.at(-1) ?? '', 7) <= today).toBe(true);
        expect(addDays(weeks.at(-1) ?? '', 14) > today).toBe(true);
      }),
      { numRuns: propertyRuns(80) },
    );
  });
});

describe('keep_weeks', () => {
  const at = new Date('2026-11-16T12:00:00Z');
  const job = jobOf({ name: 'acme', since: '2026-01-04', keepWeeks: 3 });

  it('bounds what is expected, besides since', () => {
    expect(expectBySchedule(job, at)?.weeks).toEqual(['2026-10-25', '2026-11-01', '2026-11-08']);
    expect(expectNow(job, at).weeks).toHaveLength(3);
    expect(expectNow(jobOf({ since: '2026-11-01', keepWeeks: 3 }), at).weeks).toEqual(['2026-11-01', '2026-11-08']);
  });

  it('refuses weeks that would be removed again', () => {
    expect(() => refuseUnkept(job, ['2026-10-25'], at)).not.toThrow();
    expect(() => refuseUnkept(jobOf(), ['2020-01-05'], at)).not.toThrow();
    expect(() => refuseUnkept(job, ['2026-10-25', '2026-10-18'], at)).toThrow(
      'job "acme" keeps 3 weeks, from 2026-10-25 on; raise its keep_weeks to load the week of 2026-10-18',
    );
  });

  it('holds for jobs that are planned', () => {
    const kept = { name: 'acme', dataset: 'keyword_rankings', since: '2026-01-04', newest: '2026-11-08' };
    expect(describeKept([job, { ...job, isEnabled: false }, { ...job, keepWeeks: undefined }], at)).toEqual([
      { ...kept, keep: 3 },
      { ...kept, keep: null },
      { ...kept, keep: null },
    ]);
  });
});

describe('schedules that seldom fire, or never', () => {
  const never = jobOf({ schedule: { cron: '0 0 31 2 *', timezone: 'UTC' } });
  const at = new Date('2026-11-16T05:00:00.000Z');

  it('have no tick, and nothing is expected by them', () => {
    expect([lastTick(never, at), nextTick(never, at), expectBySchedule(never, at)]).toEqual([undefined, undefined, undefined]);
    expect(describeKept([{ ...never, keepWeeks: 4 }], at)).toMatchObject([{ newest: null, keep: 4 }]);
  });

  it('do not matter to a request by hand, which also tries again what failed', () => {
    expect(expectNow(never, at)).toMatchObject({ tick: new Date(0), retriesFailed: true });
    expect(expectNow(mondays('UTC'), at)).toMatchObject({ tick: new Date('2026-11-09T06:00:00.000Z'), retriesFailed: true });
  });

  it('fire next after the time that is asked about', () => {
    const next = (time: string): string | undefined => nextTick(mondays('Europe/Berlin'), new Date(time))?.toISOString();
    expect(next('2026-11-16T04:59:59.000Z')).toBe('2026-11-16T05:00:00.000Z');
    expect(next('2026-11-16T05:00:00.000Z')).toBe('2026-11-23T05:00:00.000Z');
  });
});

it('weeks that keep_weeks would remove again are refused by name, and none where all are kept', () => {
  const at = new Date('2026-11-16T12:00:00.000Z');
  const job = jobOf({ name: 'rankings' });
  expect(() => refuseUnkept(job, ['2000-01-02'], at)).not.toThrow();
  expect(() => refuseUnkept({ ...job, keepWeeks: 2 }, ['2026-11-01', '2026-11-08'], at)).not.toThrow();
  expect(() => refuseUnkept({ ...job, keepWeeks: 2 }, ['2026-11-08', '2026-10-25'], at)).toThrow(
    'job "rankings" keeps 2 weeks, from 2026-11-01 on; raise its keep_weeks to load the week of 2026-10-25',
  );
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addDays,
  dateInZone,
  daysBetween,
  formatWindow,
  isIsoDate,
  lastCompleteWeek,
  monthsFromTo,
  startOfWeek,
  WEEKDAYS,
  type Weekday,
  weeksFromTo,
  weeksOfWindow,
  windowOfWeeks,
} from '../../../src/core/weeks.ts';
import { itRefuses } from '../../support/forms.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const DAY_MS = 86_400_000;
const isoOf = (dayNumber: number): string => new Date(dayNumber * DAY_MS).toISOString().slice(0, 10);
/** Days from 1900 to 2150. */
const date = fc.integer({ min: -25_567, max: 65_744 }).map(isoOf);
const weekday = fc.constantFrom<Weekday>(...WEEKDAYS);
const weekdayOf = (day: string): string | undefined => WEEKDAYS[new Date(`${day}T12:00:00Z`).getUTCDay()];

describe('a date', () => {
  it('is accepted exactly when a calendar has it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9999 }),
        fc.integer({ min: 0, max: 13 }),
        fc.integer({ min: 0, max: 32 }),
        (year, month, day) => {
          const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
          const lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
          const text = `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
          expect(isIsoDate(text)).toBe(month >= 1 && month <= 12 && day >= 1 && day <= (lengths[month - 1] ?? 0));
        },
      ),
      { numRuns: propertyRuns(2000) },
    );
  });

  itRefuses(isIsoDate, [
    '',
    '2026-1-1',
    '20260101',
    '2026-01-01T00:00:00Z',
    ' 2026-01-01',
    '2026-01-01 ',
    '2026-01-01\n',
    '0000-01-01',
    '+12026-01-01',
    '２０２６-01-01',
  ]);

  it('moves by days as a count of days does, over leap days and year ends', () => {
    fc.assert(
      fc.property(fc.integer({ min: -25_567, max: 65_744 }), fc.integer({ min: -20_000, max: 20_000 }), (day, days) => {
        expect(addDays(isoOf(day), days)).toBe(isoOf(day + days));
        expect(daysBetween(isoOf(day), isoOf(day + days))).toBe(days);
      }),
    );
  });
});

describe('a week', () => {
  it('starts on the wanted weekday, at most six days back', () => {
    fc.assert(
      fc.property(date, weekday, (day, startsOn) => {
        const start = startOfWeek(day, startsOn);
        expect(weekdayOf(start)).toBe(startsOn);
        expect(daysBetween(start, day)).toBeGreaterThanOrEqual(0);
        expect(daysBetween(start, day)).toBeLessThanOrEqual(6);
      }),
    );
  });

  it('is the same for all of its seven days', () => {
    fc.assert(
      fc.property(date, weekday, fc.integer({ min: 0, max: 6 }), (day, startsOn, later) => {
        const start = startOfWeek(day, startsOn);
        expect(startOfWeek(addDays(start, later), startsOn)).toBe(start);
      }),
    );
  });

  it('goes over the end of a year without a gap', () => {
    expect(startOfWeek('2027-01-02', 'sunday')).toBe('2026-12-27');
    expect(weeksFromTo('2026-12-20', '2027-01-10')).toEqual(['2026-12-20', '2026-12-27', '2027-01-03', '2027-01-10']);
  });
});

describe('a window', () => {
  it('holds exactly the weeks it was made of', () => {
    fc.assert(
      fc.property(date, fc.integer({ min: 1, max: 60 }), (start, weeks) => {
        const window = windowOfWeeks(start, weeks);
        expect(daysBetween(window.start, window.end)).toBe(weeks * 7 - 1);
        const inside = weeksOfWindow(window);
        expect(inside).toHaveLength(weeks);
        expect(inside[0]).toBe(start);
        for (const [index, week] of inside.entries()) expect(daysBetween(start, week)).toBe(index * 7);
      }),
    );
  });

  it('is written with both of its days', () => {
    expect(formatWindow(windowOfWeeks('2026-11-08', 1))).toBe('2026-11-08..2026-11-14');
  });

  it('touches every month from its first day to its last, each once', () => {
    fc.assert(
      fc.property(date, fc.integer({ min: 0, max: 1500 }), (first, days) => {
        const last = addDays(first, days);
        const touched = new Set(Array.from({ length: days + 1 }, (_, i) => `${addDays(first, i).slice(0, 7)}-01`));
        expect(monthsFromTo(first, last)).toEqual([...touched]);
      }),
      { numRuns: propertyRuns(50) },
    );
  });
});

describe('the date in a time zone', () => {
  const zones = [
    'UTC',
    'Europe/Berlin',
    'America/New_York',
    'Asia/Kolkata',
    'Pacific/Kiritimati',
    'Pacific/Pago_Pago',
    'Australia/Lord_Howe',
  ];

  it('is that of a wall clock there, at any instant', () => {
    const instant = fc.date({ min: new Date('1980-01-01'), max: new Date('2060-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(instant, fc.constantFrom(...zones), (at, zone) => {
        // sv-SE writes dates as ISO 8601 does.
        expect(dateInZone(at, zone)).toBe(at.toLocaleDateString('sv-SE', { timeZone: zone }));
      }),
    );
  });

  it('differs by two days at the same instant at the two ends of the world', () => {
    const at = new Date('2026-01-01T10:30:00Z');
    expect(dateInZone(at, 'Pacific/Kiritimati')).toBe('2026-01-02');
    expect(dateInZone(at, 'Pacific/Pago_Pago')).toBe('2025-12-31');
  });
});

describe('the last complete week', () => {
  const instant = fc.date({ min: new Date('1990-01-01'), max: new Date('2060-01-01'), noInvalidDate: true });
  const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/Los_Angeles', 'Asia/Tokyo', 'Australia/Lord_Howe');

  it('is over, and the next week is not', () => {
    fc.assert(
      fc.property(instant, zone, weekday, (at, timezone, startsOn) => {
        const week = lastCompleteWeek(at, timezone, startsOn);
        const today = dateInZone(at, timezone);
        expect(weekdayOf(week)).toBe(startsOn);
        expect(addDays(week, 6) < today).toBe(true);
        expect(addDays(week, 13) < today).toBe(false);
      }),
    );
  });

  it('changes at midnight of the wall clock, in winter and in summer time', () => {
    const week = (at: string): string => lastCompleteWeek(new Date(at), 'Europe/Berlin', 'sunday');
    expect(week('2026-01-10T22:59:59Z')).toBe('2025-12-28');
    expect(week('2026-01-10T23:00:00Z')).toBe('2026-01-04');
    expect(week('2026-07-11T21:59:59Z')).toBe('2026-06-28');
    expect(week('2026-07-11T22:00:00Z')).toBe('2026-07-05');
  });

  it('is right in the night in which the clock goes back', () => {
    // 2026-10-25 has 25 hours in Berlin: it starts at 22:00Z of the day before and ends at 23:00Z.
    expect(lastCompleteWeek(new Date('2026-10-24T22:00:00Z'), 'Europe/Berlin', 'sunday')).toBe('2026-10-18');
    expect(lastCompleteWeek(new Date('2026-10-25T22:59:59Z'), 'Europe/Berlin', 'monday')).toBe('2026-10-12');
    expect(lastCompleteWeek(new Date('2026-10-25T23:00:00Z'), 'Europe/Berlin', 'monday')).toBe('2026-10-19');
  });
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newestWeek, reportedDays, reportedWeeks } from '../../../../sandbox/world/reported-weeks.ts';
import { addDays, startOfWeek, WEEKDAYS } from '../../../../src/core/weeks.ts';

const day = fc.integer({ min: 0, max: 1500 }).map((days) => addDays('2023-01-01', days));

test('exactly the whole weeks inside the window, after the beginning and not after the newest, oldest first', () => {
  fc.assert(
    fc.property(day, day, day, day, fc.constantFrom(...WEEKDAYS), (start, end, historyStart, anyDay, weekStartsOn) => {
      const newest = startOfWeek(anyDay, weekStartsOn);
      const expected = [];
      for (let date = start; addDays(date, 6) <= end; date = addDays(date, 1)) {
        if (startOfWeek(date, weekStartsOn) === date && date >= historyStart && date <= newest) expected.push(date);
      }
      const weeks = reportedWeeks({ start, end }, newest, { weekStartsOn, historyStart });
      expect(weeks.map((week) => week.start)).toEqual(expected);
      for (const week of weeks) expect(week.end).toBe(addDays(week.start, 6));
    }),
  );
});

test('a week has one number, whatever is asked, and the next week the next number', () => {
  const calendar = { weekStartsOn: 'sunday', historyStart: '2023-01-01' } as const;
  const weeks = reportedWeeks({ start: '2023-01-01', end: '2026-11-14' }, '2026-11-08', calendar);
  expect(weeks).toHaveLength(202);
  for (const [index, week] of weeks.entries()) expect(week.number).toBe((weeks[0]?.number ?? 0) + index);
  expect(reportedWeeks({ start: '2026-11-08', end: '2026-11-14' }, '2026-11-08', calendar)).toEqual(weeks.slice(-1));
});

test('a week is over at midnight UTC after its last day', () => {
  const calendar = { weekStartsOn: 'sunday', historyStart: '2023-01-01' } as const;
  expect(newestWeek(new Date('2026-11-14T23:59:59Z'), calendar)).toBe('2026-11-01');
  expect(newestWeek(new Date('2026-11-15T00:00:00Z'), calendar)).toBe('2026-11-08');
});

test('of DAILY data, exactly the days inside the window, after the beginning and of weeks that are over, each within its week by number', () => {
  const calendar = { weekStartsOn: 'sunday', historyStart: '2026-11-03' } as const;
  const days = reportedDays({ start: '2026-11-01', end: '2026-11-20' }, '2026-11-08', calendar);
  expect(days.map(({ start }) => start)).toEqual(Array.from({ length: 12 }, (_, day) => addDays('2026-11-03', day)));
  const [week] = reportedWeeks({ start: '2026-11-08', end: '2026-11-14' }, '2026-11-08', calendar);
  for (const { start, end, number, frequency } of days) {
    expect([end, frequency]).toEqual([start, 'DAILY']);
    expect(Math.floor(number)).toBe((week?.number ?? 0) - (start < '2026-11-08' ? 1 : 0));
  }
  expect(new Set(days.map(({ number }) => number)).size).toBe(12);
});

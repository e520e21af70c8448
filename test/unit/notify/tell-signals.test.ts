// When signals and briefs are told: once what a tick wanted is there.
import { describe, expect, it } from 'vitest';
import type { KnownJob } from '../../../src/ledger/coverage.ts';
import { briefReadyAt, isSettled } from '../../../src/notify/tell-signals.ts';
import { execution, job } from '../../support/status-rows.ts';

/** A Monday; the job's schedule fires at 6:00. */
const at = (time: string, day = '16'): Date => new Date(`2026-11-${day}T${time}:00Z`);

describe('an account is settled', () => {
  it.each([
    ['when nothing is under way', {}, null, '06:02', true],
    ['not before the tick is planned', {}, null, '06:01', false],
    ['not while something is loaded', { live: [execution('acme')] }, null, '09:00', false],
    ['when all that is left is held', { live: [execution('acme', { state: 'held' })] }, null, '09:00', true],
    ['when all that is left is paused', { live: [execution('acme', { isPaused: true })] }, null, '09:00', true],
    ['not before rules have looked at what was loaded last', {}, at('08:59'), '09:00', false],
    ['after that', {}, at('08:58'), '09:00', true],
  ])('%s', (_, own, endedAt, time, expected) => {
    expect(isSettled({ jobs: [job('acme')], live: [], ...own }, endedAt, at(time))).toBe(expected);
  });
});

describe('the brief of Monday is ready', () => {
  const BEFORE = at('06:30', '09');
  const daily = job('daily', { cron: '0 6 * * *' });
  const sundays = job('sundays', { cron: '0 6 * * 0' });
  const tuesdays = job('tuesdays', { cron: '0 6 * * 2' });
  it.each<[string, readonly KnownJob[], Date, Date | undefined]>([
    ['not before the schedule of the day has fired', [job('acme')], at('05:59'), undefined],
    ['when it has', [job('acme')], at('06:00'), at('06:00')],
    ['when the last of the day has', [job('acme'), job('late', { cron: '0 9 * * 1' })], at('09:00'), at('09:00')],
    ['not before', [job('acme'), job('late', { cron: '0 9 * * 1' })], at('08:59'), undefined],
    ['when that of the day has, though one fired the day before, too', [daily], at('05:59'), undefined],
    ['at its beginning, when all have fired since the week ended', [sundays], at('00:00'), at('00:00')],
    ['when the schedule has fired, though it is another day', [tuesdays], at('06:00', '17'), at('06:00', '17')],
    ['not before that', [tuesdays], at('05:59', '17'), undefined],
    ['without a schedule that fires later than six hours after the first', [job('acme'), tuesdays], at('12:00'), at('06:00')],
    ['days later, when nobody was there', [job('acme')], at('10:00', '19'), at('06:00')],
  ])('%s', (_, jobs, now, expected) => {
    expect(briefReadyAt(jobs, 'monday', BEFORE, now)).toEqual(expected);
  });

  it('once a week', () => {
    expect(briefReadyAt([job('acme')], 'monday', at('06:05'), at('23:00', '22'))).toBeUndefined();
    expect(briefReadyAt([job('acme')], 'monday', at('06:05'), at('06:00', '23'))).toEqual(at('06:00', '23'));
  });

  it('by the clock of the schedule', () => {
    const auckland = job('acme', { cron: '0 6 * * 1', timezone: 'Pacific/Auckland' });
    expect(briefReadyAt([auckland], 'monday', at('06:30', '09'), at('17:00', '15'))).toEqual(at('17:00', '15'));
  });
});

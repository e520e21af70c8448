// Jobs by the clock of this machine. Their schedule fires when a week is over, so that the newest complete week is expected on whatever day tests run.
import { type IsoDate, lastCompleteWeek } from '../../src/core/weeks.ts';
import { sandboxJobs } from './test-stack.ts';

export const newestWeek = (): IsoDate => lastCompleteWeek(new Date(), 'UTC', 'sunday');

/** A jobs file of the sandbox whose jobs load each week from one on, once. `more`: what else is said of all of them. */
export function jobsSince(since: IsoDate, jobs: Readonly<Record<string, string>>, ...more: string[]): string {
  const schedule = 'schedule: { cron: "0 0 * * 0", timezone: UTC }';
  return sandboxJobs(['account_id: 12345', `since: ${since}`, schedule, 'lookback_weeks: 0', ...more].join(', '), jobs);
}

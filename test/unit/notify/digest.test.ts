// The digest: told once what a tick wanted is done, and not while it is loaded.
import { describe, expect, it } from 'vitest';
import { digestMessage, isDigestDue } from '../../../src/notify/digest.ts';
import { slackText } from '../../../src/notify/slack-text.ts';
import type { Status } from '../../../src/problems/status.ts';
import { execution, job, quiet } from '../../support/status-rows.ts';

/** A Monday; the job's schedule fires at 6:00. */
const at = (time: string): Date => new Date(`2026-11-16T${time}Z`);
const status = (own: Partial<Status> = {}): Status => ({ ...quiet, coverage: [], ...own });
const BEFORE = at('05:00:00');

describe('a digest is due', () => {
  it.each([
    ['not before a tick', status(), '05:59:00', false],
    ['not before the tick is planned', status(), '06:01:00', false],
    ['when nothing is under way', status(), '06:02:00', true],
    ['not while something is', status({ live: [execution('acme')] }), '06:30:00', false],
    ['when all that is left is held', status({ live: [execution('acme', { state: 'held' })] }), '06:30:00', true],
    ['after six hours all the same', status({ live: [execution('acme')] }), '12:00:00', true],
    ['not for a job that is switched off', status({ jobs: [job('acme', { isEnabled: false })] }), '06:30:00', false],
  ])('%s', (_, present, time, expected) => {
    expect(isDigestDue(present, BEFORE, at(time))).toBe(expected);
  });

  it('once for a tick', () => {
    expect(isDigestDue(status(), at('06:02:00'), at('09:00:00'))).toBe(false);
  });
});

it('a digest says what was loaded, and how things stand', () => {
  const sums = Array.from({ length: 60 }, (_, index) => ({
    job: `job-${index}`,
    loads: 2,
    inserted: 10,
    updated: 3,
    unchanged: 5,
    deleted: 1,
  }));
  const digest = digestMessage(status({ live: [execution('acme', { state: 'held' })] }), sums, BEFORE, at('07:00:00'));
  expect(digest).toMatchObject({
    type: 'digest',
    data: { from: '2026-11-16T05:00:00.000Z', loads: 120, more: 10, weeks: { held: 1, underWay: 0 } },
  });
  const lines = slackText(digest).split('\n');
  expect(lines[1]).toBe('120 loads since the last digest:');
  expect(lines[2]).toBe('• job-0: +10 rows, 3 changed, -1');
  expect(lines.at(-1)).toBe('• and 40 more jobs');
});

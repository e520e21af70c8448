import { describe, expect, it } from 'vitest';
import { paintFor, plain } from '../../../src/cli/paint.ts';
import { describeStatus } from '../../../src/cli/status-report.ts';
import { addDays } from '../../../src/core/weeks.ts';
import type { Action } from '../../../src/ledger/actions.ts';
import type { CoveredWeek, WeekGroup } from '../../../src/ledger/coverage.ts';
import type { Status } from '../../../src/problems/status.ts';
import type { QuarantineSummary } from '../../../src/publishing/quarantine.ts';
import { connection, execution, inMinutes, instance, job, minutesAgo, NOW, quiet, unpublished, week } from '../../support/status-rows.ts';

const quarantine = (rows: number, own: Partial<QuarantineSummary> = {}): QuarantineSummary => ({
  executionId: 42,
  sliceId: 17,
  job: 'acme',
  dataset: 'keyword_rankings',
  windowStart: '2026-11-08',
  windowEnd: '2026-11-14',
  state: 'published',
  rows,
  rowsReceived: 100_000,
  columns: ['rank_true'],
  exampleReason: '"x" is not an integer',
  latest: minutesAgo(60),
  ...own,
});

/** A single week, as coverage/read-week-groups gives it. */
const alone = (week: CoveredWeek): WeekGroup => ({
  job: week.job,
  state: week.state,
  isExpected: week.isExpected,
  isPublished: week.publishedAt !== null,
  failure: week.executionState === 'failed' ? week.detail : null,
  filtersDigest: week.publishedFiltersDigest,
  cancellation: week.state === 'missing' && week.executionState === 'cancelled' ? week.detail : null,
  displacement: week.state === 'missing' && week.executionState === 'published' ? week.detail : null,
  weeks: 1,
  first: week.week,
  last: week.week,
  publishedAt: week.publishedAt,
  stateSince: week.stateSince,
});

type Ledger = Omit<Status, 'coverage'> & Readonly<{ coverage: readonly CoveredWeek[] }>;

const complete: Ledger = {
  ...quiet,
  coverage: [week('acme', '2026-11-01'), week('acme', '2026-11-08')],
};

const report = (own: Partial<Ledger>, isOneJob = false, paint = plain, actions: readonly Action[] = []): string => {
  const { coverage, ...rest } = { ...complete, ...own };
  return describeStatus(
    { ...rest, coverage: coverage.map(alone) },
    { now: NOW, width: 80, paint, weeks: isOneJob ? coverage : [], actions },
  );
};

describe('the status report', () => {
  it('says in its first line that all is well, then shows each job in a line', () => {
    expect(report({})).toBe(`All is well.
2 of 2 expected weeks published, 0 loads under way.
Processes running: 1 for everything.

job   weeks  other  newest week  published  next run
----  -----  -----  -----------  ---------  ---------
acme  2/2    -      2026-11-08   3 h ago    in 5 days`);
  });

  it('names the week that is held, why and since when, and both commands that decide', () => {
    const text = report({
      coverage: [week('acme', '2026-11-01'), week('acme', '2026-11-08', { state: 'held', ...unpublished })],
      live: [
        execution('acme', {
          state: 'held',
          stateSince: minutesAgo(200),
          isLeased: null,
          dueAt: null,
          objections: [{ rule: 'total', message: 'the service announced 8273 rows and sent 8200' }],
        }),
      ],
    });
    expect(text).toMatch(/^1 problem needs you: see below\./);
    expect(text).toMatch(/^acme {2}1\/2 {4}1 held {2}2026-11-01/m);
    expect(text).toContain(`Needs you
  ! acme 2026-11-08..2026-11-14 has been held for 3 h: the audit objects
      the service announced 8273 rows and sent 8200
    > searchmill approve 17   publishes it anyway
    > searchmill discard 17   drops it; published rows stay`);
  });

  it('reports weeks that are published with no rows, the filters they were asked with, and what to do', () => {
    const empty = { job: 'acme', accountId: 7, weeks: 3, first: '2026-10-25', last: '2026-11-08' };
    const filters = {
      collection_frequency: 'WEEKLY',
      ai_search_engines: ['ChatGPT', 'bell\u0007'],
      prompts: Array.from({ length: 9 }, (_, i) => `p${i}`),
    };
    const text = report({ emptyWeeks: [{ ...empty, filters }] });
    expect(text).toMatch(/^All is well\./);
    expect(text).toContain(`Worth knowing
  - acme: 3 weeks published with 0 rows, 2026-10-25..2026-11-14: do the filters
    exist? They are ai_search_engines [ChatGPT, bell], prompts [p0, p1, p2, p3,
    p4 and 4 more]
    > searchmill backfill acme --from 2026-10-25 --to 2026-11-08 --reload   loads again
    > or, if there is nothing to load, "allow_empty: true" in the job`);
    const unfiltered = report({ emptyWeeks: [{ ...empty, weeks: 1, filters: { collection_frequency: 'WEEKLY' } }] });
    expect(unfiltered).toContain('acme: 1 week published with 0 rows, 2026-10-25..2026-11-14: does account 7\n    have any data?');
  });

  it('says how to publish all held windows of a job at once, if there is more than one', () => {
    const held = (sliceId: number) => execution('acme', { state: 'held', sliceId, objections: [{ rule: 'shrink', message: 'too few' }] });
    const text = report({ live: [held(17), held(18)] });
    expect(text).toContain(`    > searchmill approve 18   publishes it anyway
    > searchmill discard 18   drops it; published rows stay
    > searchmill approve acme   publishes all 2 of the job`);
    expect(text.match(/approve acme/g)).toHaveLength(1);
  });

  it('shows many held windows of a job as one after the first, so that those of other jobs are seen', () => {
    const held = (job: string, sliceId: number, windowStart = '2026-11-08') =>
      execution(job, { state: 'held', sliceId, windowStart, windowEnd: addDays(windowStart, 6), objections: [] });
    const many = Array.from({ length: 52 }, (_, index) => held('acme', index + 1, addDays('2026-11-08', -7 * index)));
    const text = report({
      jobs: [job('acme'), job('other')],
      live: [...many, held('other', 99)],
      coverage: [week('acme', '2026-11-08', { state: 'held', sliceId: 1, ...unpublished })],
    });
    expect(text).toMatch(/^5 problems need you/);
    expect(text).toContain(`  ! acme: 49 more windows are held, 2025-11-16..2026-10-24
    > searchmill approve acme   publishes all 52 of the job
    > searchmill discard acme   drops all of them
    > searchmill status acme   shows them week by week`);
    expect(text).toContain('searchmill approve 99');
  });

  it('joins weeks that failed for the same reason, with the command that tries them again', () => {
    const failed = {
      ...unpublished,
      state: 'failed',
      executionState: 'failed',
      detail: 'the service refused the submit',
      stateSince: minutesAgo(30),
    } as const;
    const text = report({ coverage: [week('acme', '2026-11-01', failed), week('acme', '2026-11-08', failed)] });
    expect(text).toMatch(/^1 problem needs you/);
    expect(text).toContain(`  ! acme 2026-11-01..2026-11-14 (2 weeks) failed, 30 min ago
      the service refused the submit
    > searchmill run acme --from 2026-11-01 --to 2026-11-08   tries again now
    > otherwise the schedule does, in 5 days`);
  });

  it('says that a published week could not be read again', () => {
    const text = report({ coverage: [week('acme', '2026-11-08', { executionState: 'failed', detail: 'the query failed' })] });
    expect(text).toContain('acme 2026-11-08..2026-11-14 could not be loaded again; published rows');
    expect(text).toContain('searchmill run acme --week 2026-11-08');
  });

  it('says that a credential is refused, since when, and when it is probed', () => {
    const text = report({ connections: [connection({ unauthorizedSince: minutesAgo(90), probeAt: inMinutes(12) })] });
    expect(text).toContain('! connection main: the service has refused the credential for 90 min (401)');
    expect(text).toContain('SIGHUP to each process');
    expect(text).toContain('the credential is probed in 12 min');
  });

  it('says that no process works on due loads', () => {
    const due = execution('acme', { isLeased: false, leaseOwner: null, freeSince: minutesAgo(10) });
    expect(report({ live: [due], instances: [] })).toContain(
      '! no process is running\n      1 load should have continued by now\n    > searchmill start',
    );
    expect(
      report({ live: [due], instances: [instance({ isAlive: false, seenAt: minutesAgo(45) })] }),
    ).toContain(`! no process is running; the last one was seen 45 min ago
      1 load should have continued by now
      process 1 on host disappeared without stopping cleanly: it was killed,
      hangs, or cannot write to the database (is its disk full?)`);
    expect(report({ live: [due], instances: [instance({ role: 'scheduler' })] })).toContain('> searchmill start --role worker');
    expect(report({ live: [due] })).not.toContain('is running\n');
  });

  it('does not ask for a process while there is nothing to do, but says that none is running', () => {
    const nobody = { instances: [instance({ isAlive: false })] };
    expect(report(nobody)).toMatch(/^Every expected week is published, but no process is running\.\n.*\nProcesses running: none\./);
    expect(report(nobody)).not.toContain('! no process');
    const missing = week('acme', '2026-11-08', { state: 'missing', ...unpublished });
    const unfinished = report({ ...nobody, jobs: [job('acme', { isEnabled: false })], coverage: [missing] });
    expect(unfinished).toMatch(/^No process is running, and not every expected week is published\./);
  });

  it('sets problems that pass by themselves apart, and says when they are tried again', () => {
    const text = report({
      live: [
        execution('acme', {
          errorsInRow: 4,
          lastError: 'the service cannot be reached',
          lastErrorAt: minutesAgo(1),
          dueAt: inMinutes(2),
          isLeased: false,
        }),
      ],
      connections: [connection({ pausedUntil: inMinutes(1), rateLimitedAt: minutesAgo(1) })],
    });
    expect(text).toMatch(/^Some problems, but nothing for you to do\./);
    expect(text).toContain(`These pass by themselves
  ! connection main: the service asked for fewer calls 60 s ago (429)
    > continues in 60 s
  ! acme 2026-11-08..2026-11-14: 4 errors in a row, the last 60 s ago
      the service cannot be reached
    > tries again in 2 min`);
  });

  it('shows how far each load is', () => {
    const text = report({
      live: [
        execution('acme', { stateSince: minutesAgo(0.5) }),
        execution('acme', { windowStart: '2026-11-01', windowEnd: '2026-11-07', state: 'in_progress' }),
        execution('acme', {
          windowStart: '2026-10-25',
          windowEnd: '2026-10-31',
          state: 'planned',
          waitingFor: 'a free submit on connection main',
        }),
      ],
    });
    expect(text).toContain(`Under way
  acme  2026-11-08..2026-11-14  3,000 of 8,273 rows read in 30 s
  acme  2026-11-01..2026-11-07  the service works on it, for 60 s
  acme  2026-10-25..2026-10-31  waits for a free submit on connection main`);
  });

  it('shows a single job week by week, newest first', () => {
    expect(report({}, true)).toContain(`week        state       rows  published  note
----------  ---------  -----  ---------  ----
2026-11-08  published  4,711  3 h ago    -`);
  });

  it('shows which published weeks were loaded under other filters, and the command that loads them again', () => {
    const other = { publishedFiltersDigest: 'older' };
    const text = report(
      { coverage: [week('acme', '2026-10-25', other), week('acme', '2026-11-01', other), week('acme', '2026-11-08')] },
      true,
    );
    expect(text).toMatch(/^All is well\./);
    expect(text).toMatch(/^2026-11-08 .* -\n2026-11-01 .* other filters\n2026-10-25 .* other filters$/m);
    expect(text).toContain(`Worth knowing
  - acme: 2 published weeks were loaded under other filters,
    2026-10-25..2026-11-07
    > searchmill backfill acme --from 2026-10-25 --to 2026-11-01 --stale   loads them again`);
  });

  it('says nothing of the filters of a job that is not configured any more', () => {
    const removed = job('acme', { removedAt: minutesAgo(1), filtersDigest: 'newer' });
    expect(report({ jobs: [removed] }, true)).not.toContain('other filters');
  });

  it('reports each difference of a schema once, with the jobs it came to, and rows that are in quarantine', () => {
    const text = report({
      drift: [
        {
          dataset: 'keyword_rankings',
          kind: 'new_column',
          column: 'mood',
          detail: 'the service sends a column mood (string) at position 32; it is kept in _extra',
          since: minutesAgo(60 * 24 * 2),
          jobs: ['acme', 'other'],
          loads: 5,
        },
      ],
      quarantine: [quarantine(3), quarantine(6), quarantine(9, { state: 'held' }), quarantine(9, { job: 'other' })],
    });
    expect(text).toMatch(/^All is well\./);
    expect(text).toContain(`Worth knowing
  - acme: 9 rows of 2 published loads did not decode and are in quarantine
    > searchmill quarantine list acme
    > searchmill acknowledge quarantine acme   if they are to stay there
  - keyword_rankings: the service sends a column mood (string) at position 32;
    it is kept in _extra; first seen 2 days ago, in 5 loads of acme, other`);
  });

  it('reports many differences of one schema as one', () => {
    const drift = Array.from({ length: 13 }, (_, at) => ({
      dataset: 'keyword_rankings',
      kind: 'new_column' as const,
      column: `column_${at}`,
      detail: `the service sends a column column_${at}`,
      since: minutesAgo(60 * (at + 1)),
      jobs: ['acme'],
      loads: 5,
    }));
    expect(report({ drift })).toContain(`Worth knowing
  - keyword_rankings: 13 columns differ from the expected ones: column_0,
    column_1, column_2, column_3 and 9 more; first seen 13 h ago, in 5 loads of
    acme`);
  });

  it('says what was paused, and reports neither its weeks nor its process as missing', () => {
    const text = report({
      jobs: [job('acme', { pausedSince: minutesAgo(180), pauseReason: 'moving' }), job('brands', { connection: 'other' })],
      coverage: [
        week('acme', '2026-11-08', { state: 'missing', ...unpublished }),
        week('brands', '2026-11-08', { state: 'running', ...unpublished }),
      ],
      connections: [connection(), connection({ name: 'other', pausedSince: minutesAgo(10) })],
      live: [execution('brands', { isPaused: true, isLeased: false, freeSince: minutesAgo(10) })],
      instances: [instance({ role: 'scheduler' })],
    });
    expect(text).toMatch(/^Paused by hand, at least in part: see below\./);
    expect(text).toMatch(/^acme .* paused$/m);
    expect(text).toMatch(/^brands .* paused$/m);
    expect(text).toMatch(/^ {2}brands .* is paused$/m);
    expect(text).not.toContain('!');
    expect(text).toContain(`Worth knowing
  - connection other has been paused by hand for 10 min
    > searchmill resume other --connection   continues where it stopped
  - job acme has been paused by hand for 3 h: moving
    > searchmill resume acme --job   continues where it stopped`);
  });

  it('says who decided about a week, and why', () => {
    const action = (own: Partial<Action>): Action => ({
      ...{ actedAt: minutesAgo(5), actor: 'ann@desk', action: 'discard', job: 'acme', connection: null, sliceId: 17, executionId: 42 },
      ...{ windowStart: '2026-11-08', windowEnd: '2026-11-14', reason: 'a test' },
      ...own,
    });
    const weeks = [
      week('acme', '2026-11-01', { sliceId: 16, executionId: 41 }),
      week('acme', '2026-11-08', { executionState: 'discarded' }),
    ];
    const text = report({ coverage: weeks }, true, plain, [action({}), action({ executionId: 40, sliceId: 16, actor: 'bob@desk' })]);
    expect(text).toMatch(/^2026-11-08 .* discarded by ann@desk: a test$/m);
    expect(text).toMatch(/^2026-11-01 .* ago +-$/m);
    const held = week('acme', '2026-11-08', { state: 'held', executionId: 43 });
    expect(report({ coverage: [held] }, true, plain, [action({ reason: null })])).toMatch(/slice 17, discarded by ann@desk$/m);
  });

  it('tells weeks that were cancelled from those that are just missing, and says when they are planned', () => {
    const missing = { ...unpublished, state: 'missing' } as const;
    const cancelled = { ...missing, executionState: 'cancelled', detail: 'cancelled by hand', stateSince: minutesAgo(5) } as const;
    const text = report({
      coverage: [
        week('acme', '2026-10-25', { ...cancelled, isExpected: false }),
        week('acme', '2026-11-01', missing),
        week('acme', '2026-11-08', cancelled),
      ],
    });
    expect(text).toContain(`  ! acme: 1 week missing and not planned yet, 2026-11-01..2026-11-07
    > a running scheduler plans them within minutes
    > searchmill run acme   loads them now
  ! acme: 1 week missing, cancelled by hand 5 min ago, 2026-11-08..2026-11-14
    > the schedule plans them again in 5 days
    > searchmill run acme   loads them now`);
  });

  it('says which jobs are switched off, and reports none of their weeks as missing', () => {
    const text = report({
      jobs: [job('acme', { isEnabled: false })],
      coverage: [week('acme', '2026-11-08', { state: 'missing', ...unpublished })],
    });
    expect(text).toMatch(/^All is going well\./);
    expect(text).toMatch(/^acme .* disabled$/m);
    expect(text).toContain('Worth knowing\n  - acme is disabled (enabled: false): nothing new is planned');
  });

  it('keeps jobs that were taken out apart', () => {
    const removedAt = minutesAgo(60 * 24 * 3);
    const jobs = [job('acme'), job('old', { removedAt }), job('renamed', { removedAt })];
    const text = report({ jobs, coverage: [week('acme', '2026-11-08'), week('old', '2026-11-08', { isExpected: false })] });
    expect(text).toContain('No longer configured; their published rows stay\n  old  keyword_rankings  since 3 days ago');
    // What it had published belongs to its new name.
    expect(text).not.toContain('renamed');
  });

  it('fits 80 columns with names of usual length', () => {
    const names = ['acme-sentiments', 'acme-citations'];
    const text = report({
      jobs: names.map((name) => job(name)),
      coverage: names.flatMap((name) => [
        week(name, '2026-11-01', { state: 'held', ...unpublished }),
        week(name, '2026-11-08', { state: 'failed', executionState: 'failed', ...unpublished, detail: 'a reason that is '.repeat(20) }),
      ]),
      live: names.map((name) =>
        execution(name, { state: 'held', objections: [{ rule: 'x', message: 'an objection that goes on '.repeat(10) }] }),
      ),
    });
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('has colours on a terminal only, unless NO_COLOR is set', () => {
    const painted = (env: Record<string, string>, isInteractive: boolean): string => report({}, false, paintFor({ env, isInteractive }));
    expect(painted({}, true)).toContain('\x1b[32mAll is well.\x1b[39m');
    expect(painted({ NO_COLOR: '1' }, true)).not.toContain('\x1b');
    expect(painted({}, false)).not.toContain('\x1b');
  });
});

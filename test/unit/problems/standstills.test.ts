import { describe, expect, it } from 'vitest';
import { withAdvice } from '../../../src/core/advice.ts';
import { findProblems, MAX_HELD_APART } from '../../../src/problems/find-problems.ts';
import type { ProblemKind } from '../../../src/problems/kinds.ts';
import { findNotices } from '../../../src/problems/notices.ts';
import { STANDSTILL_FINDERS } from '../../../src/problems/standstills.ts';
import { type Finder, type FoundProblem, type Problem, type Status, tellProblem } from '../../../src/problems/status.ts';
import { connection, execution, inMinutes, minutesAgo, NOW, quiet } from '../../support/status-rows.ts';

const NAME = 'acme 2026-11-08..2026-11-14';

const problemsOf = (own: Partial<Status>): FoundProblem[] =>
  Object.values<Finder<ProblemKind>>(STANDSTILL_FINDERS).flatMap((find) => find({ ...quiet, coverage: [], ...own }, NOW, MAX_HELD_APART));
const problemOf = (own: Parameters<typeof execution>[1], rest: Partial<Status> = {}): FoundProblem | undefined =>
  problemsOf({ live: [execution('acme', own)], ...rest })[0];
/** As it is told everywhere. */
const toldOf = (own: Parameters<typeof execution>[1]): Problem | undefined => {
  const found = problemOf(own);
  return found && tellProblem(found);
};

describe('a load that makes progress is not a problem', () => {
  it.each([
    ['it reads', {}],
    [
      'it has just failed once',
      { retryingSince: minutesAgo(0.5), lastErrorCode: 'store', lastError: 'deadlock', lastErrorAt: NOW } as const,
    ],
    ['it waits for its submit', { state: 'planned', isLeased: false, freeSince: minutesAgo(90) } as const],
    ['it is large and is published', { state: 'staged', progressAt: minutesAgo(10) } as const],
    [
      'its credential is refused',
      { retryingSince: minutesAgo(60), lastErrorCode: 'unauthorized', lastError: '401', lastErrorAt: NOW } as const,
    ],
    ['it is held', { state: 'held', isLeased: null, progressAt: minutesAgo(6000) } as const],
    ['it is paused', { isPaused: true, isLeased: false, freeSince: minutesAgo(100) } as const],
  ])('%s', (_, own) => {
    expect(
      problemsOf({
        live: [execution('acme', own)],
        connections: [connection({ lastSubmitAt: minutesAgo(0.5), unauthorizedSince: minutesAgo(60) })],
      }),
    ).toEqual([]);
  });
});

describe('a load that fails', () => {
  const failing = {
    isLeased: false,
    retryingSince: minutesAgo(7),
    lastErrorCode: 'store',
    lastErrorAt: minutesAgo(0.5),
    dueAt: inMinutes(0.5),
  } as const;

  it('is reported whatever the reason, with its last error, since when, and when it is tried again', () => {
    expect(problemOf({ ...failing, lastError: 'the statement was cancelled: canceling statement due to statement timeout' })).toEqual({
      kind: 'failing',
      job: 'acme',
      window: { start: '2026-11-08', end: '2026-11-14' },
      since: minutesAgo(7),
      needsYou: false,
      title: `${NAME}: no progress for 7 min, the last 30 s ago`,
      why: ['the statement was cancelled: canceling statement due to statement timeout'],
      next: ['tries again in 30 s'],
    });
  });

  it('needs a person at once if the database refuses for good, and is reported with what helps first', () => {
    const lastError = withAdvice('the database refused: permission denied for schema search', 'GRANT USAGE');
    const refused = { ...failing, retryingSince: minutesAgo(0.1), errorsInRow: 1, lastError };
    expect(toldOf(refused)).toMatchObject({
      needsYou: true,
      why: ['the database refused: permission denied for schema search'],
      next: ['GRANT USAGE', 'tries again in 30 s'],
    });
  });

  it('needs a person after a minute where the database lacks something', () => {
    const lastError = withAdvice('the disk is full: could not extend file', 'make room');
    const lacking = (minutes: number) => toldOf({ ...failing, retryingSince: minutesAgo(minutes), lastError });
    expect(lacking(0.5)).toBeUndefined();
    expect(lacking(1)).toMatchObject({ needsYou: true, next: ['make room', 'tries again in 30 s'] });
  });

  it('needs a person when it has lasted: ten minutes for the database, an hour for the service', () => {
    const since = (minutes: number, lastErrorCode: 'store' | 'service_unavailable') =>
      problemOf({ ...failing, lastErrorCode, retryingSince: minutesAgo(minutes), lastError: 'x' })?.needsYou;
    expect([since(9, 'store'), since(11, 'store'), since(11, 'service_unavailable'), since(61, 'service_unavailable')]).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });

  it('is reported while it is submitted again, once for all loads of a job', () => {
    const anew = { state: 'planned', gaveUpAt: minutesAgo(3), gaveUpBecause: 'reading on would never end' } as const;
    expect(problemOf(anew)).toMatchObject({
      needsYou: false,
      title: `${NAME} is being submitted again, since the previous query was given up 3 min ago`,
      why: ['reading on would never end'],
    });
    expect(problemsOf({ live: Array.from({ length: 200 }, (_, id) => execution('acme', { id, ...anew })) })).toMatchObject([
      { title: 'acme: 200 loads were submitted again, 2026-11-08..2026-11-14, since the previous query was given up 3 min ago' },
    ]);
  });

  it('is reported once for all loads of a job with the same reason', () => {
    const live = Array.from({ length: 200 }, (_, id) => execution('acme', { id, ...failing, lastError: 'the disk is full: x' }));
    const problems = problemsOf({ live });
    expect(problems).toHaveLength(1);
    expect(problems[0]?.title).toBe(
      'acme: 200 loads fail for one reason, 2026-11-08..2026-11-14: no progress for 7 min, the last 30 s ago',
    );
  });
});

describe('a load without a process, or whose process does nothing', () => {
  it('is reported although workers are alive', () => {
    expect(problemOf({ isLeased: false, freeSince: minutesAgo(2) })).toMatchObject({
      needsYou: true,
      title: '1 load should have continued by now, for up to 2 min, and no worker takes it',
    });
  });

  it('is not reported while others make progress, unless its wait is long', () => {
    const others = Array.from({ length: 16 }, (_, id) => execution('other', { id }));
    const waiting = (minutes: number) => execution('acme', { id: 99, isLeased: false, freeSince: minutesAgo(minutes) });
    expect(problemsOf({ live: [...others, waiting(3)] })).toEqual([]);
    expect(problemsOf({ live: [...others, waiting(6)] })).toMatchObject([{ needsYou: false, why: ['the workers are busy with 16 loads'] }]);
  });

  it('is reported when its connection submits nothing', () => {
    const unsent = { state: 'planned', isLeased: false, freeSince: minutesAgo(3) } as const;
    expect(problemOf(unsent)).toMatchObject({
      needsYou: true,
      title: 'connection main: 1 load should have been submitted by now, but none is',
    });
    expect(problemOf(unsent, { connections: [connection({ pausedUntil: inMinutes(1) })] })).toBeUndefined();
    // A budget of one submit a minute permits it every 61 s.
    expect(problemOf(unsent, { connections: [connection({ lastSubmitAt: minutesAgo(1.1) })] })).toBeUndefined();
    expect(problemOf(unsent, { connections: [connection({ lastSubmitAt: minutesAgo(3) })] })).toBeDefined();
  });

  it('is reported when no process has its connection', () => {
    const waitingFor = 'a process configured with connection other';
    expect(problemOf({ isLeased: false, waitingFor })).toMatchObject({ needsYou: true, title: `${NAME} waits for ${waitingFor}` });
  });

  it('is reported when it is leased and nothing happens', () => {
    expect(problemOf({ progressAt: minutesAgo(6) })).toMatchObject({
      needsYou: false,
      title: `${NAME}: no progress for 6 min, while host-1 works on it`,
    });
    expect(problemOf({ state: 'staged', progressAt: minutesAgo(61) })).toMatchObject({
      needsYou: true,
      next: [expect.stringContaining('pg_stat_activity')],
    });
  });

  it('is reported when its processes die', () => {
    expect(problemOf({ deathsInRow: 2, leaseTakings: 5 })).toMatchObject({
      title: `${NAME}: its process died or hung 2 times in a row, 5 in total`,
      why: ['the last time while it worked on page 4'],
    });
    expect(problemOf({ deathsInRow: 1, leaseTakings: 1 })).toMatchObject({ why: ['perhaps for a reason other than this load'] });
  });
});

const UNKNOWN = { job: 'acme', submits: 1, lost: 0, lastAt: minutesAgo(1), lastReason: 'it reset the connection (ECONNRESET)' };

it('submits of unknown outcome are reported with their last reason, and with a process only where one ended', () => {
  const told = (lost: number): string[] => {
    const [problem] = problemsOf({ unknownSubmits: [{ ...UNKNOWN, submits: 2, lost }] });
    return [...(problem?.why ?? []), ...(problem?.next ?? [])].join('; ').match(/ECONNRESET|process|proxies/g) ?? [];
  };
  expect([told(0), told(1), told(2)]).toEqual([
    ['ECONNRESET', 'proxies'],
    ['ECONNRESET', 'process', 'proxies'],
    ['ECONNRESET', 'process'],
  ]);
});

it('submits of unknown outcome are reported with their consequences', () => {
  const [problem] = problemsOf({ unknownSubmits: [{ ...UNKNOWN, submits: 3, lastAt: minutesAgo(20) }] });
  expect(problem).toMatchObject({
    needsYou: false,
    title: 'acme: the outcome of 3 submits in the last 24 hours is not known, the last 20 min ago',
  });
});

it('submits of unknown outcome need a person when they are many and go on', () => {
  const needsYou = (submits: number, minutes: number): boolean | undefined =>
    problemsOf({ unknownSubmits: [{ ...UNKNOWN, submits, lastAt: minutesAgo(minutes) }] })[0]?.needsYou;
  expect([needsYou(4, 59), needsYou(4, 61), needsYou(3, 1)]).toEqual([true, undefined, false]);
});

it('a submit without an answer passes before the alert of what does not pass fires, and is known for a day', () => {
  const status = (minutes: number): Status => ({
    ...quiet,
    coverage: [],
    unknownSubmits: [{ ...UNKNOWN, submits: 1, lastAt: minutesAgo(minutes) }],
  });
  expect(findProblems(status(59), NOW)).toMatchObject([{ kind: 'unknown-submits', severity: 'warning' }]);
  expect(findProblems(status(61), NOW)).toEqual([]);
  expect(findNotices(status(59), NOW)).toEqual([]);
  expect(findNotices(status(61), NOW)).toMatchObject([{ kind: 'unknown-submits', severity: 'note' }]);
});

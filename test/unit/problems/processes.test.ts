// What running processes say of themselves.
import { describe, expect, it } from 'vitest';
import type { FailingRound } from '../../../src/ledger/instances.ts';
import type { ProblemKind } from '../../../src/problems/kinds.ts';
import { PROCESS_FINDERS, RELOADING } from '../../../src/problems/processes.ts';
import type { Finder, FoundProblem, Status } from '../../../src/problems/status.ts';
import { instance, minutesAgo, NOW, quiet } from '../../support/status-rows.ts';

const problemsOf = (own: Partial<Status>): FoundProblem[] =>
  Object.values<Finder<ProblemKind>>(PROCESS_FINDERS).flatMap((find) => find({ ...quiet, coverage: [], ...own }, NOW, 3));

describe('processes that cannot use the queue', () => {
  const cut = { queueError: 'the tables of the queue are missing', queueErrorSince: minutesAgo(3) };

  it('are reported even while nothing is due, once for all with the same error', () => {
    expect(problemsOf({ instances: [instance(cut), instance({ ...cut, id: 'host-2' }), instance({ id: 'host-3' })] })).toEqual([
      expect.objectContaining({
        needsYou: true,
        title: '2 processes cannot use the queue, for 3 min',
        why: ['the tables of the queue are missing'],
      }),
    ]);
  });

  it('are not reported within the first minute, nor when they are gone', () => {
    const instances = [instance({ ...cut, queueErrorSince: minutesAgo(0.5) }), instance({ ...cut, isAlive: false })];
    expect(problemsOf({ instances })).toEqual([]);
  });
});

describe('a clock that is not the one of the database', () => {
  it.each([
    ['behind', -9 * 86_400, 'all', "the clock of host is 9 days behind the database's, says process 1 there", /weeks end that much later/],
    ['ahead', 400, 'scheduler', "the clock of host is 7 min ahead of the database's, says process 1 there", /plans nothing/],
    ['behind, of a worker', -400, 'worker', "the clock of host is 7 min behind the database's, says process 1 there", /signed/],
  ])('%s, is reported with the consequences', (_, clockAheadS, role, title, why) => {
    expect(problemsOf({ instances: [instance({ clockAheadS, role })] })).toMatchObject([
      { kind: 'clock-wrong', needsYou: true, title, why: [expect.stringMatching(why)] },
    ]);
  });

  it('is not reported when it is off by little, when the process is gone, or when it is unknown', () => {
    const instances = [instance({ clockAheadS: -200 }), instance({ clockAheadS: 900, isAlive: false }), instance({ clockAheadS: null })];
    expect(problemsOf({ instances })).toEqual([]);
  });
});

describe('a round of a process that keeps failing', () => {
  const failing = (minutes: number, why = 'the database refused: permission denied for table jobs'): FailingRound => ({
    name: 'planning',
    what: 'planning failed',
    why,
    since: minutesAgo(minutes).toISOString(),
  });

  it('is reported after a while, once for all processes', () => {
    const instances = [instance({ failingRounds: [failing(12)] }), instance({ id: 'host-2', failingRounds: [failing(30)] })];
    expect(problemsOf({ instances })).toMatchObject([
      {
        kind: 'rounds-failing',
        needsYou: true,
        since: minutesAgo(30),
        title: 'planning failed, for 30 min, in 2 processes',
        why: ['the database refused: permission denied for table jobs'],
      },
    ]);
  });

  it('is not reported earlier, nor for a process that is gone, nor if its queue or its clock is the reason', () => {
    const failingRounds = [failing(30)];
    const instances = [
      instance({ failingRounds: [failing(5)] }),
      instance({ failingRounds, isAlive: false }),
      instance({ failingRounds, queueError: 'away', queueErrorSince: minutesAgo(0.5) }),
      instance({ failingRounds, clockAheadS: 900 }),
    ];
    expect(problemsOf({ instances }).map(({ kind }) => kind)).toEqual(['clock-wrong']);
  });
});

describe('a configuration that a process refused to read again', () => {
  const refused = (why: string): FailingRound => ({
    name: RELOADING,
    what: 'the configuration could not be reloaded',
    why,
    since: minutesAgo(1).toISOString(),
  });
  const why = 'jobs.config.yaml has one mistake:\njobs.config.yaml:8:5: jobs[2].dataset: is "brands"';

  it('is a problem from the first minute on, once for all processes, with the mistakes and what to do', () => {
    const instances = [instance({ failingRounds: [refused(why)] }), instance({ id: 'host-2', failingRounds: [refused(why)] })];
    expect(problemsOf({ instances })).toEqual([
      expect.objectContaining({
        kind: 'reload-refused',
        needsYou: true,
        title: '2 processes work with the previous configuration: the new one was refused, 60 s ago',
        why: why.split('\n'),
        next: ['searchmill check   names all mistakes of the file as it is now', 'then send SIGHUP to each process'],
      }),
    ]);
  });

  it('is none of a process that is gone, and names at most five mistakes', () => {
    expect(problemsOf({ instances: [instance({ isAlive: false, failingRounds: [refused(why)] })] })).toEqual([]);
    const long = Array.from({ length: 9 }, (_, line) => `line ${line}`).join('\n');
    expect(problemsOf({ instances: [instance({ failingRounds: [refused(long)] })] })).toMatchObject([
      { why: ['line 0', 'line 1', 'line 2', 'line 3', 'line 4', 'and 4 more lines'] },
    ]);
  });
});

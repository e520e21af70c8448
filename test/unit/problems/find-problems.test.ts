// Problems as metrics, notifications and pages take them: by key, kind, severity, job and time.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compareText } from '../../../src/core/compare-text.ts';
import type { KnownJob, WeekGroup } from '../../../src/ledger/coverage.ts';
import { DISCARDED_BY_HAND } from '../../../src/ledger/endings.ts';
import { ACKNOWLEDGEABLE } from '../../../src/problems/acknowledged.ts';
import { findProblems, PROBLEM_FINDERS } from '../../../src/problems/find-problems.ts';
import { PROBLEM_ENDS, PROBLEM_KINDS, type ProblemKind } from '../../../src/problems/kinds.ts';
import { findNotices, NOTICE_FINDERS } from '../../../src/problems/notices.ts';
import type { Status } from '../../../src/problems/status.ts';
import { findVerdict } from '../../../src/problems/verdict.ts';
import { connection, execution, instance, job, minutesAgo, NOW, quiet } from '../../support/status-rows.ts';

const told = (own: Partial<Status>): ReturnType<typeof findProblems> => findProblems({ ...quiet, coverage: [], ...own }, NOW);
const failedWeek = (first: string, own: Partial<WeekGroup> = {}): WeekGroup => ({
  job: 'acme',
  state: 'failed',
  isExpected: true,
  isPublished: false,
  failure: 'HTTP 500 after 12 s',
  filtersDigest: null,
  cancellation: null,
  displacement: null,
  weeks: 1,
  first,
  last: first,
  publishedAt: null,
  stateSince: minutesAgo(30),
  ...own,
});

it('rows of a job that is loaded no more are told with their number, and with the commands that remove or keep them', () => {
  const left = {
    job: 'old',
    dataset: 'keyword_rankings',
    beside: ['new', 'other'],
    rows: 5,
    first: '2026-11-01',
    last: '2026-11-08',
    removedAt: minutesAgo(60),
    latest: minutesAgo(60),
    isSure: true,
  };
  expect(told({ leftRows: [left] })).toMatchObject([
    {
      key: 'rows-left:old',
      severity: 'error',
      title: 'old: was taken out of the jobs file 60 min ago, but 5 rows of it stay, also in weeks of new, other, 2026-11-01 to 2026-11-08',
      commands: ['searchmill forget old', 'searchmill acknowledge rows-left old'],
    },
  ]);
  expect(told({ leftRows: [{ ...left, removedAt: null }] })).toMatchObject([
    { title: 'old: is disabled, but 5 rows of it stay, also in weeks of new, other, 2026-11-01 to 2026-11-08' },
  ]);
});

describe('what a problem says beside its words', () => {
  it('is its kind, its job, its window and since when it lasts', () => {
    const held = execution('acme', { state: 'held', stateSince: minutesAgo(90), objections: [{ rule: 'shrink', message: 'fewer rows' }] });
    expect(told({ live: [held], instances: [instance()] })).toMatchObject([
      {
        key: 'held:acme:2026-11-08',
        kind: 'held',
        severity: 'error',
        job: 'acme',
        connection: null,
        window: { start: '2026-11-08', end: '2026-11-14' },
        since: minutesAgo(90),
        commands: [`searchmill approve ${held.sliceId}`, `searchmill discard ${held.sliceId}`],
      },
    ]);
  });

  it('tells a published week whose reload failed from one that is not there', () => {
    const reload = { state: 'published', isPublished: true } as const;
    expect(told({ coverage: [failedWeek('2026-11-01'), failedWeek('2026-11-08', reload)] }).map(({ kind }) => kind)).toEqual([
      'failed',
      'reload-failed',
    ]);
  });

  it('names a command that loads a published week again, and the schedule only where the schedule reads it', () => {
    const reload = { state: 'published', isPublished: true } as const;
    const next = (first: string, lookbackWeeks: number) =>
      told({ jobs: [job('acme', { lookbackWeeks })], coverage: [failedWeek(first, reload)] })[0]?.next;
    expect(next('2026-11-08', 1)).toEqual([
      'searchmill run acme --week 2026-11-08 --reload   tries again now',
      'otherwise the schedule does, in 5 days',
    ]);
    expect(next('2026-11-01', 1)?.[1]).toBe('the schedule loads only newer weeks');
    expect(next('2026-11-01', 2)?.[1]).toBe('otherwise the schedule does, in 5 days');
  });

  it('says that a schedule reads a week again only if its next tick does: a daily one reads the same weeks for days', () => {
    const reload = { state: 'published', isPublished: true } as const;
    const next = (first: string, last: string) =>
      told({ jobs: [job('acme', { lookbackWeeks: 1, cron: '0 6 * * *' })], coverage: [{ ...failedWeek(first, reload), last }] })[0]
        ?.next[1];
    expect(next('2026-11-01', '2026-11-01')).toMatch(/^otherwise the schedule does, in [^;]*$/);
    expect(next('2026-10-25', '2026-10-25')).toBe('the schedule loads only newer weeks');
    expect(next('2026-10-25', '2026-11-01')).toMatch(/from 2026-11-01 on; it loads no older ones$/);
  });

  it('promises no schedule for weeks before since that a backfill asked for, or for a job that is switched off', () => {
    const next = (first: string, last: string, own: Partial<KnownJob> = {}) =>
      told({ jobs: [job('acme', { since: '2026-10-18', ...own })], coverage: [{ ...failedWeek(first), last }] }).find(
        ({ kind }) => kind === 'failed',
      )?.next[1];
    expect(next('2026-09-06', '2026-10-04')).toBe('the schedule loads only newer weeks');
    expect(next('2026-09-06', '2026-10-18')).toMatch(/from 2026-10-18 on; it loads no older ones$/);
    expect(next('2026-10-18', '2026-10-18')).toBe('otherwise the schedule does, in 5 days');
    expect(next('2026-10-18', '2026-10-18', { isEnabled: false })).toBe('the schedule does not: the job is disabled');
  });

  it('is not reported for a job that is no longer configured, which could not be loaded again', () => {
    expect(told({ jobs: [job('acme', { removedAt: minutesAgo(1) })], coverage: [failedWeek('2026-11-08')] })).toEqual([]);
  });

  it('needs nobody when a person has dropped the answer', () => {
    expect(told({ coverage: [failedWeek('2026-11-08', { failure: DISCARDED_BY_HAND })] })).toMatchObject([
      { kind: 'discarded', severity: 'warning', needsYou: false },
    ]);
  });

  it('names the connection that it is about', () => {
    const refused = connection({ unauthorizedSince: minutesAgo(5) });
    expect(told({ connections: [refused] })).toMatchObject([
      { key: 'credential-refused:main', job: null, connection: 'main', since: minutesAgo(5) },
    ]);
  });
});

describe('the key of a problem', () => {
  it('has whole characters only, wherever a long reason is cut', () => {
    for (const blanks of [0, 1]) {
      const [problem] = told({ coverage: [failedWeek('2026-11-08', { failure: ' '.repeat(blanks) + '😀'.repeat(500) })] });
      expect(problem?.key.isWellFormed()).toBe(true);
    }
  });

  it('stays the same while its words change', () => {
    const at = (minutes: number): string[] =>
      told({
        coverage: [failedWeek('2026-11-08', { failure: `HTTP 500 after ${minutes} s`, stateSince: minutesAgo(minutes) })],
        live: [execution('other', { state: 'held', stateSince: minutesAgo(minutes) })],
      }).map(({ key }) => key);
    expect(at(3)).toEqual(at(4_000));
  });

  it('differs from the key of every other problem', () => {
    const live = [1, 2, 3, 4, 5, 6].map((n) =>
      execution('acme', { id: n, sliceId: n, state: 'held', windowStart: `2026-0${n}-01`, windowEnd: `2026-0${n}-07` }),
    );
    const problems = told({
      live: [...live, execution('other', { errorsInRow: 2, lastError: 'x' }), execution('other', { id: 9, deathsInRow: 1 })],
      coverage: [
        failedWeek('2026-11-01'),
        failedWeek('2026-11-08', { failure: 'another' }),
        failedWeek('2026-10-04', { state: 'missing', failure: null }),
      ],
      connections: [connection({ unauthorizedSince: minutesAgo(5) }), connection({ name: 'second', unauthorizedSince: minutesAgo(5) })],
    });
    const keys = problems.map(({ key }) => key);
    expect(keys.length).toBeGreaterThan(9);
    expect(new Set(keys).size).toBe(keys.length);
  });
});

it('every kind has one finder, of problems or of notes, in the order in which kinds are reported', () => {
  expect([...Object.keys(PROBLEM_FINDERS), ...Object.keys(NOTICE_FINDERS)]).toEqual(Object.keys(PROBLEM_KINDS));
});

it('every kind has an end that a person can reach, in the table of docs/operations.md', () => {
  expect(Object.keys(PROBLEM_ENDS)).toEqual(Object.keys(PROBLEM_KINDS));
  const page = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
  for (const [kind, end] of Object.entries(PROBLEM_ENDS))
    expect(page).toContain(`\`${kind}\` | ${PROBLEM_KINDS[kind as ProblemKind]} | ${end}`);
  const acknowledged = Object.entries(PROBLEM_ENDS).filter(([kind, end]) => end.includes(`\`acknowledge ${kind}\``));
  expect(acknowledged.map(([kind]) => kind).toSorted(compareText)).toEqual(ACKNOWLEDGEABLE.toSorted(compareText));
});

describe('what was acknowledged', () => {
  const coverage = [failedWeek('2026-11-01', { stateSince: minutesAgo(50) }), failedWeek('2026-11-08', { stateSince: minutesAgo(30) })];
  const at = (minutes: number, own = {}): Pick<Status, 'acknowledgements'> => ({
    acknowledgements: [{ kind: 'failed', job: '', acknowledgedAt: minutesAgo(minutes), ...own }],
  });

  it('is told no more, of all jobs or of one', () => {
    expect(told({ coverage }).map(({ kind }) => kind)).toEqual(['failed']);
    expect(told({ coverage, ...at(20) })).toEqual([]);
    expect(told({ coverage, ...at(20, { job: 'acme' }) })).toEqual([]);
  });

  it('is told again when more of it happens, and of other jobs and kinds', () => {
    expect(told({ coverage, ...at(40) })).toHaveLength(1);
    expect(told({ coverage, ...at(20, { job: 'other' }) })).toHaveLength(1);
    expect(told({ coverage, ...at(20, { kind: 'drift' }) })).toHaveLength(1);
  });

  it('is nothing that waits for a decision', () => {
    const live = [execution('acme', { state: 'held', stateSince: minutesAgo(50) })];
    expect(told({ live, ...at(20, { kind: 'held' }) })).toHaveLength(1);
  });

  it('is, of drift, what columns were seen until then', () => {
    const drift = (minutes: number) => ({
      dataset: 'keyword_rankings',
      kind: 'new_column' as const,
      column: `c${minutes}`,
      detail: 'new',
      since: minutesAgo(minutes),
      jobs: ['acme'],
      loads: 1,
    });
    const notes = (...seen: number[]) => findNotices({ ...quiet, coverage: [], drift: seen.map(drift), ...at(20, { kind: 'drift' }) }, NOW);
    expect(notes(30, 40)).toEqual([]);
    expect(notes(10, 40)).toMatchObject([{ kind: 'drift' }]);
  });
});

it('a note does not count as a problem, and does not change the verdict', () => {
  const status = { ...quiet, coverage: [], jobs: [job('acme', { isEnabled: false })] };
  expect(findProblems(status, NOW)).toEqual([]);
  expect(findNotices(status, NOW)).toMatchObject([{ key: 'disabled:acme', severity: 'note' }]);
  expect(findVerdict(status, [])).toMatchObject({ kind: 'nothing-yet' });
});

it('spellings that do not match are reported once per account, dataset and kind, with the lines to copy', () => {
  const unmet = {
    accountId: '12345',
    dataset: 'ai_search_brands',
    kind: 'engine',
    spelling: 'chatgpt',
    answersSpelling: 'chatgptsearch',
    weeks: 3,
    firstWeek: '2026-10-25',
    lastWeek: '2026-11-08',
    apartSince: minutesAgo(600),
    line: 'aliases: { engine: { chatgptsearch: chatgpt } }',
  } as const;
  const other = {
    ...unmet,
    spelling: 'aim',
    answersSpelling: 'Google AI Mode',
    weeks: 1,
    line: 'aliases: { engine: { "Google AI Mode": aim } }',
  };
  expect(told({ unmetSpellings: [unmet, other, { ...unmet, dataset: 'ai_search_citations' }] })).toMatchObject([
    {
      key: 'spellings-apart:::12345 ai_search_brands engine',
      severity: 'error',
      title:
        'account 12345: ai_search_brands and ai_search_response do not match by engine in 3 weeks: chatgpt and chatgptsearch, aim and Google AI Mode',
      next: [
        'aliases: { engine: { chatgptsearch: chatgpt } }   in jobs.config.yaml, if both mean the same; otherwise let both jobs ask for the same',
        'aliases: { engine: { "Google AI Mode": aim } }   in jobs.config.yaml, if both mean the same; otherwise let both jobs ask for the same',
        'searchmill acknowledge spellings-apart   if they are to differ; others are told again',
      ],
    },
    { kind: 'spellings-apart' },
  ]);
});

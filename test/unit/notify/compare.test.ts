// When a target is told of a problem: when it begins, lasts and ends, and what is kept from it.
import { describe, expect, it } from 'vitest';
import { type Comparison, compareProblems, type TellingRules } from '../../../src/notify/compare.ts';
import { problemMessages } from '../../../src/notify/messages.ts';
import { type FoundProblem, type Problem, tellProblem } from '../../../src/problems/status.ts';
import { inMinutes, minutesAgo, NOW } from '../../support/status-rows.ts';

const MINUTE = 60_000;
const RULES: TellingRules = { severity: 'error', afterMs: 2 * MINUTE, remindMs: 60 * MINUTE, gatherMs: 1 };
const found = (own: Partial<FoundProblem>): Problem =>
  tellProblem({ kind: 'not-taken', needsYou: true, since: minutesAgo(30), title: 'it', why: [], next: [], ...own });
const untaken = found({});
const held = (start: string, end: string, job = 'acme'): Problem => found({ kind: 'held', job, window: { start, end } });
const failed = (start: string, end: string): Problem => found({ kind: 'failed', job: 'acme', apart: 'HTTP 0', window: { start, end } });

/** Looks at the problems of each minute, one after another; what was told by the last look, and what is known then. */
function lookEach(looks: readonly (readonly Problem[])[], rules = RULES, everyMinutes = 1): Comparison[] {
  let known: Comparison['known'] = [];
  return looks.map((present, index) => {
    const comparison = compareProblems(known, present, rules, inMinutes(index * everyMinutes));
    known = comparison.known;
    return comparison;
  });
}
/** What is told, and by which look, from 0: such as "2: 1 begun". */
const told = (looks: readonly Comparison[]): string[] =>
  looks.flatMap(({ begun, lasting, ended }, look) =>
    Object.entries({ begun, lasting, ended }).flatMap(([what, { length }]) => (length > 0 ? [`${look}: ${length} ${what}`] : [])),
  );

describe('a problem that may pass', () => {
  it('is reported once it has lasted, once, and its end once it has been gone as long', () => {
    const looks = lookEach([[untaken], [untaken], [untaken], [untaken], [], [], [], []]);
    expect(told(looks)).toEqual(['2: 1 begun', '6: 1 ended']);
  });

  it('is not reported, nor is its end, when it passes before that', () => {
    const flapping = [[untaken], [], [untaken], [], [untaken], [], [], []];
    expect(told(lookEach(flapping))).toEqual([]);
  });

  it('does not end while it comes and goes', () => {
    const looks = lookEach([[untaken], [untaken], [untaken], [], [untaken], [], [untaken], []]);
    expect(told(looks)).toEqual(['2: 1 begun']);
  });
});

it.each(['held', 'failed', 'reload-failed', 'credential-refused'] as const)('%s is told at once', (kind) => {
  expect(told(lookEach([[found({ kind })]]))).toEqual(['0: 1 begun']);
});

it('a problem that lasts is reported again after the time for that, with all of its kind', () => {
  const first = held('2026-11-01', '2026-11-07');
  const second = held('2026-11-08', '2026-11-14');
  const looks = lookEach([[first], [first, second], ...Array.from({ length: 5 }, () => [first, second])], RULES, 20);
  expect(told(looks)).toEqual(['0: 1 begun', '1: 1 begun', '3: 2 lasting', '6: 2 lasting']);
});

describe('severity', () => {
  const warning = found({ needsYou: false });

  it('leaves warnings out, unless they are asked for', () => {
    expect(told(lookEach([[warning], [warning], [warning], [warning]]))).toEqual([]);
    expect(told(lookEach([[warning], [warning], [warning]], { ...RULES, severity: 'warning' }))).toEqual(['2: 1 begun']);
  });

  it('does not report an end when a reported problem becomes a warning', () => {
    const looks = lookEach([[untaken], [untaken], [untaken], [warning], [warning], [warning], [warning]]);
    expect(told(looks)).toEqual(['2: 1 begun']);
  });
});

describe('weeks that are reported as one', () => {
  it('stay the same problem when the first week is mended, or an earlier one joins', () => {
    const looks = lookEach([
      [failed('2026-10-11', '2026-11-07')],
      [failed('2026-10-18', '2026-11-07')],
      [failed('2026-10-04', '2026-11-07')],
      [failed('2026-10-04', '2026-11-07')],
      [failed('2026-10-04', '2026-11-07')],
    ]);
    expect(told(looks)).toEqual(['0: 1 begun']);
  });

  it('of other times are another problem', () => {
    const looks = lookEach([[failed('2026-10-11', '2026-10-17')], [failed('2026-11-01', '2026-11-07')]]);
    expect(told(looks)).toEqual(['0: 1 begun', '1: 1 begun']);
  });
});

it('problems that begin and end one after another are gathered into few messages', () => {
  const weeks = ['01', '02', '03', '04', '05', '06'].map((month) => held(`2026-${month}-01`, `2026-${month}-07`));
  const growing = weeks.map((_, index) => weeks.slice(0, index + 1));
  const shrinking = weeks.map((_, index) => weeks.slice(index + 1));
  const looks = lookEach([...growing, weeks, weeks, ...shrinking, [], [], []], { ...RULES, gatherMs: 4 * MINUTE });
  expect(told(looks).map((line) => line.replace(/^\d+: /, ''))).toEqual(['1 begun', '4 begun', '1 begun', '5 ended', '1 ended']);
});

describe('messages', () => {
  const weeks = Array.from({ length: 40 }, (_, index) => {
    const start = new Date(Date.UTC(2026, 0, 4 + 7 * index)).toISOString().slice(0, 10);
    return held(start, start);
  });

  it('are one for each kind, however many problems begin', () => {
    const [look] = lookEach([[...weeks, found({ kind: 'credential-refused', connection: 'main' })]]);
    const messages = problemMessages(look as Comparison, 'https://pages.example/sub', NOW);
    expect(messages.map(({ type, data }) => [type, data.kind, data.count, data.problems.length, data.more])).toEqual([
      ['problem.began', 'held', 40, 10, 30],
      ['problem.began', 'credential-refused', 1, 1, 0],
    ]);
    expect(messages[0]?.data.problems[0]?.page).toBe('https://pages.example/sub/operations/jobs/acme/2026-01-04');
    expect(messages[0]?.data.commands).toContain('searchmill status');
  });

  it('say how long it took to recover', () => {
    const rules = { ...RULES, afterMs: 0 };
    const [, over] = lookEach([[held('2026-11-01', '2026-11-07')], []], rules, 150);
    expect(problemMessages(over as Comparison, undefined, NOW)[0]?.data.problems[0]).toMatchObject({
      title: 'recovered after 3 h: held, acme 2026-11-01..2026-11-07',
      lasted: '3 h',
      page: null,
    });
  });

  it('stay small and well formed whatever the texts are', () => {
    const long = '\ud83d\ude00\u202e\n\u0007'.repeat(10_000);
    const many = Array.from({ length: 500 }, (_, index) =>
      found({ kind: 'held', job: 'acme', apart: `${index}`, title: long, why: Array(50).fill(long), next: Array(50).fill(long) }),
    );
    const [look] = lookEach([many]);
    const [message] = problemMessages(look as Comparison, undefined, NOW);
    const text = JSON.stringify(message);
    expect(text.length).toBeLessThan(100_000);
    expect(/\\ud[89a-f]..|\\u0007|\u202e/i.test(text)).toBe(false);
  });
});

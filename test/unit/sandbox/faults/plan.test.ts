import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { callsMeeting, FAULT_KINDS, type FaultKind, isOfStage, type Stage } from '../../../../sandbox/faults/fault.ts';
import { checkFaultPlan, isStanding, parseFaultPlan, type Rule } from '../../../../sandbox/faults/plan.ts';

/** The mistakes of a plan with one rule, each as `place message`. */
function mistakesOf(rule: unknown): string[] {
  const checked = checkFaultPlan({ rules: [rule] });
  return 'plan' in checked ? [] : checked.mistakes.map(({ path, message }) => `${path.slice(2).join('.')} ${message}`);
}

function ruleOf(rule: unknown): Rule {
  const [parsed] = parseFaultPlan({ rules: [rule] }).rules;
  if (!parsed) throw new Error('the rule was lost');
  return parsed;
}

/** What a fault cannot do without. */
const NEEDED: Partial<Record<FaultKind, object>> = {
  storm: { for_ms: 1 },
  slow: { ms: 1 },
  row_count: { count: 'absent' },
  bad_value: { value: 'nul' },
  odd_value: { value: 'number_in_text' },
  odd_token: { value: 'nul' },
  missing_field: { field: 'schema' },
  drift: { change: 'reordered' },
  shrink: { keep: 0.5 },
  ignored_filter: { field: 'devices' },
};

test.each(FAULT_KINDS)('%s needs only its kind, unless a further field is required', (kind) => {
  const fault = ruleOf({ fault: { kind, ...NEEDED[kind] } }).fault;
  expect(fault.kind).toBe(kind);
  if (NEEDED[kind]) expect(mistakesOf({ fault: kind })).toHaveLength(1);
  else expect(ruleOf({ fault: kind }).fault).toEqual(fault);
});

test.each(FAULT_KINDS)('%s belongs to one stage, and can be met by some call', (kind) => {
  const { fault } = ruleOf({ fault: { kind, ...NEEDED[kind] } });
  const stages: readonly Stage[] = ['gateway', 'delivery', 'truth', 'execution', 'tokens', 'content', 'status'];
  expect(stages.filter((stage) => isOfStage(fault, stage))).toHaveLength(1);
  const { possible, meant } = callsMeeting(kind);
  expect(meant.length).toBeGreaterThan(0);
  expect(meant.every((call) => possible.includes(call))).toBe(true);
});

test('omitted fields have their defaults', () => {
  expect(parseFaultPlan({ rules: [{ fault: 'failed' }] })).toEqual({
    seed: 1,
    rules: [
      {
        on: { operation: 'any', call: 'any' },
        when: { after_ms: 0 },
        fault: { kind: 'failed', status: 200, message: 'the query ran out of memory', message_times: 1, message_in: 'message' },
      },
    ],
  });
});

describe('mistakes are reported with their place', () => {
  test.each([
    [{}, 'fault must be a fault, such as too_many or { kind: too_many, retry_after: 2 }; kinds are too_many, storm,'],
    [{ fault: 'to_many' }, 'fault.kind must be a fault, such as'],
    [{ fault: 'error', extra: 1 }, ' does not know extra; it may have: name, on, when, fault'],
    [{ fault: { kind: 'error', code: 500 } }, 'fault does not know code; it may have: kind, status'],
    [{ fault: { kind: 'redirect', status: 304 } }, 'fault.status must be one of 301, 302, 303, 307, 308'],
    [{ fault: { kind: 'slow', ms: -1 } }, 'fault.ms must be a whole number from 1 to 86400000'],
    [{ fault: { kind: 'failed', status: 204 } }, 'fault.status must be an HTTP status that can have a body, from 200 to 599'],
    [{ fault: { kind: 'empty_answer', weeks: ['2026-02-30'] } }, 'fault.weeks.0 must be a date of the calendar, written YYYY-MM-DD'],
    [{ fault: { kind: 'shrink', keep: '10%' } }, 'fault.keep must be a number from 0 to 1'],
    [{ on: { operation: 'rankings' }, fault: 'error' }, 'on.operation must be one of any, keyword_rankings, '],
    [{ on: { call: 'write' }, fault: 'error' }, 'on.call must be one of any, submit, poll, page, read'],
    [{ on: { call: 'read' }, fault: 'lost_submit' }, 'on.call read never meets lost_submit, which is for submit'],
    [{ on: { call: 'submit' }, fault: 'rejected_id' }, 'on.call submit never meets rejected_id, which is for poll and page'],
    [{ when: { nth: 0 }, fault: 'error' }, 'when.nth must be a whole number from 1'],
    [{ when: { probability: 2 }, fault: 'error' }, 'when.probability must be a number from 0 to 1'],
    [{ when: { nth: 1, every: 2 }, fault: 'error' }, 'when must have one of nth and every, not both'],
    [{ when: { after_ms: 5, until_ms: 5 }, fault: 'error' }, 'when.until_ms must come after after_ms'],
    [{ when: 'always', fault: 'error' }, 'when must be a mapping'],
    [{ fault: { kind: 'unauthorized', calls: 1, for_ms: 1 } }, 'fault must have one of for_ms and calls, not both'],
    [{ fault: { kind: 'missing_rows', rows: 1, share: 0.1 } }, 'fault must have one of rows and share, not both'],
    [{ fault: { kind: 'drift', change: 'missing_column', column: 'no_such' } }, 'fault.column must be a column of a dataset'],
    [
      { on: { operation: 'keyword_rankings' }, fault: { kind: 'bad_value', value: 'not_a_boolean' } },
      'fault.column must be a column of keyword_rankings, of a type that not_a_boolean does not fit',
    ],
    [
      { on: { operation: 'ai_search_brands' }, fault: { kind: 'odd_value', value: 'infinity' } },
      'fault.column must be a column of ai_search_brands, of the type that infinity is written for',
    ],
    [{ fault: { kind: 'restate', columns: ['intent', 'intnt'] } }, 'fault.columns.1 must be a column of a dataset'],
    [
      { on: { operation: 'ai_search_brands' }, fault: { kind: 'drift', change: 'renamed_type', column: 'rank_true' } },
      'fault.column must be a column of ai_search_brands',
    ],
  ])('%j', (rule, message) => {
    const mistakes = mistakesOf(rule);
    expect(mistakes).toHaveLength(1);
    expect(mistakes[0]).toContain(message);
  });

  test('all at once', () => {
    expect(() => parseFaultPlan({ seed: 'x', rules: [{ fault: 'error', when: { nth: 1.5 } }, { fault: { kind: 'slow' } }] })).toThrow(
      'the fault plan cannot be used: seed must be a whole number; rules[0].when.nth must be a whole number from 1; rules[1].fault.ms must be',
    );
    expect(() => parseFaultPlan([])).toThrow('the plan must be a mapping');
    expect(() => parseFaultPlan({})).toThrow('rules must be a list of rules');
  });
});

test('a rule is standing when only time bounds it', () => {
  expect(isStanding(ruleOf({ fault: 'empty_answer', when: { after_ms: 5, until_ms: 10 } }))).toBe(true);
  for (const when of [{ nth: 1 }, { every: 1 }, { probability: 1 }, { times: 9 }]) {
    expect(isStanding(ruleOf({ fault: 'empty_answer', when }))).toBe(false);
  }
  expect(isStanding(ruleOf({ fault: 'empty_answer', on: { execution: 1 } }))).toBe(false);
});

test('docs/sandbox.md describes every fault', () => {
  const text = readFileSync(new URL('../../../../docs/sandbox.md', import.meta.url), 'utf8');
  expect(FAULT_KINDS.filter((kind) => !text.includes(`\n\`${kind}\` |`))).toEqual([]);
});

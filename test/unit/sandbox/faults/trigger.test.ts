import { expect, test } from 'vitest';
import { type FaultPlanInput, parseFaultPlan } from '../../../../sandbox/faults/plan.ts';
import { type CallSeen, Trigger } from '../../../../sandbox/faults/trigger.ts';

type RuleInput = FaultPlanInput['rules'][number];

const STARTED_MS = 1_000_000;
const POLL: CallSeen = { operation: 'keyword_rankings', call: 'poll', execution: 1 };

const triggerOf = (rule: Omit<RuleInput, 'fault'>, seed = 1): Trigger =>
  new Trigger(parseFaultPlan({ seed, rules: [{ fault: 'error', ...rule }] }), 0, STARTED_MS);

/** Which of the calls 1 to `count` are met. */
function metOf(trigger: Trigger, count: number, seen: CallSeen = POLL): number[] {
  return Array.from({ length: count }, (_, index) => index + 1).filter(() => trigger.meets(seen, STARTED_MS));
}

test('nth meets one call, every meets each n-th, and a rule without either meets all', () => {
  expect(metOf(triggerOf({ when: { nth: 3 } }), 9)).toEqual([3]);
  expect(metOf(triggerOf({ when: { every: 3 } }), 9)).toEqual([3, 6, 9]);
  expect(metOf(triggerOf({}), 3)).toEqual([1, 2, 3]);
});

test('times bounds how often a rule applies, and its hits are counted', () => {
  const trigger = triggerOf({ when: { every: 2, times: 2 } });
  expect(metOf(trigger, 10)).toEqual([2, 4]);
  expect(trigger.hits).toBe(2);
});

test('probability meets about its share of calls, and the same calls for the same seed', () => {
  const met = metOf(triggerOf({ when: { probability: 0.1 } }), 10_000);
  expect(met.length).toBeGreaterThan(900);
  expect(met.length).toBeLessThan(1_100);
  expect(metOf(triggerOf({ when: { probability: 0.1 } }), 10_000)).toEqual(met);
  expect(metOf(triggerOf({ when: { probability: 0.1 } }, 2), 10_000)).not.toEqual(met);
  expect(metOf(triggerOf({ when: { probability: 0 } }), 1_000)).toEqual([]);
  expect(metOf(triggerOf({ when: { probability: 1 } }), 3)).toEqual([1, 2, 3]);
});

test('rules of one plan have chances of their own', () => {
  const plan = parseFaultPlan({
    rules: [
      { when: { probability: 0.5 }, fault: 'error' },
      { when: { probability: 0.5 }, fault: 'error' },
    ],
  });
  expect(metOf(new Trigger(plan, 0, STARTED_MS), 100)).not.toEqual(metOf(new Trigger(plan, 1, STARTED_MS), 100));
});

test('calls are counted for each operation and kind of call apart', () => {
  const trigger = triggerOf({ when: { nth: 2 } });
  const calls: CallSeen[] = [POLL, { ...POLL, call: 'page' }, { ...POLL, operation: 'ai_search_brands' }];
  expect(calls.map((seen) => trigger.meets(seen, STARTED_MS))).toEqual([false, false, false]);
  expect(calls.map((seen) => trigger.meets(seen, STARTED_MS))).toEqual([true, true, true]);
});

test('other operations, kinds of calls and executions are neither met nor counted', () => {
  const trigger = triggerOf({ on: { operation: 'keyword_rankings', call: 'read', execution: 2 }, when: { nth: 1 } });
  const others: CallSeen[] = [
    { operation: 'ai_search_brands', call: 'poll', execution: 2 },
    { operation: 'keyword_rankings', call: 'submit', execution: 2 },
    { operation: 'keyword_rankings', call: 'poll', execution: 1 },
    { operation: 'keyword_rankings', call: 'poll', execution: undefined },
  ];
  expect(others.some((seen) => trigger.meets(seen, STARTED_MS))).toBe(false);
  expect(trigger.meets({ operation: 'keyword_rankings', call: 'page', execution: 2 }, STARTED_MS)).toBe(true);
});

test('time is counted from when the plan was set, and calls only within it', () => {
  const trigger = triggerOf({ when: { after_ms: 100, until_ms: 200, nth: 2 } });
  const at = (elapsedMs: number): boolean => trigger.meets(POLL, STARTED_MS + elapsedMs);
  expect([at(99), at(99), at(100), at(199)]).toEqual([false, false, false, true]);
  const late = triggerOf({ when: { until_ms: 200 } });
  expect([late.meets(POLL, STARTED_MS + 199), late.meets(POLL, STARTED_MS + 200)]).toEqual([true, false]);
});

test('a call that another fault has met is counted, and not met again', () => {
  const trigger = triggerOf({ when: { nth: 2 } });
  expect(trigger.meets(POLL, STARTED_MS, true)).toBe(false);
  expect(trigger.meets(POLL, STARTED_MS)).toBe(true);
  const always = triggerOf({ when: { times: 1 } });
  expect(always.meets(POLL, STARTED_MS, true)).toBe(false);
  expect(always.hits).toBe(0);
  expect(always.meets(POLL, STARTED_MS)).toBe(true);
});

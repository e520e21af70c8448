import { expect, test } from 'vitest';
import { parseFaultPlanText } from '../../../../sandbox/faults/plan-file.ts';

test('YAML and JSON say the same', () => {
  const yaml = 'seed: 7\nrules:\n  - on: { call: page }\n    when: { nth: 3 }\n    fault: { kind: truncated, body: chunked }\n';
  const json = '{"seed": 7, "rules": [{"on": {"call": "page"}, "when": {"nth": 3}, "fault": {"kind": "truncated", "body": "chunked"}}]}';
  expect(parseFaultPlanText(yaml, 'plan.yaml')).toEqual(parseFaultPlanText(json, 'plan.json'));
});

test('every mistake is reported with its line and column', () => {
  const text = `seed: one
rules:
  - on: { call: pages }
    fault: error
  - when:
      nth: 2
      evry: 3
    fault:
      kind: slow
`;
  expect(() => parseFaultPlanText(text, 'plan.yaml')).toThrow(
    [
      'the fault plan cannot be used:',
      '  plan.yaml:1:7 seed must be a whole number',
      '  plan.yaml:3:17 rules[0].on.call must be one of any, submit, poll, page, read',
      '  plan.yaml:6:7 rules[1].when does not know evry; it may have: nth, every, probability, times, after_ms, until_ms',
      '  plan.yaml:9:7 rules[1].fault.ms must be a whole number from 1 to 86400000',
    ].join('\n'),
  );
});

test('text that is not YAML is reported with the place of the mistake', () => {
  expect(() => parseFaultPlanText('rules:\n  - fault: [', 'plan.yaml')).toThrow(/plan\.yaml:2:\d+ /);
  expect(() => parseFaultPlanText('rules: *nobody', 'plan.yaml')).toThrow('plan.yaml');
  expect(() => parseFaultPlanText('', 'plan.yaml')).toThrow('plan.yaml:1:1 the plan must be a mapping');
});

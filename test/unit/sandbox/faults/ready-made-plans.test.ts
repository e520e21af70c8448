import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseFaultPlanText } from '../../../../sandbox/faults/plan-file.ts';

const FOLDER = new URL('../../../chaos/plans/', import.meta.url);
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml'));

test('there are plans for mild and bad weather, a hostile and a malicious one, and one of odd answers', () => {
  expect(FILES.toSorted()).toEqual(['hostile.yaml', 'malicious.yaml', 'odd-answers.yaml', 'weather-bad.yaml', 'weather-mild.yaml']);
});

test.each(FILES)('%s can be used', (name) => {
  expect(parseFaultPlanText(readFileSync(new URL(name, FOLDER), 'utf8'), name).rules.length).toBeGreaterThan(10);
});

test.each(['weather-mild.yaml', 'weather-bad.yaml'])('%s holds nothing that changes which rows are published', (name) => {
  const { rules } = parseFaultPlanText(readFileSync(new URL(name, FOLDER), 'utf8'), name);
  const unsafe = rules.filter(({ fault }) => {
    if (['restate', 'shrink', 'empty_answer', 'bad_value', 'missing_rows'].includes(fault.kind)) return true;
    if (fault.kind === 'row_count') return fault.count !== 'absent';
    return fault.kind === 'drift' && fault.change === 'missing_column';
  });
  expect(unsafe).toEqual([]);
});

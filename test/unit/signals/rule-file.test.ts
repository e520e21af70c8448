import { describe, expect, it } from 'vitest';
import { THRESHOLD_NAMES } from '../../../src/config/signals.ts';
import { parseRule } from '../../../src/signals/rule-file.ts';
import { readRules } from '../../../src/signals/rules.ts';

const KNOWN = { datasets: ['keyword_rankings'], thresholds: ['least_volume'], places: ['search', 'search/places'] };

const RULE = `-- Title: Rule
-- Question: What?
-- More: more
-- From: search
-- Computed: By the
--   test.
-- Datasets: keyword_rankings
-- Thresholds: least_volume
-- Order: 1
SELECT NULL AS subject WHERE :account::bigint > 0 AND :week::date IS NOT NULL AND :least_volume::bigint > 0`;

function mistakesOf(source: string): string[] {
  const told: string[] = [];
  parseRule({ name: 'rule', source, ...KNOWN }, (problem) => told.push(problem));
  return told;
}

describe('the file of a rule', () => {
  it('is its header and one SELECT', () => {
    const rule = parseRule({ name: 'rule', source: RULE, ...KNOWN }, () => undefined);
    expect(rule).toMatchObject({ title: 'Rule', computed: 'By the test.', parameters: ['account', 'week', 'least_volume'], order: 1 });
  });
  it.each<[change: Record<string, string>, mistake: string]>([
    [{ '-- Title: Rule\n': '' }, 'Title: is missing'],
    [{ keyword_rankings: 'ranks' }, 'Datasets: "ranks" is not a dataset'],
    [{ 'Thresholds: least_volume': 'Thresholds: least' }, 'Thresholds: "least" is none; they are least_volume'],
    [{ 'From: search': 'From: search/where' }, 'From: "search/where" is no board, and no panel of one, such as rankings/visibility'],
    [{ ':week::date IS NOT NULL': 'true' }, 'SQL: :week is not used'],
    [{ '-- Order: 1': '-- Weeks: 1\n-- Order: 1' }, 'Weeks: expected a whole number from 2 to 13'],
    [{ 'Order: 1': 'Order: first' }, 'Order: expected a whole number'],
    [
      { '-- Order: 1': '-- Orders: 1' },
      '"-- Orders: 1" is not a line of a header; its keys are Title, Question, More, From, Computed, Datasets, Weeks, Thresholds, Order',
    ],
  ])('a mistake is reported: %j', (change, mistake) => {
    expect(mistakesOf(RULE)).toEqual([]);
    for (const [written, wrong] of Object.entries(change)) expect(mistakesOf(RULE.replace(written, wrong))).toContain(mistake);
  });
  it('every threshold of jobs.config.yaml is used by a rule that comes with Searchmill', () => {
    expect(new Set(readRules().flatMap(({ thresholds }) => thresholds))).toEqual(new Set(THRESHOLD_NAMES));
  });
});

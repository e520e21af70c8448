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
  parseRule({ name: 'rule', source, ...KNOWN }, (_, problem) => told.push(problem));
  return told;
}

describe('the file of a rule', () => {
  it('is its header and one SELECT', () => {
    const rule = parseRule({ name: 'rule', source: RULE, ...KNOWN }, () => undefined);
    expect(rule).toMatchObject({
      title: 'Rule',
      computed: 'By the test.',
      parameters: ['account', 'week', 'least_volume'],
      order: 1,
      weeks: 2,
    });
  });
  it('may compare up to 13 weeks, name several datasets or no threshold, and lead to a panel with choices', () => {
    const source = RULE.replace('-- Order: 1', '-- Weeks: 13\n-- Order: 1')
      .replace('-- Thresholds: least_volume\n', '')
      .replace(' AND :least_volume::bigint > 0', '')
      .replace('From: search', 'From:  search/places?device=DESKTOP ')
      .replace('Datasets: keyword_rankings', 'Datasets: keyword_rankings , other,');
    const told: string[] = [];
    const rule = parseRule({ name: 'rule', source, ...KNOWN, datasets: ['keyword_rankings', 'other'] }, (_, problem) => told.push(problem));
    expect(told).toEqual([]);
    expect(rule).toMatchObject({
      weeks: 13,
      datasets: ['keyword_rankings', 'other'],
      thresholds: [],
      from: 'search/places?device=DESKTOP',
    });
  });
  it('with a mistake is no rule', () => {
    expect(parseRule({ name: 'rule', source: RULE.replace('Order: 1', 'Order: first'), ...KNOWN }, () => undefined)).toBeUndefined();
  });
  it.each<[change: Record<string, string>, mistake: string]>([
    [{ '-- Title: Rule\n': '' }, 'Title: is missing'],
    [{ keyword_rankings: 'ranks' }, 'Datasets: "ranks" is not a dataset; they are keyword_rankings'],
    [{ 'Thresholds: least_volume': 'Thresholds: least' }, 'Thresholds: "least" is not a threshold; they are least_volume'],
    [{ 'From: search': 'From: search/where' }, 'From: "search/where" is no board, and no panel of one, such as rankings/visibility'],
    [{ ':week::date IS NOT NULL': 'true' }, 'SQL: :week is not used'],
    [{ '-- Order: 1': '-- Weeks: 1\n-- Order: 1' }, 'Weeks: expected a whole number from 2 to 13'],
    [{ '-- Order: 1': '-- Weeks: 14\n-- Order: 1' }, 'Weeks: expected a whole number from 2 to 13'],
    [{ '-- Order: 1': '-- Weeks: 2.5\n-- Order: 1' }, 'Weeks: expected a whole number from 2 to 13'],
    [{ 'Order: 1': 'Order: first' }, 'Order: expected a whole number'],
    [{ '-- Order: 1': '-- Order: 1\n-- Order: 1' }, 'Order: is there twice'],
    [{ ':account::bigint > 0': ':account::bigint > :other' }, 'SQL: :other is not among account, week and the Thresholds of the header'],
    [{ '-- Order: 1': '-- -- Order: 1' }, 'expected "-- Key: value", or "--   " and the rest of the value before'],
    [{ '--   test.': '--  test.' }, 'expected "-- Key: value", or "--   " and the rest of the value before'],
    [{ '--   test.': '-- ---   test.' }, 'expected "-- Key: value", or "--   " and the rest of the value before'],
    [{ '-- Title: Rule\n': '--   Rule\n' }, 'expected "-- Key: value", or "--   " and the rest of the value before'],
    [
      { '-- Order: 1': '-- Orders: 1' },
      '"Orders" is not a key of the header; they are Title, Question, More, From, Computed, Datasets, Weeks, Thresholds, Order',
    ],
  ])('a mistake is reported: %j', (change, mistake) => {
    expect(mistakesOf(RULE)).toEqual([]);
    for (const [written, wrong] of Object.entries(change)) expect(mistakesOf(RULE.replace(written, wrong))).toContain(mistake);
  });
  it('every threshold of jobs.config.yaml is used by a rule that comes with Searchmill', () => {
    expect(new Set(readRules().flatMap(({ thresholds }) => thresholds))).toEqual(new Set(THRESHOLD_NAMES));
  });
});

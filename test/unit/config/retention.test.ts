// retention: how long the ledger keeps what it does not need.
import { expect, it } from 'vitest';
import { parseJobsConfig } from '../../../src/config/jobs-config.ts';
import { DAY } from '../../../src/core/clock.ts';
import { completeJobFile, mistakesIn } from './jobs-file.ts';

const file = (retention: string): string => `${completeJobFile()}retention: ${retention}\n`;
const retentionOf = (text: string) => parseJobsConfig('jobs.yaml', text, {}).config.retention;

it('has safe ages by default', () => {
  const usual = { executionsMs: 180 * DAY, publicationsMs: 1095 * DAY, quarantineMs: 180 * DAY, driftMs: 180 * DAY, callsMs: 30 * DAY };
  expect(retentionOf(completeJobFile())).toEqual(usual);
  expect(retentionOf(file('{ publications: 400d }'))).toEqual({ ...usual, publicationsMs: 400 * DAY });
});

it.each([
  ['{ executions: 7d }', '8:26: retention.executions: is "7d"; expected a duration such as 30d, at least 30d, at most 36500d'],
  [
    '{ drift: 2 years }',
    '8:21: retention.drift: is "2 years"; expected a duration such as 30d, at least 30d, at most 36500d; did you mean 730d?',
  ],
  [
    '{ drifts: 60d }',
    '8:14: retention.drifts: is not known here; expected one of executions, publications, quarantine, drift, calls; did you mean drift?',
  ],
  ['60d', '8:12: retention: is "60d"; expected a mapping with executions, publications, quarantine, drift, calls'],
])('refuses %s by line and field', (retention, mistake) => {
  expect(mistakesIn(file(retention))).toEqual([mistake]);
});

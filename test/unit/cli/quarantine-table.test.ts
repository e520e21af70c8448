// Quarantined rows as a person reads them on a terminal.
import { expect, it } from 'vitest';
import { tabulateQuarantine } from '../../../src/cli/quarantine-table.ts';
import type { QuarantinedRow } from '../../../src/publishing/quarantine.ts';

const row = (own: Partial<QuarantinedRow>): QuarantinedRow => ({
  page: 1,
  position: 3,
  column: 'rank_standard',
  reason: 'not an integer',
  schemaNames: ['account_id', 'rank_standard'],
  raw: '["12345","not_a_number"]',
  ...own,
});

it('shows where a row stood, the value that did not decode, why, and how the row begins', () => {
  expect(
    tabulateQuarantine([row({}), row({ page: 2, position: 1_000, column: null, reason: 'a number of values', raw: '["1"]' })], 120),
  ).toBe(
    [
      'page    row  column         value         reason              begins with',
      '----  -----  -------------  ------------  ------------------  ------------------------',
      '   1      3  rank_standard  not_a_number  not an integer      ["12345","not_a_number"]',
      '   2  1,000  -              -             a number of values  ["1"]',
    ].join('\n'),
  );
});

it('cuts long texts, fits the terminal, and shows what is invisible', () => {
  const long = 'x'.repeat(1_000_000);
  const lines = tabulateQuarantine([row({ raw: JSON.stringify([long, `\u202e${long}`]) })], 132).split('\n');
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(132);
  expect(lines[2]).toContain('\\u202exxx');
  expect(lines[2]).toMatch(/\["x+…$/);
});

it('shows a row that is not JSON by its beginning', () => {
  expect(tabulateQuarantine([row({ raw: '["12345",' })], 80)).toMatch(/ - +not an integer +\["12345",$/m);
});

import { expect, it } from 'vitest';
import { type DataAnswer, dataAnswer, jsonOf, refusal } from '../../../src/mcp/data-answer.ts';

it.each([
  ['4.40', 'number', 4.4],
  ['1.00', 'number', 1],
  ['0.0', 'number', 0],
  ['100', 'number', 100],
  ['-12.5', 'number', -12.5],
  ['9007199254740993', 'number', '9007199254740993'],
  ['0.12345678901234567890123', 'number', '0.12345678901234567890123'],
  ['t', 'boolean', true],
  ['f', 'boolean', false],
  ['1.0', 'text', '1.0'],
  [null, 'number', null],
] as const)('a cell %j of kind %s is %j in JSON', (cell, kind, json) => {
  expect(jsonOf(cell, kind)).toBe(json);
});

const textOf = ({ content }: DataAnswer): string => content[0]?.text ?? '';
const factsOf = (answer: DataAnswer): Record<string, unknown> =>
  JSON.parse(/\nBEGIN DATA ([0-9a-f]{18})\n([^\n]*)\nEND DATA \1$/.exec(textOf(answer))?.[2] ?? 'null') as Record<string, unknown>;

/** Of each kind of characters that nobody sees, some: fillers are letters, selectors marks and blanks symbols for Unicode. */
const UNSEEN_KINDS = {
  controls: '\0\u0007\u001b\u007f\u0085\u009f',
  'zero-width': '\u200b\u200c\u200d\u2060\ufeff',
  directions: '\u061c\u200e\u200f\u202a\u202e\u2066\u2069',
  fillers: '\u115f\u1160\u3164\uffa0',
  joiners: '\u034f\u17b4\u17b5',
  selectors: '\ufe00\ufe0f\u{e0100}\u{e01ef}\u180b\u180d\u180f',
  blanks: '\u00a0\u1680\u2000\u200a\u202f\u205f\u3000\u2800',
  lines: '\u2028\u2029',
  tags: '\u{e0001}\u{e0041}\u{e007f}',
  'soft hyphen': '\u00ad',
  music: '\u{1d159}\u{1d173}\u{1d17a}',
  shorthand: '\u{1bca0}\u{1bca3}',
  objects: '\ufffc\ufff9\ufffb',
  private: '\ue000\u{f0000}\u{10fffd}',
  unassigned: '\u0378\ufdd0\uffff\u{e0fff}',
  surrogates: '\ud800',
} as const;

it.each(Object.entries(UNSEEN_KINDS))(
  'of characters that nobody sees, %s are written as codes, and stay what they are',
  (_, characters) => {
    for (const character of characters) {
      const answer = dataAnswer({ text: `a${character}b` });
      expect(textOf(answer).replaceAll('\n', '')).toMatch(/^[ -~]+$/);
      expect(factsOf(answer)).toEqual({ text: `a${character}b` });
    }
    expect(textOf(refusal(`There is no ${characters}.`))).toMatch(/^[ -~]+$/);
  },
);

it('letters, marks, digits and symbols of all scripts are shown as they are', () => {
  const text = 'münchen İstanbul Ελλάδα кофе 東京 한국 हिन्दी ไทย עברית العربية é 12 € ½ 🙂 👍🏽';
  expect(textOf(dataAnswer({ text }))).toContain(text);
});

it.each([
  ['texts', { text: 'x'.repeat(1_000_000) }],
  ['many texts', Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`text ${at}`, '\u200b'.repeat(5_000)]))],
  ['a list', { accounts: Array.from({ length: 20_000 }, (_, at) => ({ account: String(at), isConfigured: true })) }],
  ['lists of lists', { gaps: Array.from({ length: 300 }, () => ({ reason: '<'.repeat(3_000), weeks: Array(300).fill('2026-11-01') })) }],
])('an answer never has more than 8,000 characters, a refusal included, whatever %s its facts have', (_, facts) => {
  for (const answer of [
    dataAnswer(facts),
    dataAnswer(facts, { name: 'rows', all: [{ place: 1 }] }),
    refusal('\u200b'.repeat(100_000), facts),
  ]) {
    expect(textOf(answer).length).toBeLessThanOrEqual(8_000);
    expect(factsOf(answer)).toEqual(expect.any(Object));
  }
});

it.each([1, 30, 500])('rows with %d long texts fill an answer, and those left out are named', (columns) => {
  const row = Object.fromEntries(Array.from({ length: columns }, (_, at) => [`column ${at}`, '<\u200b'.repeat(5_000)]));
  const all = Array.from({ length: 20 }, (_, at) => ({ at, ...row }));
  const nameRows = (left: readonly unknown[]): string => `rows ${'<'.repeat(5_000)} ${left.length}`;
  const answer = dataAnswer({ values: {} }, { name: 'rows', all, nameRows });
  expect(textOf(answer).length).toBeLessThanOrEqual(8_000);
  const { rows, isCut, omitted } = factsOf(answer) as { rows: { at: number }[]; isCut: boolean; omitted: string };
  expect(isCut).toBe(true);
  if (columns === 500) return expect(omitted).toContain('ask for less');
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.map(({ at }) => at)).toEqual(Array.from({ length: rows.length }, (_, at) => at));
  expect(omitted).toMatch(new RegExp(`^${20 - rows.length} more`));
});

it.each([0, 1, 2, 3, 4, 5])(
  'a refusal is cut after invisible characters are written as codes, and never within one (%d letters before)',
  (letters) => {
    const told = textOf(refusal('x'.repeat(letters) + '\u200b\u{e0041}'.repeat(2_000)));
    expect(told.length).toBeLessThanOrEqual(2_000);
    expect(told).toMatch(/^x*(?:\\u[\da-f]{4})+…$/);
  },
);

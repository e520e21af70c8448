import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatTable } from '../../../src/cli/table.ts';
import { wrapText } from '../../../src/cli/wrap.ts';
import { escapeInvisible } from '../../../src/core/invisible.ts';
import { count, formatNumber } from '../../../src/core/numbers.ts';
import { ago, formatDuration, until } from '../../../src/core/relative-time.ts';

describe('a table', () => {
  it('aligns numbers to the right with separators, text to the left, and shows a dash for nothing', () => {
    expect(
      formatTable(
        ['name', 'rows'],
        [
          ['a', 1_234_567],
          ['longer', null],
          ['b', 0.5],
        ],
      ),
    ).toBe(['name         rows', '------  ---------', 'a       1,234,567', 'longer          -', 'b             0.5'].join('\n'));
  });

  it('has no header when there are no names, and no blanks at the ends of lines', () => {
    expect(
      formatTable(
        [],
        [
          ['a', 'long text'],
          ['longer', 'x'],
        ],
      ),
    ).toBe('a       long text\nlonger  x');
  });
});

describe('a count', () => {
  it('uses the singular and the plural', () => {
    expect([count(0, 'row'), count(1, 'row'), count(12_345, 'row')]).toEqual(['0 rows', '1 row', '12,345 rows']);
  });

  it.each([
    [0, '0'],
    [999, '999'],
    [1_000, '1,000'],
    [1_234_567.891, '1,234,567.89'],
    [-12_345, '-12,345'],
    [Number.MAX_SAFE_INTEGER, '9,007,199,254,740,991'],
  ])('%d is written as %s', (value, text) => {
    expect(formatNumber(value)).toBe(text);
  });
});

describe('relative times', () => {
  it.each([
    [0, '0 s'],
    [119_000, '119 s'],
    [120_000, '2 min'],
    [7_190_000, '120 min'],
    [7_200_000, '2 h'],
    [172_000_000, '48 h'],
    [172_800_000, '2 days'],
    [-5_000, '0 s'],
  ])('%i ms are %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it('say what is past and what is to come', () => {
    const now = new Date('2026-11-18T12:00:00Z');
    expect(ago(new Date('2026-11-18T09:00:00Z'), now)).toBe('3 h ago');
    expect(until(new Date('2026-11-18T15:00:00Z'), now)).toBe('in 3 h');
    expect([ago(null, now), until(null, now), until(now, now)]).toEqual(['never', 'soon', 'now']);
  });
});

describe('wrapped text', () => {
  it('keeps every word in order and, where words allow it, within the width', () => {
    const text = fc.array(fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom('a', 'b', '-', 'é') }), { maxLength: 60 });
    fc.assert(
      fc.property(text, fc.integer({ min: 40, max: 120 }), (words, width) => {
        const lines = wrapText(words.join(' '), width, '  ');
        expect(lines.join(' ').split(/\s+/).filter(Boolean)).toEqual(words);
        for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
        for (const line of lines) expect(line.startsWith('  ')).toBe(true);
      }),
    );
  });

  it('leaves a word that is too long whole', () => {
    expect(wrapText(`see ${'x'.repeat(100)} there`, 60)).toEqual(['see', 'x'.repeat(100), 'there']);
  });
});

describe('text for a terminal', () => {
  it('makes control characters and direction marks of the service visible, and keeps our colours', () => {
    expect(escapeInvisible('a\u009b2Jb\u202ec\u2028d\u007f \u001b[31m東京\u001b[0m\n')).toBe(
      'a\\u009b2Jb\\u202ec\\u2028d\\u007f \u001b[31m東京\u001b[0m\n',
    );
  });

  it('stays the same value as JSON', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(JSON.parse(escapeInvisible(JSON.stringify(text)))).toBe(text);
      }),
    );
  });
});

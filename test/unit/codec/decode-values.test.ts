import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExact } from '../../../src/core/exact-json.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { decodeValue } from './copy-rows.ts';

/** A number of JSON as it was sent. */
const exact = (digits: string): unknown => parseExact(digits);

describe('a boolean', () => {
  const caseOf = (word: string) =>
    fc
      .array(fc.boolean(), { minLength: word.length, maxLength: word.length })
      .map((upper) => [...word].map((letter, i) => (upper[i] ? letter.toUpperCase() : letter)).join(''));

  it('is true or false in any case', () => {
    fc.assert(
      fc.property(caseOf('true'), caseOf('false'), (yes, no) => {
        expect(decodeValue('collected', yes)).toEqual({ text: 't' });
        expect(decodeValue('collected', no)).toEqual({ text: 'f' });
      }),
    );
  });

  it.each([
    [true, 't'],
    [false, 'f'],
    ['', null],
    [null, null],
  ])('of JSON %j is stored as %j', (wire, text) => {
    expect(decodeValue('collected', wire)).toEqual({ text });
  });

  it.each(['t', 'f', 'yes', 'no', '1', '0', 1, 0, ' true', 'true ', 'true\n', 'ＴＲＵＥ', [], [true], {}])('is not %j', (wire) => {
    expect(decodeValue('collected', wire)).toMatchObject({ column: 'collected' });
  });
});

describe('a date', () => {
  it('is kept when a calendar has it and rejected when not', () => {
    const number = (min: number, max: number, digits: number) => fc.integer({ min, max }).map((n) => String(n).padStart(digits, '0'));
    fc.assert(
      fc.property(number(0, 9999, 4), number(0, 13, 2), number(0, 32, 2), (year, month, day) => {
        const wire = `${year}-${month}-${day}`;
        const at = new Date(Date.UTC(2000, 0, 1));
        at.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
        const isThere = year !== '0000' && at.getUTCMonth() === Number(month) - 1 && at.getUTCDate() === Number(day) && month !== '00';
        expect(decodeValue('day', wire)).toMatchObject(isThere ? { text: wire } : { column: 'day' });
      }),
      { numRuns: propertyRuns(1000) },
    );
  });

  it.each(['2024-02-29', '2000-02-29', '0001-01-01', '9999-12-31'])('is %s', (wire) => {
    expect(decodeValue('day', wire)).toEqual({ text: wire });
  });

  const junk = [
    '2026-02-29',
    '1900-02-29',
    '2026-1-1',
    '20260101',
    '2026-01-01T00:00:00Z',
    '01/02/2026',
    'today',
    'infinity',
    '10000-01-01',
    '2026-01-01 BC',
  ];
  it.each([...junk, ' 2026-01-01', '2026-01-01\n', 20260101, true, [], {}])('is not %j', (wire) => {
    expect(decodeValue('day', wire)).toMatchObject({ column: 'day' });
  });

  it('that is empty has no value', () => {
    expect(decodeValue('day', '')).toEqual({ text: null });
  });
});

describe('a text', () => {
  const anyUnit = fc.oneof(
    fc.constantFrom('\t', '\n', '\r', '\\', '\0', '\\.', '\\N', '\v', '\u2028', '\uFEFF', '\u0085', '🙂', '\ud83d', '\ude42', "'", '"'),
    fc.string({ unit: 'binary', maxLength: 3 }),
  );
  const anyText = fc.array(anyUnit, { maxLength: 12 }).map((units) => units.join(''));

  it('comes back unit for unit, or is rejected for NUL or half a surrogate pair', () => {
    fc.assert(
      fc.property(anyText, (wire) => {
        const decoded = decodeValue('title', wire);
        if (wire.includes('\0')) expect(decoded).toMatchObject({ column: 'title', rejected: expect.stringContaining('NUL') });
        else if (!wire.isWellFormed()) expect(decoded).toMatchObject({ column: 'title', rejected: expect.stringContaining('surrogate') });
        else expect(decoded).toEqual({ text: wire });
      }),
      { numRuns: propertyRuns(3000) },
    );
  });

  it.each(['', '\\N', '\\.', '\\', '\\\\', '\t', '\r\n', '\n', 'a\tb\\tc', 'null', 'NULL', ' ', '\u0001', '\ud83d\ude42'])(
    'stays %j',
    (wire) => {
      expect(decodeValue('title', wire)).toEqual({ text: wire });
    },
  );

  it('that is null is not the same as an empty one', () => {
    expect(decodeValue('title', null)).toEqual({ text: null });
    expect(decodeValue('title', '')).toEqual({ text: '' });
  });

  it.each([
    [5, '5'],
    [1.5, '1.5'],
    [-0.25, '-0.25'],
    [exact('1.50'), '1.50'],
    [exact('-0'), '-0'],
    [exact('1e2'), '1e2'],
    [exact('12345678901234567890.000'), '12345678901234567890.000'],
    [exact('1e999999999'), '1e999999999'],
    [true, 'true'],
    [false, 'false'],
  ])('of JSON %j is written as %j', (wire, text) => {
    expect(decodeValue('title', wire)).toEqual({ text });
  });

  it.each([2 ** 53, 2 ** 63 + 4096, Number.POSITIVE_INFINITY, Number.NaN])(
    'is not the JSON number %d, which may have lost digits',
    (wire) => {
      expect(decodeValue('title', wire)).toMatchObject({ column: 'title', rejected: expect.stringContaining('JSON number') });
    },
  );

  it.each([
    [{ a: 1 }, 'an object where a string was expected'],
    [['a'], 'an array where a string was expected'],
  ])('is not %j', (wire, rejected) => {
    expect(decodeValue('title', wire)).toEqual({ column: 'title', rejected });
  });
});

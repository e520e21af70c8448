import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digitsOf, parseExact, writeExact } from '../../../src/core/exact-json.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const digits = fc.string({ unit: fc.constantFrom('0', '0', '1', '5', '9'), minLength: 1, maxLength: 24 });
const number = fc
  .tuple(fc.constantFrom('', '-'), digits, fc.option(digits), fc.option(fc.tuple(fc.constantFrom('e', 'E', 'e+', 'E-'), digits)))
  .map(
    ([sign, whole, fraction, exponent]) =>
      `${sign}${whole.replace(/^0+(?=\d)/, '')}${fraction === null ? '' : `.${fraction}`}${exponent ? exponent.join('') : ''}`,
  );

describe('a number of JSON', () => {
  it('keeps every digit it was sent with, alone and within other values', () => {
    fc.assert(
      fc.property(number, (text) => {
        expect(digitsOf(parseExact(text))).toBe(text);
        const inside = `[{"a":[${text},"${text}"],"__proto__":${text}}]`;
        expect(writeExact(parseExact(inside))).toBe(inside);
      }),
      { numRuns: propertyRuns(5_000), seed: 41 },
    );
  });

  it('is an ordinary number as long as a double holds it exactly', () => {
    for (const text of ['0', '7', '-12', '1.5', '0.000001', '123456.25', '9007199254740991']) expect(parseExact(text)).toBe(Number(text));
  });

  it('that is left only as a double has the shortest digits that identify it', () => {
    expect([1.5, -7, 0.1, 2 ** 53 - 1].map(digitsOf)).toEqual(['1.5', '-7', '0.1', '9007199254740991']);
    expect([2 ** 53, 1e300, Infinity, NaN, '5', null, true, [5]].map(digitsOf)).toEqual(Array.from({ length: 8 }, () => undefined));
  });
});

describe('other JSON', () => {
  it('is what JSON.parse makes of it', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary', maxDepth: 4 }), (text) => {
        expect(JSON.parse(writeExact(parseExact(text)))).toEqual(JSON.parse(text));
      }),
      { numRuns: propertyRuns(1_000), seed: 42 },
    );
  });

  it('takes the last value of a key that comes twice', () => {
    expect(writeExact(parseExact('{"a":1.0,"a":2.0}'))).toBe('{"a":2.0}');
  });

  it('is refused as by JSON.parse', () => {
    for (const text of ['', '1.', '[1.0,]', '01.0', '{"a":1.0', 'NaN', '+1.0']) expect(() => parseExact(text)).toThrow(SyntaxError);
  });

  it('may be nested as deep as JSON.parse accepts', () => {
    const text = `${'['.repeat(50_000)}1.0${']'.repeat(50_000)}`;
    expect(Array.isArray(parseExact(text))).toBe(true);
  });
});

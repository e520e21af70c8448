import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeValue } from './copy-rows.ts';

const INT32: [bigint, bigint] = [-(2n ** 31n), 2n ** 31n - 1n];
const INT64: [bigint, bigint] = [-(2n ** 63n), 2n ** 63n - 1n];

describe.each([
  ['rank', 'integer', ...INT32],
  ['volume', 'bigint', ...INT64],
] as const)('an integer for column %s (%s)', (name, pg, min, max) => {
  const near = (edge: bigint) => fc.bigInt({ min: edge - 20n, max: edge + 20n });
  const anyInteger = fc.oneof(
    near(min),
    near(max),
    near(0n),
    fc.bigInt({ min: min * 3n, max: max * 3n }),
    fc.bigInt(-(10n ** 40n), 10n ** 40n),
  );
  const zeros = fc.nat(30).map((count) => '0'.repeat(count));

  it('is kept exactly within its range, with any number of leading zeros, and rejected outside', () => {
    fc.assert(
      fc.property(anyInteger, zeros, (value, leading) => {
        const wire = `${value < 0n ? '-' : ''}${leading}${value < 0n ? -value : value}`;
        const decoded = decodeValue(name, wire);
        if (value >= min && value <= max) expect(decoded).toEqual({ text: String(value) });
        else expect(decoded).toMatchObject({ column: name, rejected: expect.stringContaining(`within ${pg}`) });
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['-0', '0'],
    ['-000', '0'],
    ['000', '0'],
    ['-0007', '-7'],
    [7, '7'],
    [-0, '0'],
    [5.0, '5'],
    ['', null],
    [null, null],
  ])('of %j is stored as %j', (wire, text) => {
    expect(decodeValue(name, wire)).toEqual({ text });
  });

  const junk = [
    '+1',
    '1.0',
    '1e3',
    '0x10',
    ' 1',
    '1 ',
    '1\n',
    '\n1',
    '1,000',
    '--1',
    '-',
    '١٢',
    '1_000',
    'NaN',
    'null',
    '\\N',
    true,
    false,
    1.5,
  ];
  it.each([...junk, 2 ** 53, -(2 ** 53), 1e300, Number.POSITIVE_INFINITY, [1], [], { value: 1 }])('is not %j', (wire) => {
    expect(decodeValue(name, wire)).toMatchObject({ column: name });
  });

  it('is what a JSON number says, as far as JSON can say it exactly', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (value) => {
        const isInside = BigInt(value) >= min && BigInt(value) <= max;
        expect(decodeValue(name, value)).toMatchObject(isInside ? { text: String(value) } : { column: name });
      }),
    );
  });
});

describe('a float', () => {
  const decoded = (wire: unknown) => decodeValue('cpc', wire);
  const number = (wire: unknown): number => {
    const result = decoded(wire);
    return 'text' in result ? Number(result.text) : Number.NaN;
  };

  it('keeps its value in every notation', () => {
    const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(finite, fc.constantFrom('plain', 'exponent', 'capital', 'json'), (value, notation) => {
        const plain = String(value);
        const wire = notation === 'json' ? value : notation === 'plain' ? plain : value.toExponential();
        expect(number(notation === 'capital' ? String(wire).toUpperCase() : wire)).toBe(value === 0 ? number(wire) : value);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['0', '0'],
    ['-0', '-0'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['+1.5', '1.5'],
    ['1e5', '100000'],
    ['1E-5', '0.00001'],
    ['00012.50', '12.5'],
    ['0e99999', '0'],
    ['0.000e-99999', '0'],
    ['1.7976931348623158e308', '1.7976931348623157e+308'],
    ['5e-324', '5e-324'],
    ['3e-324', '5e-324'],
  ])('of %j is %s', (wire, text) => {
    expect(decoded(wire)).toEqual({ text });
  });

  it.each(['1e309', '-1e309', '1.7976931348623159e308', '1e-400', '-1e-400', '2e-324', '0.00001e-400', `0.${'0'.repeat(400)}1`])(
    'that Postgres would refuse for its size is rejected: %s',
    (wire) => {
      expect(decoded(wire)).toMatchObject({ column: 'cpc', rejected: expect.stringContaining('is not a float') });
    },
  );

  const junk = [
    '.',
    'e5',
    '1e',
    '1.2.3',
    '1,5',
    '0x1p3',
    'NaN',
    'Infinity',
    '-inf',
    ' 1',
    '1 ',
    '1\n',
    '1f',
    '1d',
    '１',
    '\\N',
    'null',
    true,
  ];
  it.each([...junk, Number.NaN, Infinity, -Infinity, [1.5], {}])('is not %j', (wire) => {
    expect(decoded(wire)).toMatchObject({ column: 'cpc' });
  });

  it('that is empty has no value', () => {
    expect(decoded('')).toEqual({ text: null });
    expect(decoded(null)).toEqual({ text: null });
  });
});

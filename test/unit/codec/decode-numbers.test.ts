import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExact } from '../../../src/core/exact-json.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { decodeValue } from './copy-rows.ts';

/** A number of JSON as it was sent. */
const exact = (digits: string): unknown => parseExact(digits);

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
      { numRuns: propertyRuns(1000) },
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
    ['12000.0', '12000'],
    ['1.0', '1'],
    ['-1.000', '-1'],
    ['1.2E4', '12000'],
    ['1.2e+4', '12000'],
    ['120e-1', '12'],
    ['0.0012e4', '12'],
    ['0.0', '0'],
    ['-0.0', '0'],
    ['0e999999999', '0'],
    [`0e-${'9'.repeat(900)}`, '0'],
    [exact('1.0'), '1'],
    [exact('1.2E4'), '12000'],
    [exact('-0'), '0'],
    ['', null],
    [null, null],
  ])('of %j is stored as %j', (wire, text) => {
    expect(decodeValue(name, wire)).toEqual({ text });
  });

  const junk = [
    '+1',
    '1.5',
    '1.',
    '.5e1',
    '1.05e1',
    '1e-1',
    '0.1',
    '1e',
    '1e+',
    '1e999999999',
    '-1e999999999',
    `1e${'9'.repeat(900)}`,
    `1e-${'9'.repeat(900)}`,
    '1'.repeat(1_001),
    `1e${'0'.repeat(1_000)}`,
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
  it.each([...junk, 2 ** 53, -(2 ** 53), 1e300, Number.POSITIVE_INFINITY, exact('1.50'), exact('1e999'), [1], [], { value: 1 }])(
    'is not %j',
    (wire) => {
      expect(decodeValue(name, wire)).toMatchObject({ column: name });
    },
  );

  it('is exact in every notation, as text and as a JSON number, and rejected when it is not whole or not in range', () => {
    const written = fc
      .tuple(anyInteger, fc.nat(25), fc.integer({ min: -5, max: 30 }), fc.constantFrom('e', 'E', 'e+'))
      .map(([value, zeros, shift, letter]) => {
        const [sign, digits] = value < 0n ? ['-', String(-value)] : ['', String(value)];
        const padded = digits.padStart(Math.max(0, shift) + 1, '0');
        const at = padded.length - Math.max(0, shift);
        const fraction = `${padded.slice(at)}${'0'.repeat(zeros)}`;
        const exponent = shift > 0 ? `${letter}${shift}` : '';
        return { value, text: `${sign}${padded.slice(0, at)}${fraction === '' ? '' : `.${fraction}`}${exponent}` };
      });
    fc.assert(
      fc.property(written, ({ value, text }) => {
        const expected = value >= min && value <= max ? { text: String(value) } : { column: name };
        expect(decodeValue(name, text)).toMatchObject(expected);
        if (/^-?(?:0|[1-9])/.test(text) && !/^-?0\d/.test(text)) expect(decodeValue(name, exact(text))).toMatchObject(expected);
        const half = text.includes('e') || text.includes('E') ? `${text.replace(/[eE].*/, '')}5e-40` : `${text.replace(/\..*/, '')}.5`;
        expect(decodeValue(name, half)).toMatchObject({ column: name });
      }),
      { numRuns: propertyRuns(2_000), seed: 31 },
    );
  });

  it('is the value of a JSON number within the range that JSON holds exactly', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (value) => {
        const isInside = BigInt(value) >= min && BigInt(value) <= max;
        expect(decodeValue(name, value)).toMatchObject(isInside ? { text: String(value) } : { column: name });
      }),
    );
  });
});

it('an integer beyond 2^53 stays exact with a zero behind its point', () => {
  for (const wire of ['9007199254740993.0', exact('9007199254740993.0'), exact('9007199254740993')])
    expect(decodeValue('volume', wire)).toEqual({ text: '9007199254740993' });
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
      { numRuns: propertyRuns(1000) },
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
    ['NaN', 'NaN'],
    ['nan', 'NaN'],
    ['Infinity', 'Infinity'],
    ['+infinity', 'Infinity'],
    ['inf', 'Infinity'],
    ['-INF', '-Infinity'],
    ['-Infinity', '-Infinity'],
    [exact('1.50'), '1.5'],
    [exact('12345678901234567890'), '12345678901234567000'],
  ])('of %j is %s', (wire, text) => {
    expect(decoded(wire)).toEqual({ text });
  });

  it.each(['1e309', '-1e309', '1.7976931348623159e308', '1e-400', '-1e-400', '2e-324', '0.00001e-400', `0.${'0'.repeat(400)}1`])(
    'that Postgres would refuse for its size is rejected: %s',
    (wire) => {
      expect(decoded(wire)).toMatchObject({ column: 'cpc', rejected: expect.stringContaining('is not a float') });
    },
  );

  it('is shortened in messages when it is long, with a mark of that', () => {
    expect(decoded(`${'1'.repeat(90)}x`)).toMatchObject({ rejected: `"${'1'.repeat(40)}..." is not a float` });
  });

  const junk = [
    '.',
    'e5',
    '1e',
    '1.2.3',
    '1,5',
    '0x1p3',
    '+NaN',
    '-nan',
    'nan(1)',
    ' inf',
    'infin',
    'infinity1',
    `1${'0'.repeat(1_000)}`,
    exact('1e999'),
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

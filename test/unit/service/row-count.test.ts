import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRowCount } from '../../../src/service/row-count.ts';

function readFrom(text: string) {
  const record = JSON.parse(text) as { totalRowCount?: unknown };
  return readRowCount(record.totalRowCount, text);
}

describe('readRowCount', () => {
  it('is exact for every int64, as a number and as a string', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), fc.boolean(), (count, isString) => {
        const text = `{"results":[[1.5e300]],"totalRowCount":${isString ? `"${count}"` : count}}`;
        expect(readFrom(text)).toEqual({ count });
      }),
      {
        examples: [
          [2n ** 53n + 1n, false],
          [2n ** 63n - 1n, false],
          [0n, true],
        ],
        seed: 1,
      },
    );
  });

  it.each(['{}', '{"totalRowCount":null}'])('is unknown, and not unreadable, for %s', (text) => {
    expect(readFrom(text)).toEqual({ count: null });
  });

  it.each([
    ['-1', '-1'],
    ['12.5', '12.5'],
    ['9223372036854775808', '9223372036854775808'],
    ['"many"', 'many'],
    ['""', ''],
    ['"0x10"', '0x10'],
    ['{"a":1}', '{"a":1}'],
    ['true', 'true'],
    ['1e400', '1e400'],
  ])('does not fail on %s, and shows the value', (json, unreadable) => {
    expect(readFrom(`{"totalRowCount":${json}}`)).toEqual({ count: null, unreadable });
  });

  it('shows no more than forty characters of nonsense', () => {
    expect(readFrom(`{"totalRowCount":"${'x'.repeat(500)}"}`).unreadable).toHaveLength(40);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CommonValues, expectCommon, formatCommon, leaveOutCommon, parseCommon } from '../../../src/codec/common-values.ts';
import { createDecoder, stagingColumns } from '../../../src/codec/decode.ts';
import { everyType, readCopyRows, rowOf, schemaOf } from './copy-rows.ts';

const decoder = createDecoder(everyType, schemaOf(everyType));
const types = stagingColumns(everyType).map(([, type]) => type);
const width = everyType.columns.length;
const copyDataOf = (rows: readonly unknown[]): Buffer => decoder.decodePage(rows, 1).copyData;

/** Few values, so that rows often have some in common. */
const row = fc
  .record({
    account_id: fc.constantFrom('1', '1', '1', '1', '-9223372036854775808'),
    time_period_start: fc.constantFrom('2026-11-08', '2026-11-08', '2026-11-08', '0001-01-01'),
    query: fc.constantFrom('a', 'a', 'é', null),
    rank: fc.constantFrom(null, null, '3', '-2147483648'),
    volume: fc.constantFrom('5', null),
    cpc: fc.constantFrom('0', '-0', '1.5', null),
    title: fc.string({ unit: 'grapheme', maxLength: 20 }),
  })
  .map((values) => rowOf(everyType, values));
const page = fc.array(row, { maxLength: 5 });

/** How many first columns of `then` are those of the first row of `first` in all rows. */
function countCommon(first: readonly (string | null)[][], then: readonly (string | null)[][], most: number): number {
  const differs = Array.from({ length: most }, (_, column) => then.every((values) => values[column] === first[0]?.[column])).indexOf(false);
  return differs === -1 ? most : differs;
}

describe('what rows have in common', () => {
  it('is left out of them page after page, less of it when a page has less, and the rest is as it was', () => {
    let leftOut = 0;
    let narrowed = 0;
    fc.assert(
      fc.property(page, fc.array(page, { maxLength: 4 }), (first, others) => {
        const head = readCopyRows(types, copyDataOf(first));
        let common = expectCommon(everyType, copyDataOf(first));
        expect(common?.columns).toBe(head.length < 2 ? undefined : width - 1);
        for (const rows of [first, ...others]) {
          if (!common) return;
          const before = common.columns;
          const whole = readCopyRows(types, copyDataOf(rows));
          const expected = countCommon(head, whole, before);
          const left = leaveOutCommon(copyDataOf(rows), common);
          common = left.common;
          expect(common?.columns ?? 0).toBe(expected);
          expect(readCopyRows(types.slice(expected), left.copyData)).toEqual(whole.map((values) => values.slice(expected)));
          if (common) expect(readCopyRows(types.slice(0, expected), asRow(common))).toEqual([head[0]?.slice(0, expected)]);
          leftOut += expected * whole.length;
          narrowed += expected < before && expected > 0 ? 1 : 0;
        }
      }),
      { numRuns: 1_000, seed: 32 },
    );
    expect([leftOut > 1_000, narrowed > 100]).toEqual([true, true]);
  });

  it('is not kept apart where it is long, or of a single row', () => {
    const long = rowOf(everyType, { query: 'x'.repeat(2_000) });
    expect(expectCommon(everyType, copyDataOf([long, long]))?.columns).toBe(2);
    expect(expectCommon(everyType, copyDataOf([rowOf(everyType)]))).toBeUndefined();
    expect(expectCommon(everyType, copyDataOf([]))).toBeUndefined();
  });

  it('comes back from its text', () => {
    const common = expectCommon(everyType, copyDataOf([rowOf(everyType), rowOf(everyType)])) as CommonValues;
    expect(parseCommon(everyType, formatCommon(everyType, common))).toEqual(common);
  });

  it.each([
    ['other names', (text: string) => text.replace('account_id', 'account')],
    ['other types', (text: string) => text.replace('account_id bigint', 'account_id integer')],
    ['another order', (text: string) => text.replace(/"columns":\[("[^"]*"),("[^"]*")/, '"columns":[$2,$1')],
    ['text of somebody else', () => 'kept for the auditors'],
    ['other JSON', () => '{"columns":1}'],
  ])('is refused where there is %s', (_what, change) => {
    const common = expectCommon(everyType, copyDataOf([rowOf(everyType), rowOf(everyType)])) as CommonValues;
    const text = formatCommon(everyType, common);
    expect(change(text)).not.toBe(text);
    expect(() => parseCommon(everyType, change(text))).toThrow('begun by another release');
  });
});

/** Common values as a row of COPY. */
function asRow({ columns, bytes }: CommonValues): Buffer {
  const count = Buffer.alloc(2);
  count.writeInt16BE(columns);
  return Buffer.concat([count, bytes]);
}

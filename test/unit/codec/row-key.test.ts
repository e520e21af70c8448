import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDecoder, type SchemaEntry } from '../../../src/codec/decode.ts';
import { type Dataset, identityColumns } from '../../../src/datasets/dataset.ts';
import { DATASETS } from '../../../src/datasets/index.ts';
import { decodePage } from '../../support/decode-page.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { everyType, readPage, rowOf, schemaOf } from './copy-rows.ts';

const keyOf = (dataset: Dataset, values: Record<string, unknown>, schema: readonly SchemaEntry[] = schemaOf(dataset)): string => {
  const row = schema.map(({ name }) => rowOf(dataset, values)[dataset.columns.findIndex((column) => column.name === name)]);
  const key = readPage(dataset, decodePage(createDecoder(dataset, schema), [row], 1))[0]?._key;
  if (!key) throw new Error('the row did not decode');
  return key;
};

const usualValue = (wire: string): string =>
  ({ integer: '42', date: '2026-11-10', float: '1.5', boolean: 'true', string: 'text' })[wire] ?? 'text';
const otherValue = (wire: string): string =>
  ({ integer: '43', date: '2026-11-11', float: '2.5', boolean: 'false', string: 'other' })[wire] ?? 'other';

describe('the row key', () => {
  it('has 128 bits in hexadecimal', () => {
    expect(keyOf(everyType, { query: 'a' })).toMatch(/^[0-9a-f]{32}$/);
  });

  describe.each(DATASETS.map((dataset) => [dataset.name, dataset] as const))('of %s', (_, dataset) => {
    const values = Object.fromEntries(dataset.columns.map(({ name, wire }) => [name, usualValue(wire)]));
    const identity = new Set(identityColumns(dataset).map(({ name }) => name));

    it('changes with every identity column and with no other', () => {
      for (const { name, wire } of dataset.columns) {
        const isOther = keyOf(dataset, { ...values, [name]: otherValue(wire) }) !== keyOf(dataset, values);
        expect(`${name} ${isOther}`).toBe(`${name} ${identity.has(name)}`);
      }
    });

    it('is the same whatever order the columns come in', () => {
      const schema = schemaOf(dataset);
      fc.assert(
        fc.property(fc.shuffledSubarray(schema, { minLength: schema.length }), (shuffled) => {
          expect(keyOf(dataset, values, shuffled)).toBe(keyOf(dataset, values));
        }),
        { numRuns: propertyRuns(20) },
      );
    });
  });

  // Three neighbouring texts in the key: what moves from one to the next must not give the same key.
  const texts: Dataset = {
    ...everyType,
    columns: [
      ...everyType.columns.slice(0, 2),
      ...['a', 'b', 'c'].map((name) => ({ name, wire: 'string', pg: 'text', isIdentity: true, comment: '' }) as const),
    ],
  };
  const part = fc.oneof(fc.constantFrom(null, '', '-', ':', '1:', '0:', '1:-', '\\N', '2:\\N', '\\'), fc.string({ maxLength: 4 }));
  const parts = fc.record({ a: part, b: part, c: part });

  it('is the same if and only if the identities are the same', () => {
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        const isSame = one.a === other.a && one.b === other.b && one.c === other.c;
        expect(keyOf(texts, one) === keyOf(texts, other)).toBe(isSame);
      }),
      { numRuns: propertyRuns(3000) },
    );
  });

  it('is the same for two ways to write the same integer, and for a number and its text', () => {
    expect(keyOf(everyType, { account_id: '007' })).toBe(keyOf(everyType, { account_id: '7' }));
    expect(keyOf(everyType, { account_id: 7 })).toBe(keyOf(everyType, { account_id: '7' }));
  });

  it('tells an empty text from no value', () => {
    expect(keyOf(everyType, { query: '' })).not.toBe(keyOf(everyType, { query: null }));
  });
});

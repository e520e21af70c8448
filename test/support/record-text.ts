// Execution records as text, of all kinds that JSON allows.
import fc from 'fast-check';

const plain = fc.string({ unit: 'grapheme', maxLength: 12 });
const value = fc.oneof(
  { weight: 20, arbitrary: plain },
  { weight: 2, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.constantFrom('"', '\\', '\n', 'a\tb', '\u0000', '\ud800', '],["', '"]],"schema":[', '{', '\u2028', '🙂', '') },
  { weight: 1, arbitrary: fc.oneof(fc.double(), fc.boolean(), fc.integer(), fc.constant([]), fc.constant({ results: [['x']] })) },
);
const row = fc.oneof(
  { weight: 12, arbitrary: fc.array(value, { minLength: 3, maxLength: 3 }) },
  { weight: 3, arbitrary: fc.array(value, { maxLength: 5 }) },
  { weight: 1, arbitrary: fc.jsonValue() },
);
/** JSON texts of execution records, well-behaved and odd. */
export const recordText: fc.Arbitrary<string> = fc
  .record({
    before: fc.dictionary(fc.constantFrom('executionId', 'message', 'schema', 'x"results":[', 'results'), fc.jsonValue()),
    rows: fc.array(row, { maxLength: 8 }),
    after: fc.dictionary(fc.constantFrom('schema', 'nextPageId', 'totalRowCount', 'results'), fc.jsonValue()),
    space: fc.constantFrom<string | number | undefined>(undefined, undefined, 1, '\t'),
  })
  .map(({ before, rows, after, space }) => JSON.stringify({ ...before, results: rows, ...after }, undefined, space));

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BufferPool } from '../../../src/codec/buffer-pool.ts';
import { createDecoder, type DecodedRows } from '../../../src/codec/decode.ts';
import { createRowsDecoder } from '../../../src/codec/decode-bytes.ts';
import { closeRows, parsedRows, rowAt } from '../../../src/codec/page-rows.ts';
import { splitRows } from '../../../src/codec/split-rows.ts';
import { parseExact, writeExact } from '../../../src/core/exact-json.ts';
import { DATASETS, datasetNamed } from '../../../src/datasets/index.ts';
import { decodePage } from '../../support/decode-page.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { everyType, rowOf, schemaOf } from './copy-rows.ts';

const buffers = new BufferPool();

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 80 }),
  fc.constantFrom('', '\\', '\t', 'a\nb', '\u0000', '\ud800', 'é', '汉字', '🙂🙂', '\u007f', '\u2028', 'x'.repeat(300)),
);
const number = fc.oneof(
  fc.integer().map(String),
  fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map(String),
  fc.double().map(String),
  fc.constantFrom(
    '',
    '0',
    '-0',
    '00',
    '007',
    '-',
    '+1',
    '1.',
    '.5',
    '-.5',
    '.',
    '1e5',
    '5e-324',
    '1e-400',
    '9'.repeat(30),
    '12000.0',
    '1.2E4',
    '1.5e0',
    '9007199254740993.0',
    '1e999999999',
    'NaN',
    'inf',
    '-Infinity',
    '1'.repeat(1_001),
    ' 1',
    '1 ',
    '१',
  ),
);
const date = fc.constantFrom('', '2026-11-08', '2026-02-29', '2024-02-29', '2026-11-8', '0000-01-01', '9999-12-31', '2026/11/08', 'x');
const flag = fc.constantFrom('', 'true', 'false', 'TRUE', 't', '1', 'yes');
const wire = { string: text, integer: number, float: number, date, boolean: flag } as const;
/** JSON numbers as they are spelled; JSON.stringify has no other way to write them. */
const SPELLED = 'number:';
const digits = fc
  .oneof(
    fc.constantFrom('1.5', '1.50', '-0', '1e2', '1.2E4', '9007199254740993.0', '12345678901234567890', '0.0000001', '1e999'),
    fc.double().map(String),
  )
  .filter((found) => !/[a-df-zA-DF-Z]/.test(found))
  .map((found) => `${SPELLED}${found}`);
const withNumbers = (json: string): string => json.replaceAll(new RegExp(`"${SPELLED}([^"]*)"`, 'g'), '$1');
const odd = fc.oneof(fc.constant(null), fc.integer(), fc.boolean(), fc.constant([]), text, number, digits);

/** Other spellings of the same JSON. */
const spelling = fc.constantFrom(
  (json: string) => json,
  (json: string) => json.replaceAll(/[\u0080-\uffff]/g, escapeUnit),
  (json: string) => json.replaceAll('/', '\\/').replaceAll(/[\u0080-\uffff]/g, (unit) => escapeUnit(unit).toUpperCase().replace('U', 'u')),
);
const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Raw is spelled as it was sent: here it is as decoding values gives it. */
const asWritten = (decoded: DecodedRows): DecodedRows => ({
  ...decoded,
  rejected: decoded.rejected.map((each) => ({ ...each, raw: writeExact(parseExact(each.raw)) })),
});

describe('rows decoded from bytes', () => {
  it.each([everyType, ...DATASETS].map((dataset) => [dataset.name, dataset] as const))(
    'give the bytes for COPY, the keys and the rejected rows that decoding values gives (%s)',
    (_name, dataset) => {
      const decoder = createDecoder(dataset, schemaOf(dataset));
      const decodeRows = createRowsDecoder(dataset, decoder, buffers);
      const row = fc.tuple(
        ...dataset.columns.map((column) => fc.oneof({ weight: 30, arbitrary: wire[column.wire] }, { weight: 1, arbitrary: odd })),
      );
      const good = fc.constant(rowOf(dataset));
      // Mostly one value of a good row is replaced, since a row of wild values is rejected at its first.
      const nearly = fc
        .tuple(row, fc.array(fc.nat(dataset.columns.length - 1), { maxLength: 3 }))
        .map(([wild, at]) => rowOf(dataset).map((value, column) => (at.includes(column) ? wild[column] : value)));
      fc.assert(
        fc.property(
          fc.array(fc.oneof(row, good, nearly, nearly), { minLength: 1, maxLength: 6 }),
          fc.nat(20_000),
          spelling,
          (rows, page, spell) => {
            const split = splitRows(Buffer.from(spell(withNumbers(JSON.stringify({ results: rows })))), buffers);
            const expected = decodePage(decoder, parseExact(withNumbers(JSON.stringify(rows))) as unknown[], page);
            const decoded = decodeRows(split?.rows ?? parsedRows(rows), page);
            expect(split).toBeDefined();
            expect(asWritten(decoded)).toEqual(expected);
          },
        ),
        { numRuns: propertyRuns(300), seed: 21 },
      );
    },
  );

  it('give the same where values repeat from row to row, whatever values lie between', () => {
    const few: Readonly<Record<string, readonly unknown[]>> = {
      integer: ['7', '007', null],
      date: ['2026-11-08', '2026-11-09', '', null],
      float: ['1.5', '1.50', 'inf', '', null],
      boolean: ['true', 'TRUE', 'false', '', null],
      string: ['a', 'a"b', '', null],
    };
    const decoder = createDecoder(everyType, schemaOf(everyType));
    const decodeRows = createRowsDecoder(everyType, decoder, buffers);
    const value = (wire: string) => fc.oneof({ weight: 30, arbitrary: fc.constantFrom(...(few[wire] ?? [])) }, fc.constantFrom('x', 7, []));
    const row = fc.tuple(
      ...everyType.columns.map(({ wire, isIdentity }) => (isIdentity ? fc.constantFrom(few[wire]?.[0], few[wire]?.[1]) : value(wire))),
    );
    const escapeDash = (json: string): string => json.replaceAll('11-08', '11\\u002d08');
    fc.assert(
      fc.property(fc.array(fc.tuple(row, fc.boolean()), { minLength: 1, maxLength: 30 }), (rows) => {
        const text = rows.map(([values, isEscaped]) => (isEscaped ? escapeDash : String)(JSON.stringify(values)));
        const split = splitRows(Buffer.from(`{"results":[${text.join()}]}`), buffers);
        const expected = decodePage(
          decoder,
          rows.map(([values]) => values),
          1,
        );
        expect(asWritten(decodeRows(split?.rows ?? parsedRows([]), 1))).toEqual(expected);
      }),
      { numRuns: propertyRuns(300), seed: 23 },
    );
  });

  it('are complete and in order when some rows of a page need a closer look', () => {
    const dataset = datasetNamed('keyword_rankings');
    const rows = Array.from({ length: 1_000 }, (_, index) => {
      const title = index % 3 === 0 ? `a "quoted" title ${index}` : `title ${index}`;
      return rowOf(dataset, { title, rank_true: index === 500 ? 'first' : String(index) });
    });
    const split = splitRows(Buffer.from(JSON.stringify({ results: rows })), buffers);
    const decoder = createDecoder(dataset, schemaOf(dataset));
    const { copyData, staged, rejected } = createRowsDecoder(dataset, decoder, buffers)(split?.rows ?? parsedRows([]), 3);
    expect({ staged, rejected: rejected.map(({ position, column }) => [position, column]) }).toEqual({
      staged: 999,
      rejected: [[501, 'rank_true']],
    });
    expect(copyData.equals(decodePage(decoder, rows, 3).copyData)).toBe(true);
  });

  it('are quarantined as they were sent, with the digits that JSON.parse would lose', () => {
    const text = JSON.stringify({ results: [rowOf(everyType)] });
    const [rejected] = (() => {
      const split = splitRows(Buffer.from(text.replace('[[', '[[12345678901234567890.5, ')), buffers);
      return createRowsDecoder(everyType, createDecoder(everyType, schemaOf(everyType)), buffers)(split?.rows ?? parsedRows([]), 1)
        .rejected;
    })();
    expect(rejected?.raw).toBe(`[12345678901234567890.5, ${JSON.stringify(rowOf(everyType)).slice(1)}`);
  });

  it('are quarantined as they were sent, also when the page begins with something that is no row, and memory is reused', () => {
    const decodeRows = createRowsDecoder(everyType, createDecoder(everyType, schemaOf(everyType)), buffers);
    const row = JSON.stringify(rowOf(everyType));
    const decode = (text: string) => {
      const { rows } = splitRows(Buffer.from(`{"results":[${text}]}`), buffers) ?? { rows: parsedRows([]) };
      const { rejected } = decodeRows(rows, 1);
      closeRows(rows);
      return rejected.map(({ raw }) => JSON.parse(raw) as unknown);
    };
    decode(Array.from({ length: 3_000 }, () => row).join(','));
    for (const odd of ['null', '{"a":1}', '"text"', '5']) expect(decode(`${odd},${row},${row}`)).toEqual([JSON.parse(odd)]);
    expect(decode([...Array.from({ length: 1_500 }, () => '7'), row].join(','))).toEqual(Array.from({ length: 1_500 }, () => 7));
  });

  it('follow the names of a schema in another order, with columns more and less', () => {
    const names = schemaOf(everyType);
    const schema = [...names.slice(1).toReversed(), { name: 'new', type: 'string' }];
    const rows = [rowOf(everyType)].map((row) => [...row.slice(1).toReversed(), 'more']);
    const split = splitRows(Buffer.from(JSON.stringify({ results: rows })), buffers);
    const decoder = createDecoder(everyType, schema);
    const decoded = createRowsDecoder(everyType, decoder, buffers)(split?.rows ?? parsedRows([]), 1);
    expect(decoded).toEqual(decodePage(decoder, rows, 1));
    expect(rowAt(split?.rows ?? parsedRows([]), 0)).toEqual(rows[0]);
  });
});

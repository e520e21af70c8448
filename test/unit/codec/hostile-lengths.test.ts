// Texts from outside may be of any length: none may keep the process busy for longer than reading it takes.

import { describe, expect, it } from 'vitest';
import { BufferPool } from '../../../src/codec/buffer-pool.ts';
import { createDecoder } from '../../../src/codec/decode.ts';
import { createRowsDecoder } from '../../../src/codec/decode-bytes.ts';
import { splitRows } from '../../../src/codec/split-rows.ts';
import { parseExact } from '../../../src/core/exact-json.ts';
import { decodePage } from '../../support/decode-page.ts';
import { expectLinear, HOSTILE_TEXTS } from '../../support/linear-time.ts';
import { decodeValue, everyType, rowOf, schemaOf } from './copy-rows.ts';

const buffers = new BufferPool();

describe.each(HOSTILE_TEXTS)('the time for %s grows as its length does', (_what, textOf) => {
  it.each(everyType.columns.map(({ name, pg }) => [name, pg] as const))('in column %s (%s)', (name) => {
    expectLinear(textOf, (text) => decodeValue(name, text));
  });

  it('in a column that the table does not have', () => {
    const decoder = createDecoder(everyType, [...schemaOf(everyType), { name: 'new', type: 'string' }]);
    expectLinear(textOf, (text) => decodePage(decoder, [[...rowOf(everyType), text]], 1));
    expectLinear(textOf, (text) => decodePage(decoder, [[...rowOf(everyType), { [text]: [text] }]], 1));
  });

  it('in rows of bytes, plain and escaped, and in rows with JSON numbers', () => {
    const decodeRows = createRowsDecoder(everyType, createDecoder(everyType, schemaOf(everyType)), buffers);
    for (const { name } of everyType.columns) {
      for (const odd of [null, 1.5]) {
        expectLinear(
          (length) => JSON.stringify({ results: [rowOf(everyType, { cpc: odd, [name]: textOf(length) })] }),
          (json) => {
            const split = splitRows(Buffer.from(json), buffers);
            return split && decodeRows(split.rows, 1);
          },
        );
      }
    }
  });

  it('as a name and a type of a column', () => {
    expectLinear(textOf, (text) => createDecoder(everyType, [...schemaOf(everyType), { name: text, type: text }]).drift);
  });
});

describe('the time for long numbers of JSON grows as their length does', () => {
  it.each([
    ['digits', (length: number) => '1'.repeat(length)],
    ['digits behind the point', (length: number) => `0.${'0'.repeat(length - 3)}1`],
    ['zeros at the end', (length: number) => `1.${'0'.repeat(length - 2)}`],
    ['an exponent', (length: number) => `1e${'1'.repeat(length - 2)}`],
  ])('%s', (_what, textOf) => {
    expectLinear(textOf, parseExact);
    const decoder = createDecoder(everyType, [...schemaOf(everyType), { name: 'new', type: 'string' }]);
    for (const { name } of everyType.columns)
      expectLinear(textOf, (text) => decodePage(decoder, [[...rowOf(everyType, { [name]: parseExact(text) }), '']], 1));
    expectLinear(textOf, (text) => decodePage(decoder, [[...rowOf(everyType), [parseExact(text)]]], 1));
  });

  it('and no number grows when it is written as text', () => {
    for (const text of ['1e999999999', '-1e999999999', `1e${'9'.repeat(900)}`, '1e-999999999', '0e999999999'])
      for (const value of [text, parseExact(text)])
        for (const name of ['rank', 'volume']) expect(JSON.stringify(decodeValue(name, value)).length).toBeLessThan(200);
  });
});

it('a value nested deeper than Postgres takes is rejected and kept as it was sent', () => {
  const depth = 50_000;
  const nested = `${'['.repeat(depth)}1.0${']'.repeat(depth)}`;
  const row = JSON.stringify(rowOf(everyType)).replace(/\]$/, `,${nested}]`);
  const decoder = createDecoder(everyType, [...schemaOf(everyType), { name: 'new', type: 'string' }]);
  const split = splitRows(Buffer.from(`{"results":[${row}]}`), buffers);
  const { rejected } = createRowsDecoder(everyType, decoder, buffers)(split?.rows ?? expect.fail('it was not split'), 1);
  expect(rejected).toMatchObject([{ column: 'new', raw: row }]);
});

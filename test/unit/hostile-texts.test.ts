// Whatever text comes from outside, in any column of any dataset or anywhere else in an answer: the time for it grows as its
// length does.

import fc from 'fast-check';
import { it } from 'vitest';
import { BufferPool } from '../../src/codec/buffer-pool.ts';
import { createDecoder } from '../../src/codec/decode.ts';
import { createRowsDecoder } from '../../src/codec/decode-bytes.ts';
import { splitRows } from '../../src/codec/split-rows.ts';
import { describeError } from '../../src/core/errors.ts';
import { parseExact, parseRow, writeExact } from '../../src/core/exact-json.ts';
import { onOneLine } from '../../src/core/invisible.ts';
import { measureValue } from '../../src/core/json-size.ts';
import { Secret } from '../../src/core/secret.ts';
import { isIsoDate } from '../../src/core/weeks.ts';
import { DATASETS } from '../../src/datasets/index.ts';
import { excerpt } from '../../src/service/excerpt.ts';
import { readFailureText } from '../../src/service/failure-text.ts';
import { parseRetryAfter } from '../../src/service/retry-after.ts';
import { readRowCount } from '../../src/service/row-count.ts';
import { decodePage } from '../support/decode-page.ts';
import { expectLinear } from '../support/linear-time.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { rowOf, schemaOf } from './codec/copy-rows.ts';

const buffers = new BufferPool();

const SECRETS = [new Secret('aaaaaaab'), new Secret('1111111x')];
const CLOCK = { now: () => new Date(0), sleep: async () => {} };

/** What patterns may match in more than one way, and what ends or begins something. */
const PIECES =
  '0|1|9|x|a| |\t|\n|-|+|.|,|;|:|e|E|e+|1.0|0.0000001|"|\\|\\\\|\\"|\\u0000|\\ud800|\0|\u0001|\u0085|\u2028|\ud800|\udc00|é|🙂|[|]|[]|{|}|<|>|<a|<script|</script |T|true|null|inf|GMT|2026-11-08|"results":['.split(
    '|',
  );
const piece = fc.constantFrom(...PIECES);
const pieces = (minLength: number, maxLength: number) => fc.array(piece, { minLength, maxLength }).map((some) => some.join(''));
/** A beginning, then a few pieces again and again up to any length, then an end. */
const hostile = fc.record({
  first: fc.oneof(fc.constant(''), pieces(1, 2)),
  again: fc.oneof(fc.constantFrom('0', '1', '.1', ' ', '-', 'e', '\\', '"', '[', '<', '\0', '\ud800'), pieces(1, 3)),
  last: fc.oneof(fc.constantFrom('x', '.x', 'ex', '-'), pieces(0, 2)),
});
type Hostile = Readonly<{ first: string; again: string; last: string }>;
const textOf =
  ({ first, again, last }: Hostile) =>
  (length: number): string =>
    first + again.repeat(length / again.length) + last;

const LENGTHS = { short: 10_000, timesLonger: 10 };
const decoders = DATASETS.map((dataset) => ({
  dataset,
  decoder: createDecoder(dataset, [...schemaOf(dataset), { name: 'new', type: 'string' }]),
  decodeRows: createRowsDecoder(dataset, createDecoder(dataset, schemaOf(dataset)), buffers),
  /** A column of each type that it has. */
  columns: [...new Map(dataset.columns.map(({ pg, name }) => [pg, name])).values()],
}));
type Decoders = (typeof decoders)[number];

/** Any error counts as an answer, too, except that the stack overflowed. */
function survive(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    if (error instanceof RangeError) throw error;
  }
}

it.each([
  [
    'as a value of any column of any dataset',
    (text: string, { dataset, columns, decoder }: Decoders) =>
      decodePage(
        decoder,
        columns.map((name) => [...rowOf(dataset, { [name]: text }), text]),
        1,
      ),
  ],
  [
    'in a column that the table does not have',
    (text: string, { dataset, decoder }: Decoders) => decodePage(decoder, [[...rowOf(dataset), { [text]: [text] }]], 1),
  ],
  [
    'as bytes of a value, whether that is JSON or not',
    (text: string, { dataset, columns, decodeRows }: Decoders) => {
      for (const json of [JSON.stringify(text), `"${text}"`, text]) {
        const rows = columns.map((name) => JSON.stringify(rowOf(dataset, { [name]: 'HERE' })).replace('"HERE"', () => json));
        const split = splitRows(Buffer.from(`{"results":[${rows.join(',')}]}`), buffers);
        if (split) decodeRows(split.rows, 1);
      }
    },
  ],
  [
    'as JSON',
    (text: string) => {
      survive(() => parseRow(text, undefined, false));
      survive(() => writeExact(parseRow(`["${text}",1.0]`)));
      survive(() => parseExact(`[${text}]`));
      measureValue(Buffer.from(text), 0);
      readRowCount(text, text);
      readRowCount(1e300, `{"totalRowCount":${text}}`);
    },
  ],
  [
    'in a message, a header or the schema',
    (text: string, { dataset }: Decoders) => {
      excerpt(text, SECRETS, 500);
      onOneLine(text);
      describeError(new Error(text, { cause: new Error(`${text}x`) }));
      readFailureText({ error: text, message: { errors: [text, { details: text }] } });
      parseRetryAfter({ 'retry-after': text.slice(0, 16_384), date: text.slice(0, 16_384) }, CLOCK);
      isIsoDate(text);
      return createDecoder(dataset, [...schemaOf(dataset), { name: text, type: text }]).drift;
    },
  ],
])('%s', (_where, read) => {
  fc.assert(
    fc.property(hostile, fc.constantFrom(...decoders), (text, its) => {
      expectLinear(textOf(text), (long) => read(long, its), LENGTHS);
    }),
    { numRuns: propertyRuns(30), seed: 20_261_122, endOnFailure: true },
  );
});

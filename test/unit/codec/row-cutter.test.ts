import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BodySink, SpooledBody } from '../../../src/codec/body-sink.ts';
import { BufferPool } from '../../../src/codec/buffer-pool.ts';
import { rowAt } from '../../../src/codec/page-rows.ts';
import { RowCutter } from '../../../src/codec/row-cutter.ts';
import { splitRows } from '../../../src/codec/split-rows.ts';
import { UnparsedRow } from '../../../src/core/exact-json.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { recordText } from '../../support/record-text.ts';
import { splitInParts, spool } from '../../support/spool.ts';

const buffers = new BufferPool();
const LONGEST = 1_000;

type Limits = Readonly<{ maxRowBytes?: number; pieceBytes?: number; maxBytesInMemory?: number }>;

/** What is kept of an answer that arrives in pieces. */
async function cut(bytes: Buffer, { maxRowBytes = LONGEST, pieceBytes = 700, maxBytesInMemory }: Limits = {}): Promise<Buffer> {
  const cutter = new RowCutter(new BodySink(buffers, maxBytesInMemory), maxRowBytes);
  for (let at = 0; at < bytes.length; at += pieceBytes) cutter.write(bytes.subarray(at, at + pieceBytes));
  const body = cutter.finish();
  expect(body.length).toBe(cutter.bytes);
  if (!(body instanceof SpooledBody)) return body;
  const read = await body.read(0, body.length);
  body.close();
  return read;
}

const rowsIn = (bytes: Buffer): unknown[] => {
  const rows = splitRows(bytes, buffers)?.rows;
  return Array.from({ length: rows?.length ?? 0 }, (_, index) => rows && rowAt(rows, index));
};

describe('of a row that is too long', () => {
  const tooLong = ['long', 'a "quoted" ] text \\\\ with ü', ['x'.repeat(100_000), { a: ']' }], null];
  const short = (name: string): unknown[] => [name, 'text, with ] and "', '', null];

  it.each([
    ['first', []],
    ['between others', [short('a'), short('b')]],
    ['behind one that is too long, too', [short('a'), tooLong]],
  ])('the beginning is kept, and all of the others: %s', async (_place, before) => {
    const answer = { schema: [], results: [...before, tooLong, short('c')], nextPageId: 'next' };
    const bytes = Buffer.from(JSON.stringify(answer, null, 1));
    for (const maxBytesInMemory of [0, undefined]) {
      const kept = await cut(bytes, maxBytesInMemory === undefined ? {} : { maxBytesInMemory });
      expect(kept.length).toBeLessThan(bytes.length);
      expect(splitRows(kept, buffers)?.value).toEqual({ schema: [], results: [], nextPageId: 'next' });
      const rows = rowsIn(kept);
      expect(rows).toEqual(answer.results.map((row) => (row === tooLong ? expect.any(UnparsedRow) : row)));
      const row = rows[before.length] as UnparsedRow;
      expect(row.reason).toMatch(/^the row has 100\d\d\d bytes, and rows of more than 1000 are not read; its beginning is kept$/);
      expect(JSON.parse(row.raw)).toMatch(/^\[\s+"long",/);
      expect(row.raw.length).toBeLessThan(70_000);
      expect((await splitInParts(spool(kept), 64))?.rows.length).toBe(rows.length);
    }
  });

  it('as little is kept if it has hundreds of megabytes', async () => {
    const cutter = new RowCutter(new BodySink(buffers));
    cutter.write(Buffer.from('{"results":[["a"],["'));
    const text = Buffer.alloc(1024 * 1024, 'x');
    for (let piece = 0; piece < 300; piece += 1) {
      cutter.write(text);
      expect(cutter.bytes).toBeLessThan(18 * text.length);
    }
    cutter.write(Buffer.from('"],["b"]]}'));
    const body = cutter.finish() as SpooledBody;
    const split = await splitInParts(body);
    expect(split?.rows.length).toBe(3);
    expect(body.length).toBeLessThan(70_000);
    body.close();
  });

  it('nothing is kept if it never ends, so the answer is no JSON', async () => {
    const kept = await cut(Buffer.from(`{"results":[["a"],["${'x'.repeat(10_000)}`));
    expect(kept.toString()).toBe('{"results":[["a"],');
  });
});

it('an answer is kept as it came where no row is too long, wherever its pieces end', async () => {
  const limits = fc.record({ pieceBytes: fc.integer({ min: 1, max: 50 }), maxBytesInMemory: fc.constantFrom(0, 1_000_000) });
  await fc.assert(
    fc.asyncProperty(recordText, limits, async (text, given) => {
      const bytes = Buffer.from(text);
      const longest = Math.max(0, ...rowsIn(bytes).map((row) => JSON.stringify(row).length));
      // What is between the values of a row counts as its bytes, and an escape is longer than its character.
      const kept = await cut(bytes, { ...given, maxRowBytes: 20 * (longest + 100) });
      expect(kept.equals(bytes)).toBe(true);
    }),
    { numRuns: propertyRuns(500), seed: 23 },
  );
});

it('the rows of an answer that are too long become unparsed rows, and no others, wherever its pieces end', async () => {
  const runs = propertyRuns(500);
  let wasCut = 0;
  const limits = fc.record({ pieceBytes: fc.integer({ min: 1, max: 50 }), maxRowBytes: fc.integer({ min: 5, max: 100 }) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.string({ unit: 'binary' }), { maxLength: 6 }), { maxLength: 20 }),
      limits,
      async (rows, given) => {
        const bytes = Buffer.from(JSON.stringify({ results: rows, nextPageId: 'é"]' }));
        const kept = await cut(bytes, given);
        const isTooLong = (row: unknown): boolean => Buffer.byteLength(JSON.stringify(row)) > given.maxRowBytes;
        expect(rowsIn(kept)).toEqual(rows.map((row) => (isTooLong(row) ? expect.any(UnparsedRow) : row)));
        if (rows.some(isTooLong)) wasCut += 1;
      },
    ),
    { numRuns: runs, seed: 24 },
  );
  expect(wasCut).toBeGreaterThan(runs / 5);
});

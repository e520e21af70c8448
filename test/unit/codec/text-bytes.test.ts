import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readBody } from '../../../src/codec/answer-body.ts';
import { BufferPool } from '../../../src/codec/buffer-pool.ts';
import { createDecoder, type DecodedRows } from '../../../src/codec/decode.ts';
import { createRowsDecoder } from '../../../src/codec/decode-bytes.ts';
import { areSpooled, closeRows, rowAt } from '../../../src/codec/page-rows.ts';
import { splitRows } from '../../../src/codec/split-rows.ts';
import { textOf } from '../../../src/codec/text-bytes.ts';
import { parseRow } from '../../../src/core/exact-json.ts';
import { decodePage } from '../../support/decode-page.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { recordText } from '../../support/record-text.ts';
import { splitInParts, spool } from '../../support/spool.ts';
import { everyType, rowOf, schemaOf } from './copy-rows.ts';

const buffers = new BufferPool();
const decoder = createDecoder(everyType, schemaOf(everyType));
const decodeRows = createRowsDecoder(everyType, decoder, buffers);
const columns = everyType.columns.map(({ name }) => name);

/** An answer in which each `~` is one byte that is not UTF-8: é as Latin-1 has it. */
function answerOf(rows: readonly unknown[]): Buffer {
  const bytes = Buffer.from(JSON.stringify({ executionId: 'x', results: rows, nextPageId: null }));
  return Buffer.from(bytes.map((byte) => (byte === 0x7e ? 0xe9 : byte)));
}

/** The rows of an answer as a client reads it, decoded. */
async function decodeAnswer(bytes: Buffer): Promise<DecodedRows> {
  const reading = await readBody(bytes, { encoding: undefined, maxBytes: 1e9, buffers });
  if (reading.kind !== 'json' || !reading.body.rows || areSpooled(reading.body.rows))
    throw new Error(`not rows: ${JSON.stringify(reading)}`);
  return decodeRows(reading.body.rows, 1);
}

const textColumn = everyType.columns.find(({ pg, isIdentity }) => pg === 'text' && !isIdentity)?.name ?? '';
const good = rowOf(everyType, { [textColumn]: 'caf\u00e9' });
const spoilt = rowOf(everyType, { [textColumn]: 'caf~' });

describe('a byte that is not UTF-8', () => {
  it.each([
    ['a short page', 1],
    ['a usual page', 100],
  ])('sends its row of %s to quarantine, and the others go on', async (_what, rows) => {
    const page = [...Array.from({ length: rows }, () => good), spoilt, good];
    const { staged, rejected, copyData } = await decodeAnswer(answerOf(page));
    expect(rejected).toEqual([
      {
        position: rows + 1,
        column: textColumn,
        reason: 'the text contains a byte that is not UTF-8; it is kept as \\udc and its two digits',
        raw: JSON.stringify(spoilt).replace('~', '\\udce9'),
      },
    ]);
    expect(staged).toBe(rows + 1);
    const others = [decodePage(decoder, page.slice(0, rows), 1), decodePage(decoder, [good], 1, rows + 2)];
    expect(copyData).toEqual(Buffer.concat(others.map((each) => each.copyData)));
  });

  it('is refused again when its row is replayed', async () => {
    const [row] = (await decodeAnswer(answerOf([spoilt]))).rejected;
    const [again] = decodePage(decoder, [parseRow(row?.raw ?? '')], 1).rejected;
    expect(again).toEqual(row);
  });

  it.each(columns)('sends its row to quarantine when it is in column %s', async (column) => {
    const { staged, rejected } = await decodeAnswer(answerOf([good, rowOf(everyType, { [column]: '~' }), good]));
    expect({ staged, columns: rejected.map((row) => row.column) }).toEqual({ staged: 2, columns: [column] });
  });

  it('spoils its row only in an answer in a file, wherever the parts end', async () => {
    const rows = [
      ['a', 'ü'],
      ['~', 'b'],
      ['c', null],
      [1, '~~'],
    ];
    for (let partBytes = 1; partBytes < 80; partBytes += 1) {
      const body = spool(answerOf(rows));
      const split = await splitInParts(body, partBytes);
      const read: unknown[] = [];
      for await (const part of split?.rows.parts() ?? []) for (let at = 0; at < part.length; at += 1) read.push(rowAt(part, at));
      body.close();
      expect(read).toEqual([
        ['a', 'ü'],
        ['\udce9', 'b'],
        ['c', null],
        [1, '\udce9\udce9'],
      ]);
    }
  });

  it('leaves all other rows as they are, wherever it is, or the answer is refused', () => {
    let splits = 0;
    fc.assert(
      fc.property(recordText, fc.nat(400), fc.constantFrom(0x80, 0xbf, 0xc0, 0xe9, 0xed, 0xf0, 0xff), (text, at, byte) => {
        const bytes = Buffer.from(text);
        const whole = splitRows(bytes, buffers);
        const odd = Buffer.concat([bytes.subarray(0, at), Buffer.from([byte]), bytes.subarray(at)]);
        const split = splitRows(odd, buffers);
        if (!whole || !split || at >= bytes.length) return;
        splits += 1;
        expect(split.rows.length).toBe(whole.rows.length);
        const differing = Array.from({ length: whole.rows.length }, (_, index) => index).filter(
          (index) => JSON.stringify(rowAt(whole.rows, index)) !== JSON.stringify(rowAt(split.rows, index)),
        );
        expect(differing).toHaveLength(1);
        expect(JSON.stringify(rowAt(split.rows, differing[0] ?? -1))).toMatch(/\\udc[89a-f]/);
        for (const { rows } of [whole, split]) closeRows(rows);
      }),
      { numRuns: propertyRuns(4_000), seed: 31 },
    );
    expect(splits).toBeGreaterThan(20);
  });

  it('is never lost: the text of any bytes is their text and the bytes that are none', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (given) => {
        const text = textOf(Buffer.from(given));
        const parts = text.match(/[\udc80-\udcff]|[^\udc80-\udcff]+/gu) ?? [];
        const back = parts.map((part) =>
          /^[\udc80-\udcff]$/u.test(part) ? Buffer.from([part.charCodeAt(0) - 0xdc00]) : Buffer.from(part),
        );
        expect([...Buffer.concat(back)]).toEqual([...given]);
      }),
      { numRuns: propertyRuns(2_000) },
    );
  });

  it.each([
    ['beside the rows', answerOf([good]).toString('latin1').replace('"x"', '"\xe9"')],
    ['in an answer without rows', '{"executionId":"\xe9","results":[]}'],
  ])('makes the answer nonsense, which is not asked for without end, %s', async (_where, text) => {
    const reading = await readBody(Buffer.from(text, 'latin1'), { encoding: undefined, maxBytes: 1e6, buffers });
    expect(reading).toMatchObject({ kind: 'nonsense', problem: 'the body is not UTF-8 text' });
  });

  it('is shown as a mark in the text of an error', async () => {
    const body = Buffer.from('<p>Zugriff für Sie gesperrt</p>', 'latin1');
    const reading = await readBody(body, { encoding: undefined, maxBytes: 1e6, isCut: true, buffers });
    expect(reading).toMatchObject({ text: '<p>Zugriff f\ufffdr Sie gesperrt</p>' });
  });

  it('may be what a cut has left of a character', async () => {
    const reading = await readBody(Buffer.from('{"a":"ü').subarray(0, -1), { encoding: undefined, maxBytes: 1e6, buffers });
    expect(reading).toMatchObject({ kind: 'unreadable' });
  });
});

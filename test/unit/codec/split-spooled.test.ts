import { mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SpooledBody } from '../../../src/codec/body-sink.ts';
import { BufferPool } from '../../../src/codec/buffer-pool.ts';
import { rowAt } from '../../../src/codec/page-rows.ts';
import { splitRows } from '../../../src/codec/split-rows.ts';
import { StoreError } from '../../../src/core/errors.ts';
import { writeExact } from '../../../src/core/exact-json.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { recordText } from '../../support/record-text.ts';
import { splitInParts, spool } from '../../support/spool.ts';

const buffers = new BufferPool();

/** The answer put together again from its parts; undefined when it was not split. Also how many parts there were. */
async function readInParts(bytes: Buffer, partBytes?: number): Promise<{ answer: unknown; parts: number } | undefined> {
  const body = spool(bytes);
  const split = await splitInParts(body, partBytes);
  const results: unknown[] = [];
  let parts = 0;
  for await (const rows of split?.rows.parts() ?? []) {
    parts += 1;
    for (let index = 0; index < rows.length; index += 1) results.push(rowAt(rows, index));
  }
  body.close();
  if (split) expect(split.rows.length).toBe(results.length);
  return split && { answer: { ...split.value, results: JSON.parse(writeExact(results)) as unknown }, parts };
}

describe('rows of an answer in a file', () => {
  it('are those of the same answer in memory, wherever the parts end', async () => {
    const runs = propertyRuns(500);
    let inSeveral = 0;
    await fc.assert(
      fc.asyncProperty(recordText, fc.integer({ min: 1, max: 200 }), async (text, partBytes) => {
        const bytes = Buffer.from(text);
        const read = await readInParts(bytes, partBytes);
        expect(read !== undefined).toBe(splitRows(bytes, buffers) !== undefined);
        if (read) expect(read.answer).toEqual(JSON.parse(bytes.toString()));
        if (read && read.parts > 1) inSeveral += 1;
      }),
      { numRuns: runs, seed: 21 },
    );
    expect(inSeveral).toBeGreaterThan(runs / 5);
  });

  it('are never taken out of text that JSON.parse refuses: cut, lengthened or changed at any byte', async () => {
    const edit = fc.record({ at: fc.nat(400), cut: fc.nat(3), put: fc.constantFrom('', ',', '"', '\\', ']', '[', '\n', 'x', 'null', '{') });
    await fc.assert(
      fc.asyncProperty(recordText, edit, fc.integer({ min: 1, max: 100 }), async (text, { at, cut, put }, partBytes) => {
        const spoilt = Buffer.from(text.slice(0, at) + put + text.slice(at + cut));
        const read = await readInParts(spoilt, partBytes);
        if (read) expect(read.answer).toEqual(JSON.parse(spoilt.toString()));
      }),
      { numRuns: propertyRuns(1_500), seed: 22 },
    );
  });

  it('may each be larger than a part', async () => {
    const rows = [
      ['a', 'ü'.repeat(3_000_000)],
      ['b', ''],
      ['c', 'x'.repeat(5_000_000)],
    ];
    const read = await readInParts(Buffer.from(JSON.stringify({ schema: [], results: rows, nextPageId: null })));
    expect(read).toEqual({ answer: { schema: [], results: rows, nextPageId: null }, parts: 2 });
  });

  it('may stand behind a byte order mark', async () => {
    const read = await readInParts(Buffer.from('\uFEFF{"results":[["a"],["b"]]}'), 1);
    expect(read).toEqual({ answer: { results: [['a'], ['b']] }, parts: 2 });
  });

  it('are never fewer than were found: a file that has changed is an error', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'searchmill-test-')), 'answer');
    writeFileSync(file, '{"results":[["a"],["b"]]}');
    const handle = openSync(file, 'r+');
    const split = await splitInParts(new SpooledBody(handle, 25, buffers), 1);
    const reading = async (): Promise<void> => {
      for await (const _ of split?.rows.parts() ?? []);
    };
    await expect(reading()).resolves.toBeUndefined();
    writeSync(handle, 'x', '{"results":[["a"],["b"'.length);
    await expect(reading()).rejects.toThrow(StoreError);
    split?.rows.close();
    rmSync(dirname(file), { recursive: true });
  });

  it.each([
    ['are followed by what is not UTF-8', Buffer.from('{"results":[["a"]],"message":"\xff"}', 'latin1')],
    ['follow what is not UTF-8', Buffer.from('{"message":"\xff","results":[["a"]]}', 'latin1')],
    ['are none', Buffer.from('{"results":[]}')],
    ['are cut off', Buffer.from('{"results":[["a"],["b')],
  ])('are not read in parts when they %s', async (_what, bytes) => {
    expect(await readInParts(bytes)).toBeUndefined();
  });
});

import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readBody } from '../../../src/codec/answer-body.ts';
import { BufferPool } from '../../../src/codec/buffer-pool.ts';
import { areSpooled, rowAt } from '../../../src/codec/page-rows.ts';
import { UnparsedRow } from '../../../src/core/exact-json.ts';
import { spool } from '../../support/spool.ts';

const buffers = new BufferPool();

const MAX_BYTES = 10_000;
const JSON_BYTES = Buffer.from(JSON.stringify({ name: 'Zürich', big: 'x'.repeat(500) }));
/** Compresses badly, as texts do. */
const LARGE_ROWS = Array.from({ length: 1_000 }, (_, row) => [String(row), `ü\n${randomBytes(6_000).toString('base64')}`, null]);
const LARGE_BYTES = 100_000_000;

describe('readBody', () => {
  it.each([
    ['nothing', undefined, JSON_BYTES],
    ['identity', 'identity', JSON_BYTES],
    ['gzip', 'gzip', gzipSync(JSON_BYTES)],
    ['x-gzip', 'X-GZip', gzipSync(JSON_BYTES)],
    ['brotli', 'br', brotliCompressSync(JSON_BYTES)],
    ['deflate', 'deflate', deflateSync(JSON_BYTES)],
    ['deflate without the zlib header', 'deflate', deflateRawSync(JSON_BYTES)],
    ['two encodings, undone in reverse', 'deflate, gzip', gzipSync(deflateSync(JSON_BYTES))],
  ])('undoes %s', async (_name, encoding, bytes) => {
    const reading = await readBody(bytes, { encoding, maxBytes: MAX_BYTES, buffers });
    expect(reading).toMatchObject({ kind: 'json', body: { value: { name: 'Zürich' }, bytes: JSON_BYTES.length } });
  });

  it('survives a byte order mark', async () => {
    const reading = await readBody(Buffer.from('\uFEFF{"a":1}'), { encoding: undefined, maxBytes: MAX_BYTES, buffers });
    expect(reading).toMatchObject({ kind: 'json', body: { value: { a: 1 } } });
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
  ])('refuses a %s body that would grow beyond the cap', async (encoding, compress) => {
    const reading = await readBody(compress(Buffer.alloc(MAX_BYTES + 1, 'x')), { encoding, maxBytes: MAX_BYTES, buffers });
    expect(reading).toEqual({
      kind: 'unreadable',
      problem: `the body is larger than the allowed ${MAX_BYTES} bytes; a smaller page_size makes smaller pages, and narrower filters a smaller first page, whose size the service decides`,
    });
  });

  it.each([
    ['gzip', gzipSync(JSON_BYTES)],
    ['br', brotliCompressSync(JSON_BYTES)],
    ['deflate', deflateSync(JSON_BYTES)],
  ])('says that a %s body was cut off', async (encoding, bytes) => {
    const reading = await readBody(bytes.subarray(0, bytes.length - 5), { encoding, maxBytes: MAX_BYTES, buffers });
    expect(reading).toEqual({ kind: 'unreadable', problem: `the ${encoding} body is damaged or was cut off` });
  });

  it('says that an encoding was not offered, without repeating its name', async () => {
    const reading = await readBody(JSON_BYTES, { encoding: 'constructor', maxBytes: MAX_BYTES, buffers });
    expect(reading).toMatchObject({ kind: 'unreadable', problem: expect.stringContaining('not offered') });
  });

  it('does not turn bytes that are not UTF-8 into other text', async () => {
    expect(await readBody(Buffer.from([0x22, 0xff, 0x22]), { encoding: undefined, maxBytes: MAX_BYTES, buffers })).toMatchObject({
      kind: 'unreadable',
    });
  });

  it('returns the text of a body that is not JSON, and does not quote it in the problem', async () => {
    const reading = await readBody(Buffer.from('<html>secret</html>'), { encoding: undefined, maxBytes: MAX_BYTES, buffers });
    expect(reading).toEqual({ kind: 'text', text: '<html>secret</html>', problem: 'the body is not JSON, or was cut off' });
    expect(await readBody(Buffer.alloc(0), { encoding: 'gzip', maxBytes: MAX_BYTES, buffers })).toMatchObject({
      kind: 'text',
      problem: 'the body is empty',
    });
  });

  it.each([
    ['as it comes', undefined, spool],
    ['gzip', 'gzip', (bytes: Buffer) => gzipSync(bytes)],
    ['gzip in a file', 'gzip', (bytes: Buffer) => spool(gzipSync(bytes))],
    ['br', 'br', (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ['deflate in gzip', 'deflate, gzip', (bytes: Buffer) => gzipSync(deflateRawSync(bytes))],
  ])('leaves the rows of a large body in a file, %s', async (_name, encoding, compress) => {
    const bytes = Buffer.from(JSON.stringify({ results: LARGE_ROWS, nextPageId: 'p2' }));
    const reading = await readBody(compress(bytes), { encoding, maxBytes: LARGE_BYTES, buffers });
    if (reading.kind !== 'json' || !reading.body.rows || !areSpooled(reading.body.rows)) throw new Error('not in a file');
    expect(reading.body).toMatchObject({ value: { results: [], nextPageId: 'p2' }, bytes: bytes.length });
    const rows: unknown[] = [];
    for await (const part of reading.body.rows.parts()) for (let row = 0; row < part.length; row += 1) rows.push(rowAt(part, row));
    expect(rows).toEqual(LARGE_ROWS);
  });

  it('reads a large body with a row that is too long, and that row by its beginning', async () => {
    const text = JSON.stringify({ results: [...LARGE_ROWS, [randomBytes(3_000_000).toString('base64')], ['b']] });
    const reading = await readBody(gzipSync(text), { encoding: 'gzip', maxBytes: text.length - 1, maxRowBytes: 3_900_000, buffers });
    if (reading.kind !== 'json' || !reading.body.rows || !areSpooled(reading.body.rows)) throw new Error('not in a file');
    const rows: unknown[] = [];
    for await (const part of reading.body.rows.parts()) for (let row = 0; row < part.length; row += 1) rows.push(rowAt(part, row));
    expect(rows).toEqual([...LARGE_ROWS, expect.any(UnparsedRow), ['b']]);
  });

  const isNotRows = ({ length }: string): string =>
    `the body has ${length} bytes and is not made of rows; of such not more than 4194304 bytes are read`;
  it.each([
    ['something else than rows', isNotRows, JSON.stringify({ results: [], message: 'x'.repeat(10_000_000) })],
    ['an error in words', isNotRows, 'x'.repeat(10_000_000)],
    ['rows that are too short', isNotRows, `{"results":[${'[],'.repeat(3_000_000)}[]]}`],
  ])('does not read a large body of %s', async (_what, problemOf, text) => {
    const reading = await readBody(spool(Buffer.from(text)), { encoding: undefined, maxBytes: LARGE_BYTES, buffers });
    expect(reading).toEqual({ kind: 'nonsense', text: text.slice(0, 1024), problem: problemOf(text) });
  });

  it.each([
    ['so many values that their objects would fill the memory', `[${'{},'.repeat(1_000_000)}0]`, 'the body has more than 500000 values'],
    ['too deep', `${'['.repeat(20_000)}${']'.repeat(20_000)}`, 'the body is nested more than 500 levels deep'],
    [
      'too deep around its rows',
      `{"results":[["${'x'.repeat(1000)}"]],"x":${'['.repeat(501)}${']'.repeat(501)}}`,
      'the body is nested more than 500 levels deep',
    ],
  ])('does not read a body that is %s', async (_what, text, problem) => {
    expect(await readBody(Buffer.from(text), { encoding: undefined, maxBytes: LARGE_BYTES, buffers })).toEqual({
      kind: 'nonsense',
      text,
      problem,
    });
  });

  it('refuses a large body that would grow beyond the cap', async () => {
    const bytes = gzipSync(randomBytes(5_000_000).toString('base64'));
    expect(await readBody(bytes, { encoding: 'gzip', maxBytes: 5_000_000, buffers })).toEqual({
      kind: 'unreadable',
      problem:
        'the body is larger than the allowed 5000000 bytes; a smaller page_size makes smaller pages, and narrower filters a smaller first page, whose size the service decides',
    });
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
  ])('stops decompressing %s that grows more than rows ever do', async (encoding, compress) => {
    const bytes = compress(Buffer.alloc(10_000_000, '[0,'));
    const most = Math.max(4_194_304, 200 * bytes.length);
    const problem = `the body of ${bytes.length} bytes grows to more than ${most} when it is decompressed, which no rows do`;
    expect(await readBody(bytes, { encoding, maxBytes: LARGE_BYTES, buffers })).toEqual({ kind: 'nonsense', text: '', problem });
  });

  it('refuses an absurd number of encodings', async () => {
    const reading = await readBody(gzipSync(JSON_BYTES), { encoding: 'gzip,'.repeat(1_000), maxBytes: LARGE_BYTES, buffers });
    expect(reading).toEqual({ kind: 'unreadable', problem: 'the body is encoded 1000 times over' });
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateRawSync],
    ['x-gzip, deflate', (bytes: Buffer) => deflateSync(gzipSync(bytes))],
  ])('reads the beginning of an error in %s, also when its end is missing', async (encoding, compress) => {
    const text = randomBytes(15_000).toString('base64');
    const bytes = compress(Buffer.from(text));
    expect(await readBody(bytes, { encoding, maxBytes: 10_000, buffers, isCut: true })).toMatchObject({
      kind: 'text',
      text: text.slice(0, 10_000),
    });
    const reading = await readBody(bytes.subarray(0, 10_000), { encoding, maxBytes: 20_000, buffers, isCut: true });
    expect(reading.kind === 'text' && text.startsWith(reading.text) && reading.text.length > 5_000).toBe(true);
  });

  it.each([0, 1, 2])('reads the beginning of an error that is cut within a character (%i)', async (before) => {
    const text = `${'x'.repeat(before)}${'東'.repeat(4_000)}`;
    const beginning = { kind: 'text', text: text.slice(0, before + Math.floor((10_000 - before) / 3)) };
    expect(
      await readBody(Buffer.from(text).subarray(0, 10_000), { encoding: undefined, maxBytes: 10_000, buffers, isCut: true }),
    ).toMatchObject(beginning);
    expect(await readBody(gzipSync(text), { encoding: 'gzip', maxBytes: 10_000, buffers, isCut: true })).toMatchObject(beginning);
  });

  it.each([
    ['is cut off', 'gzip', gzipSync(Buffer.alloc(1_000_000, 'x')).subarray(0, 100), 2_000_000],
    ['grows beyond the cap', 'gzip', gzipSync(Buffer.alloc(10_000_000, 'x')), 9_999_999],
    ['has no rows', 'gzip', gzipSync(Buffer.from(JSON.stringify('x'.repeat(10_000_000)))), LARGE_BYTES],
    ['has an encoding that was not offered', 'zstd', Buffer.from('x'), LARGE_BYTES],
  ])('closes the file of a body that %s', async (_what, encoding, bytes, most) => {
    const openFiles = (): number => readdirSync('/proc/self/fd').length;
    const before = openFiles();
    await readBody(spool(bytes), { encoding, maxBytes: most, buffers });
    expect(openFiles()).toBe(before);
  });
});

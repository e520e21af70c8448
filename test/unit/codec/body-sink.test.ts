import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Body, BodySink, SpooledBody } from '../../../src/codec/body-sink.ts';
import { BufferPool } from '../../../src/codec/buffer-pool.ts';
import { countOpenFiles } from '../../support/spool.ts';

const buffers = new BufferPool();

const MOST = 10;
const MEBIBYTE = 1024 * 1024;

function collect(pieces: readonly string[], maxInMemory = MOST): Body {
  const sink = new BodySink(buffers, maxInMemory);
  for (const piece of pieces) sink.write(Buffer.from(piece));
  expect(sink.bytes).toBe(pieces.join('').length);
  return sink.finish();
}

async function textOf(body: Body): Promise<string> {
  return (body instanceof SpooledBody ? await body.read(0, body.length) : body).toString();
}

describe('a body', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'searchmill-test-'));
    vi.stubEnv('TMPDIR', folder);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['nothing', []],
    ['as much as fits', ['01234', '56789']],
  ])('of %s stays in memory', async (_what, pieces) => {
    const body = collect(pieces);
    expect(body).toBeInstanceOf(Buffer);
    expect(await textOf(body)).toBe(pieces.join(''));
  });

  it('that outgrows the memory it began with stays whole', async () => {
    const pieces = Array.from({ length: 40 }, (_, piece) => `${piece} `.repeat(1_000));
    const body = collect(pieces, MEBIBYTE);
    expect(body).toBeInstanceOf(Buffer);
    expect(await textOf(body)).toBe(pieces.join(''));
  });

  it('that does not fit goes into a file without a name', async () => {
    const body = collect(['01234', '56789', 'abcde']) as SpooledBody;
    expect(body).toBeInstanceOf(SpooledBody);
    expect(readdirSync(folder)).toEqual([]);
    expect(body.length).toBe(15);
    expect(await textOf(body)).toBe('0123456789abcde');
    expect((await body.read(8, 12)).toString()).toBe('89ab');
    expect((await body.read(12, 99)).toString()).toBe('cde');
    const pieces: string[] = [];
    for await (const piece of body.pieces(6)) pieces.push(piece.toString());
    expect(pieces).toEqual(['012345', '6789ab', 'cde']);
    body.close();
    body.close();
  });

  it('goes into a file while the pool is full, unless it is small', async () => {
    const [small, large] = [['x'.repeat(50_000)], ['x'.repeat(50_000), 'y'.repeat(50_000)]];
    const held = Array.from({ length: 4 }, () => buffers.acquire(16 * MEBIBYTE));
    expect(collect(small, MEBIBYTE)).toBeInstanceOf(Buffer);
    const body = collect(large, MEBIBYTE);
    expect(body).toBeInstanceOf(SpooledBody);
    expect(await textOf(body)).toBe(large.join(''));
    (body as SpooledBody).close();
    for (const buffer of held) BufferPool.release(buffer);
    expect(collect(large, MEBIBYTE)).toBeInstanceOf(Buffer);
  });

  it('stays in memory where no file can be made', async () => {
    vi.stubEnv('TMPDIR', join(folder, 'missing'));
    const body = collect(['01234', '56789', 'abcde']);
    expect(body).toBeInstanceOf(Buffer);
    expect(await textOf(body)).toBe('0123456789abcde');
  });

  it('that is discarded leaves no file open', () => {
    const sink = new BodySink(buffers, MOST);
    sink.write(Buffer.alloc(MOST + 1));
    expect(countOpenFiles(folder)).toBe(1);
    sink.discard();
    expect(countOpenFiles(folder)).toBe(0);
  });
});

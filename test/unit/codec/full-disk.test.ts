import { mkdtempSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, it, vi } from 'vitest';
import { readBody } from '../../../src/codec/answer-body.ts';
import { BodySink } from '../../../src/codec/body-sink.ts';
import { BufferPool } from '../../../src/codec/buffer-pool.ts';
import { countOpenFiles } from '../../support/spool.ts';

const buffers = new BufferPool();

vi.mock('node:fs', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:fs')>();
  return { ...original, writeSync: vi.fn(original.writeSync) };
});

it.each([0, 1])('a body comes back into memory when its file takes no more, after %i pieces', (written) => {
  const folder = mkdtempSync(join(tmpdir(), 'searchmill-test-'));
  vi.stubEnv('TMPDIR', folder);
  const pieces = ['0123456789abcde', 'fgh', 'ijk'];
  const sink = new BodySink(buffers, 10);
  for (const piece of pieces.slice(0, written)) sink.write(Buffer.from(piece));
  expect(countOpenFiles(folder)).toBe(written);
  vi.mocked(writeSync).mockImplementationOnce(() => {
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  });
  for (const piece of pieces.slice(written)) sink.write(Buffer.from(piece));
  expect(countOpenFiles(folder)).toBe(0);
  const body = sink.finish();
  expect(Buffer.isBuffer(body) && body.toString()).toBe(pieces.join(''));
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const fail = (): never => {
  throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
};
afterEach(() => void vi.mocked(writeSync).mockReset());

it('a large body is refused where its file takes no more and memory for pages is full, with the folder and what helps', () => {
  const full = new BufferPool();
  const others = full.acquire(60 * 1024 * 1024);
  vi.mocked(writeSync).mockImplementation(fail);
  const sink = new BodySink(full);
  const write = (): void => {
    for (let piece = 0; piece < 100; piece++) sink.write(Buffer.alloc(64 * 1024));
  };
  expect(write).toThrow(
    `no room for a large answer: memory for pages is full, and no temporary file can be written in ${tmpdir()} (ENOSPC); what helps: make 1024 MiB of room in ${tmpdir()}, or set TMPDIR`,
  );
  sink.discard();
  const small = new BodySink(full);
  small.write(Buffer.alloc(64 * 1024, 'x'));
  expect(small.finish()).toHaveLength(64 * 1024);
  BufferPool.release(others);
});

it('bodies without files never take more memory together than the pool has', () => {
  const pool = new BufferPool();
  vi.mocked(writeSync).mockImplementation(fail);
  const sinks = Array.from({ length: 16 }, () => new BodySink(pool));
  let refused = 0;
  for (const sink of sinks) {
    try {
      for (let piece = 0; piece < 160; piece++) sink.write(Buffer.alloc(64 * 1024));
    } catch {
      refused += 1;
      sink.discard();
    }
    expect(pool.shareInUse).toBeLessThanOrEqual(1);
  }
  expect(refused).toBeGreaterThan(0);
  expect(refused).toBeLessThan(sinks.length);
});

it('a body that grows beyond its bound while it is decompressed says that there is no room, and leaves none of it', async () => {
  const full = new BufferPool();
  const others = full.acquire(60 * 1024 * 1024);
  const before = full.shareInUse;
  vi.mocked(writeSync).mockImplementation(fail);
  const body = gzipSync(`{"results":[${'["x"],'.repeat(1_000_000)}["x"]]}`);
  const reading = readBody(body, { encoding: 'gzip', buffers: full, maxBytes: 256 * 1024 * 1024 });
  await expect(reading).rejects.toThrow(/^no room for a large answer/);
  expect(full.shareInUse).toBe(before);
  BufferPool.release(others);
});

import { mkdtempSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
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

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Body, BodySink, SpooledBody } from '../../../src/codec/body-sink.ts';

const MOST = 10;

function collect(pieces: readonly string[], expected?: number): Body {
  const sink = new BodySink(expected, MOST);
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
    ['nothing', [], undefined],
    ['as much as fits', ['01234', '56789'], undefined],
    ['a known length', ['01234', '56'], 7],
    ['less than was said', ['01234'], 7],
  ])('of %s stays in memory', async (_what, pieces, expected) => {
    const body = collect(pieces, expected);
    expect(body).toBeInstanceOf(Buffer);
    expect(await textOf(body)).toBe(pieces.join(''));
  });

  it.each([
    ['an unknown length', undefined],
    ['a known length', 15],
  ])('of %s that does not fit goes into a file without a name', async (_what, expected) => {
    const body = collect(['01234', '56789', 'abcde'], expected) as SpooledBody;
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

  it('stays in memory where no file can be made', async () => {
    vi.stubEnv('TMPDIR', join(folder, 'missing'));
    const body = collect(['01234', '56789', 'abcde']);
    expect(body).toBeInstanceOf(Buffer);
    expect(await textOf(body)).toBe('0123456789abcde');
  });

  it('that is discarded leaves no file open', () => {
    const sink = new BodySink(undefined, MOST);
    const openFiles = (): number => readdirSync('/proc/self/fd').length;
    const before = openFiles();
    sink.write(Buffer.alloc(MOST + 1));
    expect(openFiles()).toBe(before + 1);
    sink.discard();
    expect(openFiles()).toBe(before);
  });
});

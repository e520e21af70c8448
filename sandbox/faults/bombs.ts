// Answers that are small when compressed and huge when decompressed. Each is created once, in pieces, and cached in compressed form.
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import { MEBIBYTE } from '../../src/core/byte-sizes.ts';
import type { FaultOf } from './fault.ts';

const bombs = new Map<string, Promise<Buffer>>();

/** A gzipped JSON value of `mib` MiB that is not an execution record. */
export function bombOf({ mib, shape }: Pick<FaultOf<'bomb'>, 'mib' | 'shape'>): Promise<Buffer> {
  const name = `${shape} ${mib}`;
  const bomb = bombs.get(name) ?? buffer(Readable.from(piecesOf(shape, mib)).pipe(createGzip({ level: 9, chunkSize: MEBIBYTE })));
  bombs.set(name, bomb);
  return bomb;
}

function* piecesOf(shape: FaultOf<'bomb'>['shape'], mib: number): Generator<Buffer, void, undefined> {
  const text = { list: '[0,', text: '"', nested: '' }[shape];
  const unit = { list: '0,', text: 'aa', nested: '[[' }[shape];
  const end = { list: '0]', text: '"', nested: '' }[shape];
  if (text) yield Buffer.from(text);
  const piece = Buffer.from(unit.repeat(MEBIBYTE / 2));
  // Closes the arrays that were opened.
  const closing = shape === 'nested' ? Buffer.from(']]'.repeat(MEBIBYTE / 2)) : piece;
  const half = Math.ceil(mib / 2);
  for (let count = 0; count < (shape === 'nested' ? half * 2 : mib); count++) yield count < half ? piece : closing;
  if (end) yield Buffer.from(end);
}

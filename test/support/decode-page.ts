// Rows of one page by the rules of decode.ts alone, which decide what the fast path must give, too.

import { BufferPool } from '../../src/codec/buffer-pool.ts';
import { CopyRows } from '../../src/codec/copy-rows.ts';
import type { DecodedRows, Decoder } from '../../src/codec/decode.ts';

const buffers = new BufferPool();

/** The first row is at `firstPosition`. */
export function decodePage(decoder: Decoder, rows: readonly unknown[], page: number, firstPosition = 1): DecodedRows {
  const into = new CopyRows(buffers, 1024 * rows.length);
  const rejected = rows.flatMap((row, i) => decoder.decodeRow(row, { page, position: firstPosition + i }, into) ?? []);
  return { copyData: into.data, staged: rows.length - rejected.length, rejected };
}

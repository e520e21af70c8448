// From the bytes of an answer to JSON: undoes the content encoding, up to a size limit, and parses.
import { isUtf8 } from 'node:buffer';
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw, type ZlibOptions } from 'node:zlib';
import { KIBIBYTE, MEBIBYTE } from '../core/byte-sizes.ts';
import { StoreError } from '../core/errors.ts';
import { MAX_DEPTH, MAX_VALUES, measureValue } from '../core/json-size.ts';
import { type Body, BodySink, SpooledBody } from './body-sink.ts';
import { BufferPool } from './buffer-pool.ts';
import { areSpooled, type PageRows, type SpooledRows } from './page-rows.ts';
import { RowCutter } from './row-cutter.ts';
import { splitRows, withoutMark } from './split-rows.ts';
import { splitSpooled } from './split-spooled.ts';

/** Ends decompression. */
class EnoughError extends Error {}

/** Offered to the service; each of these can be decoded here. */
export const ACCEPTED_ENCODINGS = 'gzip, br, deflate';

/**
 * A JSON body: its value, its text and the size of the whole body after decompression. With `rows`, value and text are without
 * the rows.
 */
export type JsonBody = Readonly<{ value: unknown; text: string; bytes: number; rows?: PageRows | SpooledRows }>;

/** The text of a body and, if it is JSON, its value; or the reason why there is no text. */
export type ReadBody =
  | Readonly<{ kind: 'json'; body: JsonBody }>
  | Readonly<{ kind: 'text'; text: string; problem: string }>
  /** The body is complete and cannot be an execution record, whatever its content; `text` is its beginning. */
  | Readonly<{ kind: 'nonsense'; text: string; problem: string }>
  | Readonly<{ kind: 'unreadable'; problem: string }>;

const DECODERS: Readonly<Record<string, (firstBytes: Buffer, options: ZlibOptions) => Transform>> = {
  gzip: (_, options) => createGunzip(options),
  'x-gzip': (_, options) => createGunzip(options),
  br: (_, options) => createBrotliDecompress(options),
  // The standard means zlib's format, but some servers send raw deflate data.
  deflate: (firstBytes, options) => (hasZlibHeader(firstBytes) ? createInflate : createInflateRaw)(options),
};
/** Flush mode for decompressing a truncated body as far as possible. */
const FLUSH: Readonly<Record<string, number>> = { br: constants.BROTLI_OPERATION_FLUSH };
/** Decompressed output is collected in chunks of this size; a page is several hundred kilobytes. */
const CHUNK_BYTES = 256 * KIBIBYTE;
/** Bytes read at a time from a compressed body in a file. */
const PIECE_BYTES = MEBIBYTE;
/** Smaller answers are rarely pages, and are parsed as a whole. */
const SMALL_BYTES = KIBIBYTE;
/** Larger bodies are read only if they consist of rows. */
const MAX_PLAIN_BYTES = 4 * MEBIBYTE;
/** Maximum bytes read of an error's body: a few kilobytes contain everything useful. */
export const MAX_ERROR_BYTES: number = 16 * KIBIBYTE;
/** Limit for output beyond MAX_PLAIN_BYTES, as a multiple of the compressed size. Pages of rows grow 10 to 60 times. */
const MAX_GROWTH = 200;
/** Maximum number of nested encodings. */
const MAX_ENCODINGS = 3;
/** Bytes of an unread body that are examined to show its beginning. */
const SHOWN_BYTES = KIBIBYTE;

export type BodyWishes = Readonly<{
  /** The header content-encoding. */
  encoding: string | undefined;
  /** Maximum bytes kept of the decompressed body. A larger body is refused, unless it is cut. */
  maxBytes: number;
  /** Longer rows are cut out while decompressing; where a body came plain, that was done before. */
  maxRowBytes?: number;
  isCut?: boolean;
  buffers: BufferPool;
}>;

/** Reads a body. @throws StoreError when there is no room for it. Closes a body in a file, unless its rows are returned. */
export async function readBody(body: Body, wishes: BodyWishes): Promise<ReadBody> {
  const { isCut = false, buffers } = wishes;
  let plain: Body | ReadBody | undefined;
  let reading: ReadBody | undefined;
  try {
    plain = await decompress(body, { ...wishes, isCut });
    if ('kind' in plain) reading = plain;
    else if (plain instanceof SpooledBody) reading = await readSpooled(plain);
    else if (plain.length > MAX_PLAIN_BYTES) reading = await readSpooled(new SpooledBody(plain, plain.length, buffers));
    else reading = readPlain(isCut ? withoutStump(plain) : plain, buffers);
  } catch (error) {
    if (!(error instanceof StoreError && error.retryable)) {
      if (Buffer.isBuffer(body)) BufferPool.release(body);
      throw error;
    }
    reading = { kind: 'unreadable', problem: error.message };
  } finally {
    const rows = reading?.kind === 'json' ? reading.body.rows : undefined;
    const kept = rows && areSpooled(rows) ? plain : undefined;
    for (const each of [body, plain]) if (each instanceof SpooledBody && each !== kept) each.close();
    if (Buffer.isBuffer(plain) && !rows) BufferPool.release(plain);
  }
  return reading;
}

/** Reads a body in a file. If it does not consist of rows, it is read only if it is small. */
async function readSpooled(body: SpooledBody): Promise<ReadBody> {
  const split = await splitSpooled(body);
  if (split) return { kind: 'json', body: { ...split, bytes: body.length } };
  if (body.length <= MAX_PLAIN_BYTES) return readPlain(await body.read(0, body.length), body.buffers);
  const beginning = await body.read(0, SHOWN_BYTES);
  const problem = `the body has ${body.length} bytes and is not made of rows; of such not more than ${MAX_PLAIN_BYTES} bytes are read`;
  return { kind: 'nonsense', text: beginning.toString('utf8'), problem };
}

/** Removes an incomplete UTF-8 character at the end. */
function withoutStump(text: Buffer): Buffer {
  const stump = [0, 1, 2, 3].find((bytes) => isUtf8(text.subarray(0, text.length - bytes))) ?? 0;
  return text.subarray(0, text.length - stump);
}

function readPlain(plain: Buffer, buffers: BufferPool): ReadBody {
  const isText = isUtf8(plain);
  // Rows are looked for in bytes, so one that is not UTF-8 spoils its row only.
  const split = plain.length > SMALL_BYTES || !isText ? splitRows(plain, buffers) : undefined;
  if (split) return { kind: 'json', body: { ...split, bytes: plain.length } };
  if (!isText)
    return {
      kind: isUtf8(withoutStump(plain)) ? 'unreadable' : 'nonsense',
      text: plain.toString('utf8', 0, SHOWN_BYTES),
      problem: 'the body is not UTF-8 text',
    };
  const text = withoutMark(plain.toString('utf8'));
  const { values, depth } = measureValue(plain, 0);
  if (values > MAX_VALUES) return { kind: 'nonsense', text, problem: `the body has more than ${MAX_VALUES} values` };
  try {
    // V8 parses any depth, but almost nothing else accepts it.
    const value: unknown = JSON.parse(text);
    if (depth > MAX_DEPTH) return { kind: 'nonsense', text, problem: `the body is nested more than ${MAX_DEPTH} levels deep` };
    return { kind: 'json', body: { value, text, bytes: plain.length } };
  } catch {
    // The parser's own message quotes the body, so it is not used.
    return { kind: 'text', text, problem: text.trim() === '' ? 'the body is empty' : 'the body is not JSON, or was cut off' };
  }
}

/** Returns the decompressed bytes, or why there are none. */
async function decompress(body: Body, wishes: BodyWishes): Promise<Body | ReadBody> {
  const { maxBytes, isCut, buffers } = wishes;
  const encodings = encodingsOf(wishes.encoding);
  if (encodings.length > MAX_ENCODINGS) return unreadable(`the body is encoded ${encodings.length} times over`);
  const maxPlainBytes = Math.max(MAX_PLAIN_BYTES, MAX_GROWTH * body.length);
  let plain = body;
  for (const [before, encoding] of encodings.entries()) {
    const createDecoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
    if (!createDecoder) return unreadable(`the body is encoded in a way that was not offered (only ${ACCEPTED_ENCODINGS} are)`);
    // A zero-length body is not compressed, whatever the header says.
    if (plain.length === 0) return plain;
    const compressed = plain;
    const isSpooled = compressed instanceof SpooledBody;
    const firstBytes = isSpooled ? await compressed.read(0, 2) : compressed;
    const decoder = createDecoder(firstBytes, {
      chunkSize: CHUNK_BYTES,
      ...(isCut ? { finishFlush: FLUSH[encoding] ?? constants.Z_SYNC_FLUSH } : {}),
    });
    const isLast = before === encodings.length - 1;
    const sink = isLast ? new RowCutter(new BodySink(buffers), wishes.maxRowBytes) : new BodySink(buffers);
    let decompressed = 0;
    const collect = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
      for await (const chunk of chunks) {
        decompressed += chunk.length;
        sink.write(isCut ? chunk.subarray(0, maxBytes - sink.bytes) : chunk);
        const isFull = isCut ? sink.bytes === maxBytes : sink.bytes > maxBytes;
        if (isFull || decompressed > maxPlainBytes) throw new EnoughError();
      }
    };
    try {
      await pipeline(isSpooled ? compressed.pieces(PIECE_BYTES) : [compressed], decoder, collect);
    } catch (error) {
      if (!(isCut && error instanceof EnoughError)) {
        sink.discard();
        if (error instanceof StoreError) throw error;
        if (!(error instanceof EnoughError)) return unreadable(`the ${encoding} body is damaged or was cut off`);
        if (sink.bytes > maxBytes) return unreadable(describeTooLarge(maxBytes));
        const problem = `the body of ${body.length} bytes grows to more than ${maxPlainBytes} when it is decompressed, which no rows do`;
        return { kind: 'nonsense', text: '', problem };
      }
    } finally {
      if (isSpooled) compressed.close();
    }
    plain = sink.finish();
    if (!isSpooled) BufferPool.release(compressed);
  }
  return plain;
}

/** The encodings of a body by its header content-encoding, in the order in which they are undone. */
export function encodingsOf(header = ''): string[] {
  const names = header.toLowerCase().split(',');
  // They are listed in the order they were applied (RFC 9110, 8.4).
  return names
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
    .reverse();
}

function unreadable(problem: string): ReadBody {
  return { kind: 'unreadable', problem };
}

export function describeTooLarge(maxBytes: number): string {
  return `the body is larger than the allowed ${maxBytes} bytes; a smaller page_size makes smaller pages, and narrower filters a smaller first page, whose size the service decides`;
}

function hasZlibHeader(bytes: Buffer): boolean {
  return bytes.length >= 2 && (bytes.readUInt8(0) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;
}

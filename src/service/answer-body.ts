// From the bytes of an answer to JSON: undoes the content encoding, within a cap, and parses.
import { isUtf8 } from 'node:buffer';
import type { Transform } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, type ZlibOptions } from 'node:zlib';
import { StoreError } from '../core/errors.ts';
import { pageMemory } from '../core/page-memory.ts';
import { type Body, BodySink, SpooledBody } from './body-sink.ts';
import type { JsonBody } from './execution-record.ts';
import { splitRows, withoutMark } from './split-rows.ts';
import { splitSpooled } from './split-spooled.ts';

class TooLargeError extends Error {}

/** What the client offers to the service; every one of these is undone here. */
export const ACCEPTED_ENCODINGS = 'gzip, br, deflate';

/** The text of a body and, when it is JSON, its value; or why there is no text. */
export type BodyReading =
  | Readonly<{ kind: 'json'; body: JsonBody }>
  | Readonly<{ kind: 'text'; text: string; problem: string }>
  | Readonly<{ kind: 'unreadable'; problem: string }>;

const DECODERS: Readonly<Record<string, (firstBytes: Buffer, options: ZlibOptions) => Transform>> = {
  gzip: (_, options) => createGunzip(options),
  'x-gzip': (_, options) => createGunzip(options),
  br: (_, options) => createBrotliDecompress(options),
  // The standard means zlib's format, some servers the bare one.
  deflate: (firstBytes, options) => (hasZlibHeader(firstBytes) ? createInflate : createInflateRaw)(options),
};
/** Output is collected in pieces of this size; a page is several hundred kilobytes. */
const CHUNK_BYTES = 256 * 1024;
/** What is read at a time of a compressed body in a file. */
const PIECE_BYTES = 1024 * 1024;
/** Smaller answers are hardly pages, and are parsed as they are. */
const SMALL_BYTES = 1024;

/** Reads a body that is at most `maxBytes` large once decompressed. Never throws. What is in a file is closed, but for its rows. */
export async function readBody(body: Body, contentEncoding: string | undefined, maxBytes: number): Promise<BodyReading> {
  let plain: Body | string | undefined;
  let reading: BodyReading | undefined;
  try {
    plain = await decompress(body, contentEncoding, maxBytes);
    if (typeof plain === 'string') reading = { kind: 'unreadable', problem: plain };
    else reading = plain instanceof SpooledBody ? await readSpooled(plain) : readPlain(plain);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    reading = { kind: 'unreadable', problem: error.message };
  } finally {
    const kept = reading?.kind === 'json' && reading.body.rows ? plain : undefined;
    for (const each of [body, plain]) if (each instanceof SpooledBody && each !== kept) each.close();
  }
  return reading;
}

/** What is not made of rows as it should be is read as a whole, whatever memory that takes. */
async function readSpooled(body: SpooledBody): Promise<BodyReading> {
  const split = await splitSpooled(body);
  return split ? { kind: 'json', body: { ...split, bytes: body.length } } : readPlain(await body.read(0, body.length));
}

function readPlain(plain: Buffer): BodyReading {
  if (!isUtf8(plain)) return { kind: 'unreadable', problem: 'the body is not UTF-8 text' };
  const split = plain.length > SMALL_BYTES ? splitRows(plain) : undefined;
  if (split) return { kind: 'json', body: { ...split, bytes: plain.length } };
  const text = withoutMark(plain.toString('utf8'));
  try {
    return { kind: 'json', body: { value: JSON.parse(text), text, bytes: plain.length } };
  } catch {
    // The parser's own message quotes the body, so it is not passed on.
    return { kind: 'text', text, problem: text.trim() === '' ? 'the body is empty' : 'the body is not JSON, or was cut off' };
  }
}

/** The plain bytes, or why they cannot be had. */
async function decompress(body: Body, contentEncoding: string | undefined, maxBytes: number): Promise<Body | string> {
  const encodings = (contentEncoding ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  let plain = body;
  // Listed in the order they were applied (RFC 9110, 8.4).
  for (const encoding of encodings.reverse()) {
    const createDecoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
    if (!createDecoder) return `the body is encoded in a way that was not offered (only ${ACCEPTED_ENCODINGS} are)`;
    // A zero-length body is not a compressed one, whatever the header says.
    if (plain.length === 0) return plain;
    const compressed = plain;
    const isSpooled = compressed instanceof SpooledBody;
    const decoder = createDecoder(isSpooled ? await compressed.read(0, 2) : compressed, { chunkSize: CHUNK_BYTES });
    const sink = new BodySink();
    decoder.on('data', (chunk: Buffer) => {
      try {
        if (sink.bytes + chunk.length > maxBytes) throw new TooLargeError();
        sink.write(chunk);
      } catch (error) {
        decoder.destroy(error as Error);
      }
    });
    try {
      await Promise.all([pipeline(isSpooled ? compressed.pieces(PIECE_BYTES) : [compressed], decoder), finished(decoder)]);
    } catch (error) {
      sink.discard();
      if (error instanceof StoreError) throw error;
      return error instanceof TooLargeError ? describeTooLarge(maxBytes) : `the ${encoding} body is damaged or was cut off`;
    } finally {
      if (isSpooled) compressed.close();
    }
    plain = sink.finish();
    if (!isSpooled) pageMemory.giveBack(compressed);
  }
  return plain;
}

export function describeTooLarge(maxBytes: number): string {
  return `the body is larger than the allowed ${maxBytes} bytes`;
}

function hasZlibHeader(bytes: Buffer): boolean {
  return bytes.length >= 2 && (bytes.readUInt8(0) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;
}

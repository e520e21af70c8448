// From the bytes of an answer to JSON: undoes the content encoding, within a cap, and parses.
import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib';
import { pageMemory } from '../core/page-memory.ts';
import type { JsonBody } from './execution-record.ts';
import { splitRows } from './split-rows.ts';

/** What the client offers to the service; every one of these is undone here. */
export const ACCEPTED_ENCODINGS = 'gzip, br, deflate';

/** The text of a body and, when it is JSON, its value; or why there is no text. */
export type BodyReading =
  | Readonly<{ kind: 'json'; body: JsonBody }>
  | Readonly<{ kind: 'text'; text: string; problem: string }>
  | Readonly<{ kind: 'unreadable'; problem: string }>;

type DecompressOptions = Readonly<{ maxOutputLength: number; chunkSize: number }>;
type Decompress = (bytes: Buffer, options: DecompressOptions) => Promise<Buffer>;

const decompressGzip = promisify<Buffer, DecompressOptions, Buffer>(gunzip);
const decompressZlib = promisify<Buffer, DecompressOptions, Buffer>(inflate);
const decompressBareDeflate = promisify<Buffer, DecompressOptions, Buffer>(inflateRaw);

const DECOMPRESS: Readonly<Record<string, Decompress>> = {
  gzip: decompressGzip,
  'x-gzip': decompressGzip,
  br: promisify<Buffer, DecompressOptions, Buffer>(brotliDecompress),
  // The standard means zlib's format, some servers the bare one.
  deflate: (bytes, options) => (hasZlibHeader(bytes) ? decompressZlib : decompressBareDeflate)(bytes, options),
};
/** Output is collected in pieces of this size; a page is several hundred kilobytes. */
const CHUNK_BYTES = 256 * 1024;
const UTF8_BOM = '\uFEFF';
/** Smaller answers are hardly pages, and are parsed as they are. */
const SMALL_BYTES = 1024;

/** Reads a body that is at most `maxBytes` large once decompressed. Never throws. */
export async function readBody(bytes: Buffer, contentEncoding: string | undefined, maxBytes: number): Promise<BodyReading> {
  const plain = await decompress(bytes, contentEncoding, maxBytes);
  if (typeof plain === 'string') return { kind: 'unreadable', problem: plain };
  if (!isUtf8(plain)) return { kind: 'unreadable', problem: 'the body is not UTF-8 text' };
  const split = plain.length > SMALL_BYTES ? splitRows(plain) : undefined;
  if (split) return { kind: 'json', body: { ...split, bytes: plain.length } };
  const raw = plain.toString('utf8');
  const text = raw.startsWith(UTF8_BOM) ? raw.slice(1) : raw;
  try {
    return { kind: 'json', body: { value: JSON.parse(text), text, bytes: plain.length } };
  } catch {
    // The parser's own message quotes the body, so it is not passed on.
    return { kind: 'text', text, problem: text.trim() === '' ? 'the body is empty' : 'the body is not JSON, or was cut off' };
  }
}

/** The plain bytes, or why they cannot be had. */
async function decompress(bytes: Buffer, contentEncoding: string | undefined, maxBytes: number): Promise<Buffer | string> {
  const encodings = (contentEncoding ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  let plain = bytes;
  // Listed in the order they were applied (RFC 9110, 8.4).
  for (const encoding of encodings.reverse()) {
    const decode = Object.hasOwn(DECOMPRESS, encoding) ? DECOMPRESS[encoding] : undefined;
    if (!decode) return `the body is encoded in a way that was not offered (only ${ACCEPTED_ENCODINGS} are)`;
    // A zero-length body is not a compressed one, whatever the header says.
    if (plain.length === 0) return plain;
    try {
      const compressed = plain;
      plain = await decode(compressed, { maxOutputLength: maxBytes, chunkSize: CHUNK_BYTES });
      pageMemory.giveBack(compressed);
    } catch (error) {
      const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
      return isTooLarge ? describeTooLarge(maxBytes) : `the ${encoding} body is damaged or was cut off`;
    }
  }
  return plain;
}

export function describeTooLarge(maxBytes: number): string {
  return `the body is larger than the allowed ${maxBytes} bytes`;
}

function hasZlibHeader(bytes: Buffer): boolean {
  return bytes.length >= 2 && (bytes.readUInt8(0) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0;
}

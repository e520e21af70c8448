// Where the bytes of a body go as they come: into memory, or, when there are too many, into a temporary file. The file has no
// name: it is gone when it is closed, also when the process is killed.
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, read, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { StoreError } from '../core/errors.ts';
import { pageMemory } from './page-memory.ts';

/** Larger bodies go into a file, and of larger ones nothing but rows is read. */
export const MAX_BYTES_IN_MEMORY: number = 4 * 1024 * 1024;

export type Body = Buffer | SpooledBody;

const readAt = promisify(read);
/** Closes the files of those whom nobody wants any more and nobody has closed. */
const forgotten = new FinalizationRegistry<number>(closeSync);

/** A body that is read piece by piece: in a file, or, where there is no room for files, in memory. */
export class SpooledBody {
  readonly length: number;
  readonly #source: number | Buffer;
  #isClosed: boolean = false;

  constructor(source: number | Buffer, length: number) {
    this.#source = source;
    this.length = length;
    if (typeof source === 'number') forgotten.register(this, source, this);
  }

  /** The bytes from `from` up to, not including, `to`, in page memory. Throws StoreError. */
  async read(from: number, to: number): Promise<Buffer> {
    const bytes = pageMemory.take(Math.min(to, this.length) - from);
    const source = this.#source;
    if (typeof source !== 'number') {
      // Others go on between the pieces, as they do while a file is read.
      await nextTurn();
      source.copy(bytes, 0, from);
      return bytes;
    }
    try {
      for (let done = 0; done < bytes.length; ) {
        const { bytesRead } = await readAt(source, bytes, done, bytes.length - done, from + done);
        if (bytesRead === 0) throw new Error('too short');
        done += bytesRead;
      }
    } catch (cause) {
      throw describeProblem('cannot be read', cause);
    }
    return bytes;
  }

  /** Pieces of it, one after another. */
  async *pieces(size: number): AsyncGenerator<Buffer> {
    for (let at = 0; at < this.length; at += size) yield await this.read(at, at + size);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    forgotten.unregister(this);
    if (typeof this.#source === 'number') closeSync(this.#source);
  }
}

/** Collects a body. Either finish it or discard it. */
export class BodySink {
  readonly #most: number;
  /** Where it goes when its length is known and fits: pieces that are kept until the end would be as much again. */
  readonly #whole: Buffer | undefined;
  #chunks: Buffer[] = [];
  #file: number | undefined;
  /** There is no folder for temporary files, or no space in it. */
  #isMemoryOnly: boolean = false;
  #bytes = 0;

  /** `expected`: its length in bytes, where it is known; no more than that may come. More than `most` bytes go into a file. */
  constructor(expected?: number, most = MAX_BYTES_IN_MEMORY) {
    this.#most = most;
    if (expected && expected <= most) this.#whole = pageMemory.take(expected);
  }

  /** Bytes that have come. */
  get bytes(): number {
    return this.#bytes;
  }

  write(chunk: Buffer): void {
    const at = this.#bytes;
    this.#bytes += chunk.length;
    if (this.#whole) chunk.copy(this.#whole, at);
    else {
      this.#chunks.push(chunk);
      if (this.#bytes > this.#most && !this.#isMemoryOnly) this.#spool();
    }
  }

  /** The body; what is in memory is in page memory. */
  finish(): Body {
    if (this.#file !== undefined) {
      const body = new SpooledBody(this.#file, this.#bytes);
      this.#file = undefined;
      return body;
    }
    if (this.#whole) return this.#whole.subarray(0, this.#bytes);
    const body = pageMemory.take(this.#bytes);
    let at = 0;
    for (const chunk of this.#chunks) at += chunk.copy(body, at);
    return body;
  }

  discard(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    this.#chunks = [];
    this.#isMemoryOnly = true;
  }

  /** Writes what has come to the file; where that is not possible, everything goes on in memory. */
  #spool(): void {
    let written = this.#bytes - this.#chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    try {
      this.#file ??= openNameless();
      for (let chunk = this.#chunks[0]; chunk; chunk = this.#chunks[0]) {
        writeAll(this.#file, chunk, written);
        written += chunk.length;
        this.#chunks.shift();
      }
    } catch {
      this.#isMemoryOnly = true;
      if (this.#file === undefined) return;
      const before = Buffer.allocUnsafeSlow(written);
      for (let done = 0; done < written; ) done += readSync(this.#file, before, done, written - done, done);
      this.#chunks.unshift(before);
      closeSync(this.#file);
      this.#file = undefined;
    }
  }
}

/** Open for reading and writing. */
function openNameless(): number {
  const path = join(tmpdir(), `searchmill-answer-${randomUUID()}`);
  const file = openSync(path, 'wx+', 0o600);
  try {
    unlinkSync(path);
  } catch (error) {
    closeSync(file);
    throw error;
  }
  return file;
}

function writeAll(file: number, chunk: Buffer, at: number): void {
  for (let done = 0; done < chunk.length; ) done += writeSync(file, chunk, done, chunk.length - done, at + done);
}

/** A StoreError about a temporary file. */
export function describeProblem(what: string, cause?: unknown): StoreError {
  const { code } = (cause ?? {}) as NodeJS.ErrnoException;
  const reason = code === undefined ? '' : ` (${code})`;
  return new StoreError(`the temporary file of a large answer, in ${tmpdir()}, ${what}${reason}`, { retryable: true, cause });
}

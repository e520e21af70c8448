// Stores the bytes of a body as they arrive: in memory, or in a temporary file when there are many or the pool of page memory is full. So no
// load ever waits for memory. The file is unlinked at once, so it disappears when it is closed, even if the process is killed.
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, read, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { withAdvice } from '../core/advice.ts';
import { MEBIBYTE } from '../core/byte-sizes.ts';
import { StoreError } from '../core/errors.ts';
import { BufferPool, MIN_POOLED_BYTES } from './buffer-pool.ts';

/** Larger bodies go into a file. Twice the size of a usual page. */
const MAX_BYTES_IN_MEMORY = MEBIBYTE;

/** Free space in the temporary folder that allows two loads to read their largest answers, with two files each. */
export const ENOUGH_ROOM_MIB = 1024;

const NOTHING = Buffer.alloc(0);

export type Body = Buffer | SpooledBody;

const readAt = promisify(read);
/** Closes files whose bodies were garbage-collected without being closed. */
const forgotten = new FinalizationRegistry<number>(closeSync);

/** A body that is read in pieces: from a file, or from memory when no file could be written. */
export class SpooledBody {
  readonly length: number;
  /** Provides the memory for reads. */
  readonly buffers: BufferPool;
  readonly #source: number | Buffer;
  #isClosed: boolean = false;

  constructor(source: number | Buffer, length: number, buffers: BufferPool) {
    this.#source = source;
    this.buffers = buffers;
    this.length = length;
    if (typeof source === 'number') forgotten.register(this, source, this);
  }

  /** The bytes from `from` up to but excluding `to`, in a buffer of the pool. Throws StoreError. */
  async read(from: number, to: number): Promise<Buffer> {
    const bytes = this.buffers.acquire(Math.min(to, this.length) - from);
    const source = this.#source;
    if (typeof source !== 'number') {
      // Lets other work run between pieces, as reading a file does.
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

  /** Reads the body in consecutive pieces of `size` bytes. */
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

/** Collects a body. Call either finish or discard. */
export class BodySink {
  readonly #buffers: BufferPool;
  readonly #maxBytesInMemory: number;
  #buffer: Buffer = NOTHING;
  #file: number | undefined;
  /** True when there is no temporary folder, or no space in it. */
  #isMemoryOnly: boolean = false;
  #fileFailure: unknown;
  #bytes = 0;

  /** More than `maxBytesInMemory` bytes go into a file. */
  constructor(buffers: BufferPool, maxBytesInMemory = MAX_BYTES_IN_MEMORY) {
    this.#buffers = buffers;
    this.#maxBytesInMemory = maxBytesInMemory;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** @throws StoreError when a large body fits neither into a file nor into memory */
  write(chunk: Buffer): void {
    const end = this.#bytes + chunk.length;
    const maxBytes = this.#buffers.shareInUse < 1 ? this.#maxBytesInMemory : Math.min(this.#maxBytesInMemory, MIN_POOLED_BYTES);
    const isSpooled = this.#file !== undefined || (end > maxBytes && !this.#isMemoryOnly);
    if (!isSpooled || !this.#writeToFile(chunk)) {
      if (end > this.#buffer.length) {
        const bytes = Math.max(2 * this.#buffer.length, end, MIN_POOLED_BYTES);
        if (this.#isMemoryOnly) this.#requireRoom(bytes);
        this.#buffer = this.#buffers.enlarge(this.#buffer, bytes);
      }
      chunk.copy(this.#buffer, this.#bytes);
    }
    this.#bytes = end;
  }

  /** A copy of the bytes from `from` up to but excluding `to`. @throws StoreError */
  readBack(from: number, to: number): Buffer {
    const bytes = Buffer.allocUnsafe(to - from);
    if (this.#file === undefined) this.#buffer.copy(bytes, 0, from, to);
    else {
      try {
        readAll(this.#file, bytes, from);
      } catch (cause) {
        throw describeProblem('cannot be read', cause);
      }
    }
    return bytes;
  }

  /** Forgets everything after the first `bytes` bytes. */
  truncate(bytes: number): void {
    this.#bytes = bytes;
  }

  /** Returns the body; in memory it is a buffer of the pool. */
  finish(): Body {
    if (this.#file === undefined) return this.#buffer.subarray(0, this.#bytes);
    const body = new SpooledBody(this.#file, this.#bytes, this.#buffers);
    this.#file = undefined;
    return body;
  }

  discard(): void {
    this.#releaseBuffer();
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    this.#isMemoryOnly = true;
  }

  /** Returns false when the file cannot be written; then everything received is in memory. */
  #writeToFile(chunk: Buffer): boolean {
    let file = this.#file;
    try {
      if (file === undefined) {
        file = openNameless();
        writeAll(file, this.#buffer.subarray(0, this.#bytes), 0);
      }
      writeAll(file, chunk, this.#bytes);
    } catch (error) {
      this.#isMemoryOnly = true;
      this.#fileFailure = error;
      try {
        if (this.#file !== undefined) {
          this.#requireRoom(this.#bytes);
          this.#buffer = readAll(this.#file, this.#buffers.acquire(this.#bytes));
        }
      } finally {
        if (file !== undefined) closeSync(file);
        this.#file = undefined;
      }
      return false;
    }
    this.#releaseBuffer();
    this.#file = file;
    return true;
  }

  #requireRoom(bytes: number): void {
    if (!this.#buffers.hasRoomFor(bytes)) throw describeNoRoom(this.#fileFailure);
  }

  /** Only once: a second release would take the buffer from its next user. */
  #releaseBuffer(): void {
    BufferPool.release(this.#buffer);
    this.#buffer = NOTHING;
  }
}

/** Opens an unlinked file for reading and writing. */
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

function readAll(file: number, into: Buffer, from = 0): Buffer {
  for (let done = 0; done < into.length; ) done += readSync(file, into, done, into.length - done, from + done);
  return into;
}

/** Not transient, so it is counted and shown. The message has no size in it, so that loads that fail for one reason are reported together. */
function describeNoRoom(cause: unknown): StoreError {
  const { code = 'no file' } = (cause ?? {}) as NodeJS.ErrnoException;
  const said = `no room for a large answer: memory for pages is full, and no temporary file can be written in ${tmpdir()} (${code})`;
  return new StoreError(withAdvice(said, describeRemedy()), { retryable: false });
}

export function describeRemedy(folder: string = tmpdir()): string {
  return `make ${ENOUGH_ROOM_MIB} MiB of room in ${folder}, or set TMPDIR to a folder on disk that has it`;
}

/** Creates a StoreError about a temporary file. */
export function describeProblem(what: string, cause?: unknown): StoreError {
  const { code } = (cause ?? {}) as NodeJS.ErrnoException;
  const reason = code === undefined ? '' : ` (${code})`;
  return new StoreError(`the temporary file of a large answer, in ${tmpdir()}, ${what}${reason}`, { retryable: true, cause });
}

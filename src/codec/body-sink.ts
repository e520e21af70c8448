// Where the bytes of a body go as they come: into memory, or into a temporary file when there are many or when the pool of page
// memory is full. So no load ever waits for memory. The file has no name: it is gone when it is closed, also when the process is
// killed.
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, read, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { withAdvice } from '../core/advice.ts';
import { StoreError } from '../core/errors.ts';
import { BufferPool, MIN_POOLED_BYTES } from './buffer-pool.ts';

/** Larger bodies go into a file. Twice as much as a usual page. */
const MAX_BYTES_IN_MEMORY = 1024 * 1024;

/** Free room in the folder of temporary files that lets two loads read their largest answers, of two files each. */
export const ENOUGH_ROOM_MIB = 1024;

const NOTHING = Buffer.alloc(0);

export type Body = Buffer | SpooledBody;

const readAt = promisify(read);
/** Closes files that were forgotten: their bodies are garbage and nobody has closed them. */
const forgotten = new FinalizationRegistry<number>(closeSync);

/** A body that is read piece by piece: in a file, or, where there is no room for files, in memory. */
export class SpooledBody {
  readonly length: number;
  /** Where the memory for what is read comes from. */
  readonly buffers: BufferPool;
  readonly #source: number | Buffer;
  #isClosed: boolean = false;

  constructor(source: number | Buffer, length: number, buffers: BufferPool) {
    this.#source = source;
    this.buffers = buffers;
    this.length = length;
    if (typeof source === 'number') forgotten.register(this, source, this);
  }

  /** The bytes from `from` up to, not including, `to`, in a buffer of the pool. Throws StoreError. */
  async read(from: number, to: number): Promise<Buffer> {
    const bytes = this.buffers.acquire(Math.min(to, this.length) - from);
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
  readonly #buffers: BufferPool;
  readonly #maxBytesInMemory: number;
  #buffer: Buffer = NOTHING;
  #file: number | undefined;
  /** There is no folder for temporary files, or no space in it. */
  #isMemoryOnly: boolean = false;
  #fileFailure: unknown;
  #bytes = 0;

  /** More than `maxBytesInMemory` bytes go into a file. */
  constructor(buffers: BufferPool, maxBytesInMemory = MAX_BYTES_IN_MEMORY) {
    this.#buffers = buffers;
    this.#maxBytesInMemory = maxBytesInMemory;
  }

  /** Bytes that have come. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @throws StoreError when a large body can neither be written to a file nor is there room for it in memory */
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

  /** The body; what is in memory is in the pool. */
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

  /** False when that is not possible; then all that has come is in memory. */
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

  /** Once: a second release would take the buffer from its next user. */
  #releaseBuffer(): void {
    BufferPool.release(this.#buffer);
    this.#buffer = NOTHING;
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

function readAll(file: number, into: Buffer): Buffer {
  for (let done = 0; done < into.length; ) done += readSync(file, into, done, into.length - done, done);
  return into;
}

/** It does not pass by itself, so it is counted and shown. No size is in it: loads that fail for one reason are told of together. */
function describeNoRoom(cause: unknown): StoreError {
  const { code = 'no file' } = (cause ?? {}) as NodeJS.ErrnoException;
  const said = `no room for a large answer: memory for pages is full, and no temporary file can be written in ${tmpdir()} (${code})`;
  return new StoreError(withAdvice(said, describeRemedy()), { retryable: false });
}

export function describeRemedy(folder: string = tmpdir()): string {
  return `make ${ENOUGH_ROOM_MIB} MiB of room in ${folder}, or set TMPDIR to a folder on disk that has it`;
}

/** A StoreError about a temporary file. */
export function describeProblem(what: string, cause?: unknown): StoreError {
  const { code } = (cause ?? {}) as NodeJS.ErrnoException;
  const reason = code === undefined ? '' : ` (${code})`;
  return new StoreError(`the temporary file of a large answer, in ${tmpdir()}, ${what}${reason}`, { retryable: true, cause });
}

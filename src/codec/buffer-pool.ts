// Memory for pages: reused buffers, and a measure of how much is in use. V8 collects its whole heap whenever some megabytes of external
// memory have been discarded: without this pool a page takes 1.8 times the CPU time.
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { KIBIBYTE, MEBIBYTE } from '../core/byte-sizes.ts';

/** Smaller buffers are cheap to allocate and are not counted. */
export const MIN_POOLED_BYTES: number = 64 * KIBIBYTE;
/** Limit for used and free bytes of the pool. More may be in use, but is not kept. */
const MAX_BYTES = 64 * MEBIBYTE;
/** Free buffers are dropped when none has been released for this long. */
const IDLE_MS = 10_000;

const nowhere = closedPort();
function closedPort(): MessagePort {
  const { port1, port2 } = new MessageChannel();
  port2.close();
  return port1;
}

/** Frees memory at once. V8 keeps external garbage for long, which can amount to the size of the pool again. */
const free = (buffer: ArrayBuffer): void => nowhere.postMessage(undefined, [buffer]);

const sizeFor = (bytes: number): number => 2 ** Math.ceil(Math.log2(bytes));

/** Buffers by size, a power of two. A buffer that is never released is garbage-collected. */
export class BufferPool {
  readonly #free = new Map<number, ArrayBuffer[]>();
  /** The pool that each buffer in use belongs to. */
  static readonly #owners: WeakMap<ArrayBufferLike, BufferPool> = new WeakMap();
  readonly #collected = new FinalizationRegistry<number>((size) => {
    this.#bytesInUse -= size;
  });
  #bytesInUse = 0;
  #bytesFree = 0;
  #timer: NodeJS.Timeout | undefined;

  /** The fraction of the limit that is in use: 1 when the pool is full, more when it had to exceed its limit. */
  get shareInUse(): number {
    return this.#bytesInUse / MAX_BYTES;
  }

  /** Whether `bytes` more fit within the limit. */
  hasRoomFor(bytes: number): boolean {
    return this.#bytesInUse + sizeFor(bytes) <= MAX_BYTES;
  }

  /** Returns `bytes` bytes of arbitrary content, at the start of an ArrayBuffer. */
  acquire(bytes: number): Buffer<ArrayBuffer> {
    if (bytes < MIN_POOLED_BYTES || bytes > MAX_BYTES) return Buffer.allocUnsafeSlow(bytes);
    const size = sizeFor(bytes);
    const free = this.#free.get(size)?.pop();
    if (free) this.#bytesFree -= size;
    else if (this.#bytesInUse + this.#bytesFree + size > MAX_BYTES) this.#dropFree();
    const buffer = free ?? Buffer.allocUnsafeSlow(size).buffer;
    BufferPool.#owners.set(buffer, this);
    this.#collected.register(buffer, size, buffer);
    this.#bytesInUse += size;
    return Buffer.from(buffer, 0, bytes);
  }

  /** Replaces a buffer by one that is at least twice as large and has at least `minBytes`, with the same content. */
  enlarge(buffer: Buffer, minBytes: number): Buffer<ArrayBuffer> {
    const larger = this.acquire(Math.max(2 * buffer.length, minBytes));
    buffer.copy(larger);
    BufferPool.release(buffer);
    return larger;
  }

  /**
   * Returns a buffer to its pool; the argument is all or part of it, and must not be used afterwards. Other memory, and what was released
   * before, is ignored.
   */
  static release({ buffer }: ArrayBufferView): void {
    const owner = BufferPool.#owners.get(buffer);
    BufferPool.#owners.delete(buffer);
    if (owner) owner.#takeBack(buffer as ArrayBuffer);
  }

  #takeBack(buffer: ArrayBuffer): void {
    const size = buffer.byteLength;
    this.#collected.unregister(buffer);
    this.#bytesInUse -= size;
    // The size needed last is the most likely to be needed next.
    if (this.#bytesInUse + this.#bytesFree + size > MAX_BYTES) this.#dropFree();
    if (this.#bytesInUse + size > MAX_BYTES) {
      free(buffer);
      return;
    }
    this.#free.set(size, [...(this.#free.get(size) ?? []), buffer]);
    this.#bytesFree += size;
    this.#timer ??= setTimeout(() => this.#dropFree(), IDLE_MS).unref();
    this.#timer.refresh();
  }

  #dropFree(): void {
    for (const buffers of this.#free.values()) buffers.forEach(free);
    this.#free.clear();
    this.#bytesFree = 0;
  }
}

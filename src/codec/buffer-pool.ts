// Memory for pages: buffers that are used again, and the measure of how much of it is in use. V8 walks its whole heap whenever
// some megabytes outside of it have been thrown away: without this pool a page takes 1.8 times the CPU time.
import { MessageChannel, type MessagePort } from 'node:worker_threads';

/** Smaller buffers are cheap to make and are not counted. */
export const MIN_POOLED_BYTES: number = 64 * 1024;
/** Bound on the bytes of the pool, in use and free. More may be in use, but is not kept. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Free buffers are dropped when nobody has released one for so long. */
const IDLE_MS = 10_000;

const nowhere = closedPort();
function closedPort(): MessagePort {
  const { port1, port2 } = new MessageChannel();
  port2.close();
  return port1;
}

/** Gives memory back at once: V8 lets garbage outside of its heap lie for long, which comes to as much again as the pool holds. */
const free = (buffer: ArrayBuffer): void => nowhere.postMessage(undefined, [buffer]);

const sizeFor = (bytes: number): number => 2 ** Math.ceil(Math.log2(bytes));

/** Buffers by their size, a power of two. A buffer that is never released is collected as garbage. */
export class BufferPool {
  readonly #free = new Map<number, ArrayBuffer[]>();
  /** The pool of every buffer in use. */
  static readonly #owners: WeakMap<ArrayBufferLike, BufferPool> = new WeakMap();
  readonly #collected = new FinalizationRegistry<number>((size) => {
    this.#bytesInUse -= size;
  });
  #bytesInUse = 0;
  #bytesFree = 0;
  #timer: NodeJS.Timeout | undefined;

  /** The share of the bound that is in use: 1 when the pool is full, and more when it had to give more than that. */
  get shareInUse(): number {
    return this.#bytesInUse / MAX_BYTES;
  }

  /** Whether `bytes` more can be had within the bound. */
  hasRoomFor(bytes: number): boolean {
    return this.#bytesInUse + sizeFor(bytes) <= MAX_BYTES;
  }

  /** `bytes` bytes of any content, at the start of an ArrayBuffer. */
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

  /** Replaces a buffer by one that has at least `minBytes` and is twice as large, with the same content. */
  enlarge(buffer: Buffer, minBytes: number): Buffer<ArrayBuffer> {
    const larger = this.acquire(Math.max(2 * buffer.length, minBytes));
    buffer.copy(larger);
    BufferPool.release(buffer);
    return larger;
  }

  /**
   * Gives a buffer back to the pool that it is from; the argument is all of it or a part. Nobody may use it any more. Other memory is
   * left alone, and so is what was released before.
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
    // The size that was needed last is needed next.
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

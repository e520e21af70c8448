// Memory for pages on their way, used again. A page takes some megabytes outside V8's heap, and V8 walks all of its heap
// whenever a few of them have been thrown away: a fourth of a worker's time at full speed.

/** Smaller pieces are cheap to make. */
const SMALLEST = 64 * 1024;
/** Larger ones are rare, and too much to keep. */
const LARGEST = 64 * 1024 * 1024;
/** Most bytes that lie unused: two of the largest pages. */
const MAX_KEPT = 64 * 1024 * 1024;
/** What nobody has wanted for so long is let go. */
const IDLE_MS = 10_000;

/** Pieces of memory by their size, a power of two. What is not given back is collected as garbage. */
export class PageMemory {
  readonly #free = new Map<number, ArrayBuffer[]>();
  readonly #lent = new WeakSet<ArrayBufferLike>();
  #kept = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `bytes` bytes of any content, at the start of an ArrayBuffer. */
  take(bytes: number): Buffer<ArrayBuffer> {
    if (bytes < SMALLEST || bytes > LARGEST) return Buffer.allocUnsafeSlow(bytes);
    const size = 2 ** Math.ceil(Math.log2(bytes));
    const kept = this.#free.get(size)?.pop();
    if (kept) this.#kept -= size;
    const memory = kept ?? Buffer.allocUnsafeSlow(size).buffer;
    this.#lent.add(memory);
    return Buffer.from(memory, 0, bytes);
  }

  /**
   * Takes back what `take` has given, of which `bytes` is all or a part. Nobody may read or write it any more. Other memory
   * is left alone, and so is what was given back before.
   */
  giveBack({ buffer }: ArrayBufferView): void {
    if (!this.#lent.delete(buffer)) return;
    // What was wanted last is wanted next: other sizes make room for it.
    for (const [size, pieces] of this.#free) {
      while (size !== buffer.byteLength && this.#kept + buffer.byteLength > MAX_KEPT && pieces.pop()) this.#kept -= size;
    }
    if (this.#kept + buffer.byteLength > MAX_KEPT) return;
    this.#free.set(buffer.byteLength, [...(this.#free.get(buffer.byteLength) ?? []), buffer as ArrayBuffer]);
    this.#kept += buffer.byteLength;
    this.#timer ??= setTimeout(() => this.#letGo(), IDLE_MS).unref();
    this.#timer.refresh();
  }

  #letGo(): void {
    this.#free.clear();
    this.#kept = 0;
  }
}

/** That of this process. */
export const pageMemory: PageMemory = new PageMemory();

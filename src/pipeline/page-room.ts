// Room for pages in memory, shared by all loads of a process: how much of them is held is bounded in bytes, whatever the
// number of loads and the size of their pages. Where pages are small, nobody ever waits here.
import { CancelledError } from '../core/errors.ts';
import { watchAbort } from '../service/abort-watch.ts';
import { insertByRank, type Rank } from './turns.ts';

const MEBIBYTE = 1024 * 1024;
/** What is expected of a first page while no other of its dataset has come. */
const UNKNOWN_BYTES = 4 * MEBIBYTE;

type Wish = Readonly<{ bytes: number; rank: Rank; go: () => void }>;

export class PageRoom {
  readonly #most: number;
  readonly #waiting: Wish[] = [];
  /** Bytes of the last first page, by dataset. */
  readonly #firstPages = new Map<string, number>();
  #held = 0;
  #opened = 0;

  /** `most` bytes; a single page that is larger still passes, alone. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Bytes that are held or reserved. */
  get held(): number {
    return this.#held;
  }

  /** The share of one load, which has none yet. Close it when the load has ended, however that was. */
  openShare(dataset: string): PageShare {
    this.#opened += 1;
    return new PageShare(this, dataset, this.#opened);
  }

  /** Resolves when `bytes` more are held: the most urgent first. Throws CancelledError when `signal` aborts before. */
  take(bytes: number, rank: Rank, signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) return Promise.reject(new CancelledError());
    return new Promise((resolve, reject) => {
      const stopWatching = watchAbort(signal, () => {
        this.#waiting.splice(this.#waiting.indexOf(wish), 1);
        reject(new CancelledError());
        // Others may have waited behind it only.
        this.#admit();
      });
      const go = (): void => {
        stopWatching();
        resolve();
      };
      const wish = { bytes, rank, go };
      insertByRank(this.#waiting, wish);
      this.#admit();
    });
  }

  /** Takes back what was held, or adds what came in addition to what was expected. */
  change(bytes: number): void {
    this.#held += bytes;
    this.#admit();
  }

  expectedOf(dataset: string): number {
    return this.#firstPages.get(dataset) ?? UNKNOWN_BYTES;
  }

  noteFirstPage(dataset: string, bytes: number): void {
    this.#firstPages.set(dataset, bytes);
  }

  /** Nobody overtakes a page for which there is no room yet, or it would never get some. */
  #admit(): void {
    for (let next = this.#waiting[0]; next && (this.#held === 0 || this.#held + next.bytes <= this.#most); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#held += next.bytes;
      next.go();
    }
  }
}

/** What one load holds. It asks for one page at a time. */
export class PageShare {
  readonly #room: PageRoom;
  readonly #dataset: string;
  readonly #number: number;
  #lastPage: number | undefined;
  #reserved = 0;
  #held = 0;

  constructor(room: PageRoom, dataset: string, number: number) {
    this.#room = room;
    this.#dataset = dataset;
    this.#number = number;
  }

  /**
   * Waits for room for the next page, as large as the one before. Loads with less `priority` wait for this one, and so do
   * younger ones with as much. Throws CancelledError when `signal` aborts.
   */
  async reserve(priority: number, signal: AbortSignal | undefined): Promise<void> {
    const bytes = this.#lastPage ?? this.#room.expectedOf(this.#dataset);
    await this.#room.take(bytes, [priority, this.#number], signal);
    this.#reserved = bytes;
  }

  /** The page has come, and is so large. */
  fill(bytes: number): void {
    if (this.#lastPage === undefined) this.#room.noteFirstPage(this.#dataset, bytes);
    this.#lastPage = bytes;
    this.#room.change(bytes - this.#reserved);
    this.#reserved = 0;
    this.#held += bytes;
  }

  /** A page of so many bytes is gone from memory. */
  giveBack(bytes: number): void {
    this.#held -= bytes;
    this.#room.change(-bytes);
  }

  /** Gives everything back. */
  close(): void {
    const all = this.#held + this.#reserved;
    this.#held = 0;
    this.#reserved = 0;
    this.#room.change(-all);
  }
}

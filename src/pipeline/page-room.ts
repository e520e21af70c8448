// Room for pages in memory: how much of them a process holds is bounded in bytes, whatever the number of loads and the size of
// their pages. Where pages are small, nobody ever waits here.

import { areSpooled, memoryOf, type PageRows, type SpooledRows } from '../codec/page-rows.ts';
import { CancelledError } from '../core/errors.ts';
import { watchAbort } from '../service/abort-watch.ts';
import { insertByRank, type Rank } from './priority-turns.ts';

const MEBIBYTE = 1024 * 1024;
/** Of a process: some seventy pages of usual size. */
const MAX_BYTES = 32 * MEBIBYTE;
/** Of a connection, however many there are: with less its calls would wait for one another. */
const LEAST_BYTES = 8 * MEBIBYTE;
/** What is expected of a load's first page. Polls ask for as much, most of which bring no page. */
const FIRST_PAGE_BYTES = 2 * MEBIBYTE;

type Wish = Readonly<{ bytes: number; job: string; rank: Rank; go: () => void }>;

/**
 * One room for each connection, all of the same size: while calls wait for a grant or for a service that hangs, their pages'
 * places are taken, and other services have nothing to do with that.
 */
export function createRooms(connections: Iterable<string>): ReadonlyMap<string, PageRoom> {
  const names = [...connections];
  return new Map(names.map((name) => [name, new PageRoom(Math.max(LEAST_BYTES, MAX_BYTES / names.length))]));
}

/** Shared by all loads of a connection. */
export class PageRoom {
  readonly #most: number;
  readonly #waiting: Wish[] = [];
  readonly #heldByJob = new Map<string, number>();
  #held = 0;
  #opened = 0;

  /**
   * `most` bytes; a single page that is larger still passes, alone. As much again is for jobs that hold nothing, so that one whose
   * answers hang keeps no other waiting.
   */
  constructor(most: number) {
    this.#most = most;
  }

  /** Bytes for all loads. */
  get most(): number {
    return this.#most;
  }

  /** Bytes that are held or reserved. */
  get held(): number {
    return this.#held;
  }

  /** The share of one load of a job, which has none yet. Close it when the load has ended, however that was. */
  openShare(job: string): PageShare {
    this.#opened += 1;
    return new PageShare(this, job, this.#opened);
  }

  /** Resolves when a job holds `bytes` more: the most urgent first. Throws CancelledError when `signal` aborts before. */
  take(bytes: number, job: string, rank: Rank, signal: AbortSignal | undefined): Promise<void> {
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
      const wish = { bytes, job, rank, go };
      insertByRank(this.#waiting, wish);
      this.#admit();
    });
  }

  /** Takes back what was held, or adds what came in addition to what was expected. */
  change(bytes: number, job: string): void {
    this.#add(bytes, job);
    this.#admit();
  }

  #add(bytes: number, job: string): void {
    this.#held += bytes;
    const held = (this.#heldByJob.get(job) ?? 0) + bytes;
    if (held === 0) this.#heldByJob.delete(job);
    else this.#heldByJob.set(job, held);
  }

  /**
   * Nobody overtakes a page for which there is no room yet, or it would never get some; but for jobs that hold nothing, which
   * only wait for one another.
   */
  #admit(): void {
    const blocked = new Set<number>();
    for (const wish of [...this.#waiting]) {
      const limit = this.#heldByJob.has(wish.job) ? this.#most : 2 * this.#most;
      if (blocked.has(limit) || (this.#held > 0 && this.#held + wish.bytes > limit)) {
        blocked.add(limit);
        continue;
      }
      this.#waiting.splice(this.#waiting.indexOf(wish), 1);
      this.#add(wish.bytes, wish.job);
      wish.go();
    }
  }
}

/** What one load holds. It asks for one page at a time. */
export class PageShare {
  readonly #room: PageRoom;
  readonly #job: string;
  readonly #number: number;
  #lastPage = FIRST_PAGE_BYTES;
  #reserved = 0;
  #held = 0;
  #spooled: SpooledRows[] = [];

  constructor(room: PageRoom, job: string, number: number) {
    this.#room = room;
    this.#job = job;
    this.#number = number;
  }

  /** Bytes of the room that it is a share of. */
  get most(): number {
    return this.#room.most;
  }

  /**
   * Waits for room for the next page, as large as the one before. Loads with less `priority` wait for this one, and so do
   * younger ones with as much. Throws CancelledError when `signal` aborts.
   */
  async reserve(priority: number, signal: AbortSignal | undefined): Promise<void> {
    const bytes = this.#lastPage;
    await this.#room.take(bytes, this.#job, [priority, this.#number], signal);
    this.#reserved = bytes;
  }

  /** The page has come. */
  fill(page: Readonly<{ rows: PageRows | SpooledRows; bytes: number }>): void {
    const bytes = memoryOf(page);
    if (areSpooled(page.rows)) this.#spooled.push(page.rows);
    this.#lastPage = bytes;
    this.#room.change(bytes - this.#reserved, this.#job);
    this.#reserved = 0;
    this.#held += bytes;
  }

  /** So much of its pages is gone from memory. */
  giveBack(bytes: number): void {
    this.#held -= bytes;
    this.#room.change(-bytes, this.#job);
  }

  /** Gives everything back, and closes the files of its pages; nobody reads them any more. */
  close(): void {
    for (const rows of this.#spooled) rows.close();
    this.#spooled = [];
    const all = this.#held + this.#reserved;
    this.#held = 0;
    this.#reserved = 0;
    this.#room.change(-all, this.#job);
  }
}

// The places for work in this process: some for each connection, so that one whose service hangs takes none of another's; and
// among the jobs of a connection none gets all of them, so that one whose answers hang keeps no other waiting.

/** Names a piece of work: by its connection, by its job, which is empty where it has none, and among those of its job. */
export type WorkName = Readonly<{ connection: string; job: string; key: number | string }>;

/** `run` never rejects. Lower `priority` goes first. */
export type Work = WorkName & Readonly<{ priority: number; run: () => Promise<void> }>;

export type PlacesOptions = Readonly<{
  /** Places of one connection. */
  each: number;
  /** Whether several jobs have a claim to the places of a connection; a single one may take all. */
  isShared?: (connection: string) => boolean;
}>;

/**
 * Most works of one job that wait here; the reconciler rings again for what else is due. A connection's reads, 5000 a minute, allow
 * fewer between two of its rounds.
 */
const MAX_WAITING = 500;

type Line = { held: number; readonly waiting: Map<Work['key'], Work & Readonly<{ number: number }>> };
type Jobs = Map<string, Line>;

export class Places {
  readonly #each: number;
  readonly #isShared: (connection: string) => boolean;
  /** By connection, then by job; only jobs with work. */
  readonly #connections = new Map<string, Jobs>();
  #arrivals = 0;

  constructor({ each, isShared = () => false }: PlacesOptions) {
    this.#each = each;
    this.#isShared = isShared;
  }

  /**
   * Runs the work in a place, and in the same one whatever may go when that has ended. When no place is free the work waits here, and
   * this returns at once.
   */
  async use(work: Work): Promise<void> {
    const { connection } = work;
    const jobs = this.#connections.get(connection) ?? new Map<string, Line>();
    this.#connections.set(connection, jobs);
    const line = jobs.get(work.job) ?? { held: 0, waiting: new Map() };
    jobs.set(work.job, line);
    if (!this.#mayGo(connection, line)) {
      const isKnown = line.waiting.has(work.key);
      if (!isKnown && line.waiting.size < MAX_WAITING) line.waiting.set(work.key, { ...work, number: this.#arrivals++ });
      return;
    }
    for (let next: Work | undefined = work; next; next = this.#findNext(connection)) await this.#run(jobs, next);
  }

  /** Whether the work waits here for a place, so that nobody need ring for it. */
  isWaiting({ connection, job, key }: WorkName): boolean {
    const line = this.#connections.get(connection)?.get(job);
    return line ? line.waiting.has(key) && !this.#mayGo(connection, line) : false;
  }

  async #run(jobs: Jobs, { job, key, run }: Work): Promise<void> {
    const line = jobs.get(job) ?? { held: 0, waiting: new Map() };
    jobs.set(job, line);
    line.waiting.delete(key);
    line.held += 1;
    try {
      await run();
    } finally {
      line.held -= 1;
      if (line.held === 0 && line.waiting.size === 0) jobs.delete(job);
    }
  }

  /**
   * A job gets a place only while more are free than it has: half of them at the most. However many jobs hang, each leaves half of
   * what is free to the others.
   */
  #mayGo(connection: string, { held }: Line): boolean {
    let free = this.#each;
    for (const line of this.#connections.get(connection)?.values() ?? []) free -= line.held;
    return free > (this.#isShared(connection) ? held : 0);
  }

  /** The most urgent of those that may go; among equals the one that came first. */
  #findNext(connection: string): Work | undefined {
    let first: (Work & Readonly<{ number: number }>) | undefined;
    for (const line of this.#connections.get(connection)?.values() ?? []) {
      if (line.waiting.size === 0 || !this.#mayGo(connection, line)) continue;
      for (const work of line.waiting.values()) {
        const isBefore = !first || work.priority < first.priority || (work.priority === first.priority && work.number < first.number);
        if (isBefore) first = work;
      }
    }
    return first;
  }
}

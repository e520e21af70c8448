// Limits what a process does at once. Each connection has its own slots, so that a service that hangs uses up none of another's. No job
// gets all slots of its connection, so that a job whose answers hang does not block the others.

/** Names a piece of work by its connection, its job (empty where it has none) and its own name within the job. */
export type WorkName = Readonly<{ connection: string; job: string; key: number | string }>;

/** `run` never rejects. Lower `priority` goes first. */
export type Work = WorkName & Readonly<{ priority: number; run: () => Promise<void> }>;

export type SlotOptions = Readonly<{
  slotsPerConnection: number;
  /** Whether several jobs share the slots of a connection; a single job may take all. */
  isShared?: (connection: string) => boolean;
}>;

/**
 * Maximum waiting steps per job. The reconciler rings for the rest every 5 s, in which 5,000 reads a minute allow 417.
 */
const MAX_WAITING = 500;

type WaitingWork = Work & Readonly<{ number: number }>;
/** The slots a job holds, and its work that waits for more. */
type JobSlots = { held: number; readonly waiting: Map<Work['key'], WaitingWork> };

export class ConcurrencySlots {
  readonly #slotsPerConnection: number;
  readonly #isShared: (connection: string) => boolean;
  /** By connection, then by job; holds only jobs with work. */
  readonly #connections = new Map<string, Map<string, JobSlots>>();
  #arrivals = 0;

  constructor({ slotsPerConnection, isShared = () => false }: SlotOptions) {
    this.#slotsPerConnection = slotsPerConnection;
    this.#isShared = isShared;
  }

  /**
   * Runs the work in a slot. When it ends, the same slot runs the next waiting work. When no slot is free, the work is queued here and
   * this returns at once.
   */
  async use(work: Work): Promise<void> {
    const slots = this.#slotsOf(work);
    if (!this.#mayGo(work.connection, slots)) {
      const isKnown = slots.waiting.has(work.key);
      if (!isKnown && slots.waiting.size < MAX_WAITING) slots.waiting.set(work.key, { ...work, number: this.#arrivals++ });
      return;
    }
    for (let next: Work | undefined = work; next; next = this.#findNext(work.connection)) await this.#run(next);
  }

  /** Whether the work waits here for a slot, so that no bell is needed for it. */
  isWaiting({ connection, job, key }: WorkName): boolean {
    const slots = this.#connections.get(connection)?.get(job);
    return slots ? slots.waiting.has(key) && !this.#mayGo(connection, slots) : false;
  }

  async #run(work: Work): Promise<void> {
    const slots = this.#slotsOf(work);
    slots.waiting.delete(work.key);
    slots.held += 1;
    try {
      await work.run();
    } finally {
      slots.held -= 1;
      if (slots.held === 0 && slots.waiting.size === 0) this.#connections.get(work.connection)?.delete(work.job);
    }
  }

  #slotsOf({ connection, job }: WorkName): JobSlots {
    const jobs = this.#connections.get(connection) ?? new Map<string, JobSlots>();
    const slots = jobs.get(job) ?? { held: 0, waiting: new Map() };
    this.#connections.set(connection, jobs.set(job, slots));
    return slots;
  }

  /**
   * A job gets a slot only while more slots are free than it holds, so at most half of them. However many jobs hang, each leaves half of
   * the free slots to the others.
   */
  #mayGo(connection: string, { held }: JobSlots): boolean {
    let free = this.#slotsPerConnection;
    for (const slots of this.#connections.get(connection)?.values() ?? []) free -= slots.held;
    return free > (this.#isShared(connection) ? held : 0);
  }

  /** The most urgent work that may run now; among equals the one that arrived first. */
  #findNext(connection: string): Work | undefined {
    let first: WaitingWork | undefined;
    for (const slots of this.#connections.get(connection)?.values() ?? []) {
      if (slots.waiting.size === 0 || !this.#mayGo(connection, slots)) continue;
      for (const work of slots.waiting.values()) {
        const isBefore = !first || work.priority < first.priority || (work.priority === first.priority && work.number < first.number);
        if (isBefore) first = work;
      }
    }
    return first;
  }
}

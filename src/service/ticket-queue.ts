// Bottleneck as Searchmill uses it: it queues tickets by priority, lets as many be served at once as there are places,
// and none without a unit of its reservoir, which starts empty and is filled only by what the ledger granted.
//
// Read in Bottleneck 2.19.5's source and tried: a unit is spent when a job starts and never comes back, however the job
// ends; raising the reservoir, ending a job and queueing one all look for a job to start, one at a time, so no wake-up
// is lost; the most urgent job is chosen at that moment, not when it was queued.
import Bottleneck from 'bottleneck';
import { PRIORITIES } from './call-lines.ts';

export class TicketQueue {
  readonly #bottleneck: Bottleneck;
  readonly #serve: (priority: number) => Promise<void>;
  readonly #onDefect: (error: unknown) => void;
  /** Tickets that stand in the queue, by priority. */
  readonly #standing: number[] = new Array<number>(PRIORITIES).fill(0);

  /** `serve` is called for each ticket when its turn comes and must not reject; a place is taken until it resolves. */
  constructor(maxConcurrent: number, serve: (priority: number) => Promise<void>, onDefect: (error: unknown) => void) {
    this.#bottleneck = new Bottleneck({ maxConcurrent, reservoir: 0 });
    this.#serve = serve;
    this.#onDefect = onDefect;
    this.#bottleneck.on('error', onDefect);
  }

  /** Sees to it that at least `count` tickets of a priority stand in the queue. */
  keepStanding(priority: number, count: number): void {
    while (this.#standingOf(priority) < count) this.#issue(priority);
  }

  /**
   * Lets `count` more tickets be served, or fewer when negative. It takes effect a moment later, so a ticket may still be
   * served against a unit that is being withdrawn.
   */
  admit(count: number): void {
    this.#bottleneck.incrementReservoir(count).catch(this.#onDefect);
  }

  #issue(priority: number): void {
    this.#standing[priority] = this.#standingOf(priority) + 1;
    const serve = (): Promise<void> => {
      this.#standing[priority] = this.#standingOf(priority) - 1;
      return this.#serve(priority);
    };
    this.#bottleneck.schedule({ priority }, serve).catch(this.#onDefect);
  }

  #standingOf(priority: number): number {
    return this.#standing[priority] ?? 0;
  }
}

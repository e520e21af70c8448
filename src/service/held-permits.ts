// The permits of one budget and kind that this process holds. A permit is a slot of the ledger's sliding log. It is valid for
// PERMIT_VALID_MS; after that the slot is given back.
import { type Clock, MINUTE, SECOND } from '../core/clock.ts';
import { ARRIVAL_MS, type CallKind, PERMIT_VALID_MS } from '../core/limits.ts';
import type { Slot } from './budget.ts';
import type { NumberedSlots, SlotSource } from './pause-watch.ts';
import type { Permit } from './permit.ts';

/** Maximum permits taken at once: more would go stale before they are used. */
const MAX_BATCH = 10;

export type HeldPermit = Pick<Permit, 'isFresh' | 'pauseNumber'> &
  Readonly<{
    askedAtMs: number;
    /** Taken before there was a call for it. */
    isAhead: boolean;
    slot: Slot | undefined;
  }>;

export type HeldPermitsOptions = Readonly<{
  kind: CallKind;
  source: SlotSource;
  clock: Clock;
  /** Monotonic clock in milliseconds: the wall clock may be set back while a permit ages. */
  monotonicMs: () => number;
}>;

export class HeldPermits {
  readonly #options: HeldPermitsOptions;
  readonly #onStale: () => void;
  /** Oldest first. */
  #permits: HeldPermit[] = [];
  #staleTimer: NodeJS.Timeout | undefined;

  /** `onStale` is called when unused permits have gone stale; it must drop them. */
  constructor(options: HeldPermitsOptions, onStale: () => void) {
    this.#options = options;
    this.#onStale = onStale;
  }

  get count(): number {
    return this.#permits.length;
  }

  use(): HeldPermit | undefined {
    return this.#permits.shift();
  }

  /** Asks the ledger for `now` waiting calls and `ahead` future ones that will come while their permits are fresh. Throws as `takeSlots` does. */
  async ask(now: number, ahead: number): Promise<NumberedSlots> {
    const { kind, source, clock, monotonicMs } = this.#options;
    const askedAtMs = monotonicMs();
    const askedAtWallMs = clock.now().getTime();
    // Checks both clocks: the monotonic one may stand still while the machine is suspended.
    const isFresh = (): boolean => monotonicMs() - askedAtMs <= PERMIT_VALID_MS && clock.now().getTime() - askedAtWallMs <= PERMIT_VALID_MS;
    const answer = await source.takeSlots(kind, Math.min(MAX_BATCH, now + ahead));
    const { taken, slots, pauseNumber } = answer;
    for (let at = 0; at < taken; at++) this.#permits.push({ isFresh, pauseNumber, askedAtMs, isAhead: at >= now, slot: slots?.[at] });
    return answer;
  }

  /** Gives stale permits back, and returns them. */
  dropStale(): HeldPermit[] {
    const stale = this.#permits.filter(({ isFresh }) => !isFresh());
    this.#permits = this.#permits.filter((permit) => !stale.includes(permit));
    this.giveBack(stale);
    if (this.#permits.length > 0) {
      this.#staleTimer ??= setTimeout(() => {
        this.#staleTimer = undefined;
        this.#onStale();
      }, PERMIT_VALID_MS + 1).unref();
    }
    return stale;
  }

  /** Gives unused permits back to the ledger. If it cannot be reached now, those calls are lost for a minute. */
  giveBack(permits: readonly HeldPermit[]): void {
    const { kind, source } = this.#options;
    const slots = permits.flatMap(({ slot }) => slot ?? []);
    if (slots.length > 0) source.returnSlots(kind, slots).catch(() => undefined);
  }

  /** Makes a call that arrived late count from its arrival. Retried each second for a minute at most; by then others may have the slot. */
  renewIfLate({ slot, askedAtMs }: HeldPermit): void {
    const { kind, source, monotonicMs } = this.#options;
    const ageMs = (): number => monotonicMs() - askedAtMs;
    if (!slot || ageMs() <= ARRIVAL_MS) return;
    const tell = (): void => {
      source.renewSlots(kind, [slot]).catch(() => {
        if (ageMs() < MINUTE) setTimeout(tell, SECOND).unref();
      });
    };
    tell();
  }
}

// Bounds what asking ahead may cost. A grant that was asked for ahead of its call and went stale is a call of the
// allowed rate that nobody made; where pages are written more slowly than grants age, that could be every second one.
import { SECOND } from '../core/clock.ts';

/** Losses that may come together before asking ahead stops, as when the whole process was held up: one for every place. */
const MAX_CREDIT = 32;
/** Credit that a used grant earns: one loss in a hundred calls is worth it. */
const EARNED_BY_USE = 0.01;
/** Time that earns the credit of one loss, in milliseconds: asking ahead is tried again after it stopped. */
const MS_PER_CREDIT = 12 * SECOND;

export class AdvanceCredit {
  readonly #monotonicMs: () => number;
  #credit = MAX_CREDIT;
  #countedAtMs: number;

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
    this.#countedAtMs = monotonicMs();
  }

  /** How many grants may be asked ahead, if all of them and those in hand were lost. */
  get available(): number {
    const nowMs = this.#monotonicMs();
    this.#earn((nowMs - this.#countedAtMs) / MS_PER_CREDIT);
    this.#countedAtMs = nowMs;
    return Math.max(0, Math.floor(this.#credit));
  }

  noteUsed(): void {
    this.#earn(EARNED_BY_USE);
  }

  noteLost(): void {
    this.#credit -= 1;
  }

  #earn(credit: number): void {
    this.#credit = Math.min(MAX_CREDIT, this.#credit + credit);
  }
}

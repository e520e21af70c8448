// When a rule applies. Calls are counted separately for each rule, operation and kind of call, so that faults of one dataset do not depend on
// how calls of others are interleaved, and a seed reproduces them.

import type { Call } from '../protocol/observations.ts';
import { hashText, mix, share } from '../world/hash.ts';
import { callsOf, type FaultPlan, type Rule } from './plan.ts';

/** A call as a rule sees it. `execution`: its number within its operation, if it has one. */
export type CallSeen = Readonly<{ operation: string; call: Call; execution: number | undefined }>;

type Count = { calls: number; hits: number };

export class Trigger {
  readonly rule: Rule;
  /** Seeds the random choices: different for each seed and rule. */
  readonly key: number;
  /** How often it applied. */
  hits = 0;
  readonly #calls: readonly Call[];
  readonly #startedAtMs: number;
  readonly #counts = new Map<string, Count>();

  /** `index` is the rule's place in the plan, `startedAtMs` when the plan was set. */
  constructor({ seed, rules }: FaultPlan, index: number, startedAtMs: number) {
    const rule = rules[index];
    if (!rule) throw new RangeError(`there is no rule ${index}`);
    this.rule = rule;
    this.#calls = callsOf(rule);
    this.#startedAtMs = startedAtMs;
    this.key = mix(mix(0xfa, seed), index);
  }

  /** Counts the call if the rule concerns it, and returns whether the rule applies. A call that `isTaken` by another fault is only counted. */
  meets(seen: CallSeen, nowMs: number, isTaken = false): boolean {
    if (!this.isAbout(seen) || !this.isTime(nowMs)) return false;
    const { when } = this.rule;
    const counter = `${seen.operation} ${seen.call}`;
    const count = this.#counts.get(counter) ?? { calls: 0, hits: 0 };
    this.#counts.set(counter, count);
    count.calls++;
    if (isTaken || count.hits >= (when.times ?? Number.POSITIVE_INFINITY)) return false;
    if (when.nth !== undefined && count.calls !== when.nth) return false;
    if (when.every !== undefined && count.calls % when.every !== 0) return false;
    if (when.probability !== undefined && share(mix(mix(this.key, hashText(counter)), count.calls)) >= when.probability) return false;
    count.hits++;
    this.hits++;
    return true;
  }

  isAbout({ operation, call, execution }: CallSeen): boolean {
    const { on } = this.rule;
    if (on.operation !== 'any' && on.operation !== operation) return false;
    return this.#calls.includes(call) && (on.execution === undefined || on.execution === execution);
  }

  isTime(nowMs: number): boolean {
    const elapsedMs = nowMs - this.#startedAtMs;
    const { after_ms: afterMs, until_ms: untilMs = Number.POSITIVE_INFINITY } = this.rule.when;
    return elapsedMs >= afterMs && elapsedMs < untilMs;
  }
}

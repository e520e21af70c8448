// A fault plan at work: its rules with their counts, and what lasts for a while once it has begun.
import type { Exchange } from '../protocol/exchange.ts';
import type { Execution } from '../protocol/executions.ts';
import { mix } from '../world/hash.ts';
import { type FaultOfStage, isOfStage, type Stage } from './fault.ts';
import { type FaultPlan, isStanding } from './plan.ts';
import { type CallSeen, Trigger } from './trigger.ts';

/** Until an instant, and for so many more calls. */
type Spell = { readonly untilMs: number; callsLeft: number };

/** A fault that was met. `key` decides the chance inside it: the same when the plan runs again. */
export type Met<F> = Readonly<{ fault: F; key: number }>;

const FOR_EVER = Number.POSITIVE_INFINITY;

export class PlanRun {
  readonly plan: FaultPlan;
  readonly startedAt: Date;
  readonly #triggers: readonly Trigger[];
  /** Executions submitted while the plan is set: how many of each operation, and the number of each. */
  readonly #submitted = new Map<string, number>();
  readonly #numbers = new WeakMap<Execution, number>();
  /** Storms that have begun, and when each is over. */
  readonly #storms = new Map<Trigger, number>();
  /** Credentials that are refused, by name. */
  readonly #refused = new Map<string, Spell>();
  /** For how many polls an execution will still be in progress. */
  readonly #stuck = new WeakMap<Execution, number>();

  constructor(plan: FaultPlan, startedAt: Date) {
    this.plan = plan;
    this.startedAt = startedAt;
    this.#triggers = plan.rules.map((_, index) => new Trigger(plan, index, startedAt.getTime()));
  }

  get ruleHits(): number[] {
    return this.#triggers.map(({ hits }) => hits);
  }

  /** Gives the execution the next number of its operation. */
  noteSubmitted(execution: Execution): void {
    const { name } = execution.query.dataset;
    const number = this.#numberOfNext(name);
    this.#submitted.set(name, number);
    this.#numbers.set(execution, number);
  }

  /** The fault a call meets at the gateway, or will meet on the way back: at most one. */
  meetCall(exchange: Exchange, execution: Execution | undefined): FaultOfStage<'gateway' | 'delivery'> | undefined {
    const seen = this.#see(exchange, execution);
    const credential = exchange.credential?.name ?? '';
    const nowMs = exchange.receivedAt.getTime();
    let met = this.#lasting(seen, credential, nowMs);
    for (const trigger of this.#triggers) {
      const { fault } = trigger.rule;
      if (!isOfStage(fault, 'gateway') && !isOfStage(fault, 'delivery')) continue;
      if (!trigger.meets(seen, nowMs, met !== undefined)) continue;
      met = fault;
      if (fault.kind === 'storm') this.#storms.set(trigger, nowMs + fault.for_ms);
      if (fault.kind === 'unauthorized') this.#refused.set(credential, spellOf(fault, nowMs));
    }
    if (met) exchange.faults.push(met.kind);
    return met;
  }

  /** The faults met at a later stage, in the order of the plan; after `most` of them, others only count. */
  meet<S extends Stage>(stage: S, exchange: Exchange, execution: Execution | undefined, most = FOR_EVER): Met<FaultOfStage<S>>[] {
    const seen = this.#see(exchange, execution);
    const met: Met<FaultOfStage<S>>[] = [];
    for (const trigger of this.#triggers) {
      const { fault } = trigger.rule;
      if (!isOfStage(fault, stage) || !trigger.meets(seen, exchange.receivedAt.getTime(), met.length >= most)) continue;
      met.push({ fault, key: mix(trigger.key, seen.execution ?? 0) });
    }
    exchange.faults.push(...met.map(({ fault }) => fault.kind));
    return met;
  }

  /** The faults of a stage that every submit of an operation meets now. Counts nothing. */
  standing<S extends Stage>(stage: S, operation: string, now: Date): FaultOfStage<S>[] {
    return this.#triggers.flatMap((trigger) => {
      const { rule } = trigger;
      const { fault } = rule;
      const isMet =
        isStanding(rule) && trigger.isAbout({ operation, call: 'submit', execution: undefined }) && trigger.isTime(now.getTime());
      return isMet && isOfStage(fault, stage) ? [fault] : [];
    });
  }

  /** Keeps an execution in progress for that many polls. */
  stick(execution: Execution, polls: number = FOR_EVER): void {
    this.#stuck.set(execution, polls);
  }

  /** Whether a poll of the execution still finds it in progress. Takes that poll. */
  takeStuckPoll(execution: Execution): boolean {
    const polls = this.#stuck.get(execution) ?? 0;
    if (polls > 0) this.#stuck.set(execution, polls - 1);
    return polls > 0;
  }

  /** A submit has the number that its execution will have if it is accepted. */
  #see({ dataset: { name: operation }, call }: Exchange, execution: Execution | undefined): CallSeen {
    if (!call) throw new Error('faults come after the call was read');
    const isNew = call === 'submit' && execution === undefined;
    return { operation, call, execution: isNew ? this.#numberOfNext(operation) : execution && this.#numbers.get(execution) };
  }

  #numberOfNext(operation: string): number {
    return (this.#submitted.get(operation) ?? 0) + 1;
  }

  /** What began earlier and is not over. */
  #lasting(seen: CallSeen, credential: string, nowMs: number): FaultOfStage<'gateway' | 'delivery'> | undefined {
    const spell = this.#refused.get(credential);
    if (spell && spell.callsLeft > 0 && nowMs < spell.untilMs) {
      spell.callsLeft--;
      return { kind: 'unauthorized' };
    }
    for (const [trigger, untilMs] of this.#storms) {
      const { fault } = trigger.rule;
      if (nowMs < untilMs && trigger.isAbout(seen) && isOfStage(fault, 'gateway')) return fault;
    }
    return undefined;
  }
}

/** The call that brings it on is the first of them. */
function spellOf({ for_ms: forMs, calls }: FaultOfStage<'gateway'> & { kind: 'unauthorized' }, nowMs: number): Spell {
  if (forMs !== undefined) return { untilMs: nowMs + forMs, callsLeft: FOR_EVER };
  return { untilMs: FOR_EVER, callsLeft: (calls ?? 1) - 1 };
}

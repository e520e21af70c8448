// A running fault plan: its rules with their counts, and faults that last for a while after they begin.
import type { Exchange } from '../protocol/exchange.ts';
import type { Execution } from '../protocol/executions.ts';
import { mix } from '../world/hash.ts';
import { type FaultOf, type FaultOfStage, isOfStage, type Stage } from './fault.ts';
import { type FaultPlan, isStanding } from './plan.ts';
import { type CallSeen, Trigger } from './trigger.ts';

/** A fault that lasts until a time, and for a number of further calls. */
type Spell = { readonly fault: FaultOf<'storm' | 'unauthorized'>; readonly untilMs: number; callsLeft: number };

/** A fault that occurred. `key` determines its random choices, which are the same when the plan runs again. */
export type Met<F> = Readonly<{ fault: F; key: number }>;

const FOR_EVER = Number.POSITIVE_INFINITY;

export class PlanRun {
  readonly plan: FaultPlan;
  readonly #triggers: readonly Trigger[];
  /** Executions submitted under this plan: the count per operation, and the number of each. */
  readonly #submitted = new Map<string, number>();
  readonly #numbers = new WeakMap<Execution, number>();
  /** Temporary faults for all calls of a credential, by its name. */
  readonly #spells = new Map<string, Spell>();
  /** For how many more polls an execution stays in progress. */
  readonly #stuck = new WeakMap<Execution, number>();

  constructor(plan: FaultPlan, startedAt: Date) {
    this.plan = plan;
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

  /** The fault that a call meets at the gateway, or on the way back: at most one. */
  meetCall(exchange: Exchange, execution: Execution | undefined): FaultOfStage<'gateway' | 'delivery'> | undefined {
    const seen = this.#see(exchange, execution);
    const credential = exchange.credential?.name ?? '';
    const nowMs = exchange.receivedAt.getTime();
    let met: FaultOfStage<'gateway' | 'delivery'> | undefined = this.#takeSpell(credential, nowMs);
    for (const trigger of this.#triggers) {
      const { fault } = trigger.rule;
      if (!isOfStage(fault, 'gateway') && !isOfStage(fault, 'delivery')) continue;
      if (!trigger.meets(seen, nowMs, met !== undefined)) continue;
      met = fault;
      if (fault.kind === 'storm' || fault.kind === 'unauthorized') this.#spells.set(credential, spellOf(fault, nowMs));
    }
    if (met) exchange.faults.push(met.kind);
    return met;
  }

  /** The faults met at a later stage, in the order of the plan; after `most` of them, further rules are only counted. */
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

  /** The faults of a stage that every submit of an operation meets now. Does not count. */
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

  /** Whether a poll of the execution still finds it in progress. Uses up one such poll. */
  takeStuckPoll(execution: Execution): boolean {
    const polls = this.#stuck.get(execution) ?? 0;
    if (polls > 0) this.#stuck.set(execution, polls - 1);
    return polls > 0;
  }

  /** A submit gets the number that its execution will have if it is accepted. */
  #see({ dataset: { name: operation }, call }: Exchange, execution: Execution | undefined): CallSeen {
    if (!call) throw new Error('faults come after the call was read');
    const isNew = call === 'submit' && execution === undefined;
    return { operation, call, execution: isNew ? this.#numberOfNext(operation) : execution && this.#numbers.get(execution) };
  }

  #numberOfNext(operation: string): number {
    return (this.#submitted.get(operation) ?? 0) + 1;
  }

  /** The temporary fault of the credential, if it has not ended. Uses up one of its calls. */
  #takeSpell(credential: string, nowMs: number): Spell['fault'] | undefined {
    const spell = this.#spells.get(credential);
    if (!spell || spell.callsLeft === 0 || nowMs >= spell.untilMs) return undefined;
    spell.callsLeft--;
    return spell.fault;
  }
}

/** The call that starts it is the first of its calls. */
function spellOf(fault: Spell['fault'], nowMs: number): Spell {
  if (fault.for_ms !== undefined) return { fault, untilMs: nowMs + fault.for_ms, callsLeft: FOR_EVER };
  return { fault, untilMs: FOR_EVER, callsLeft: (fault.kind === 'unauthorized' ? (fault.calls ?? 1) : 1) - 1 };
}

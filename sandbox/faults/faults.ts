// Runs each call through to its answer and applies the faults of the plan and of demands. While there are none, it is not called.
// docs/sandbox.md, "Faults", is the reference.
import type { WireRow } from '../../src/service/wire.ts';
import { answerBy, type Exchange, passThrough, type Step } from '../protocol/exchange.ts';
import type { Execution } from '../protocol/executions.ts';
import type { Query, Revision } from '../queries/query.ts';
import { Alterations, type AlterationTools } from './alterations.ts';
import { flawOfExecution, soundRows } from './content.ts';
import { arrivesWhole, type Delivery, spoil, statusSent } from './delivery.ts';
import { Demands } from './demands.ts';
import { refuseId } from './endings.ts';
import { type FaultOfStage, isOfStage } from './fault.ts';
import { type FaultReport, Journal } from './journal.ts';
import type { FaultPlan } from './plan.ts';
import { PlanRun } from './plan-run.ts';
import { refuseBy, refuseCredential } from './refusals.ts';

export class Faults {
  /** Whether there is or was anything to do: faults that have begun may outlast their plan. */
  isOn: boolean = false;
  readonly #tools: AlterationTools;
  readonly #journal = new Journal();
  readonly #alterations: Alterations;
  readonly #demands = new Demands();
  #run: PlanRun | undefined;

  constructor(tools: AlterationTools) {
    this.#tools = tools;
    this.#alterations = new Alterations(tools);
  }

  get plan(): FaultPlan | undefined {
    return this.#run?.plan;
  }

  /** Replaces the plan and resets the counts. */
  setPlan(plan: FaultPlan, now: Date): void {
    this.#run = new PlanRun(plan, now);
    this.isOn = true;
  }

  clearPlan(): void {
    this.#run = undefined;
  }

  /** For callers that demand something now. */
  demand(): Demands {
    this.isOn = true;
    return this.#demands;
  }

  /** The query with all revisions up to `at`; `exchange`, that of a submit, adds the revisions that only this submit meets. */
  revise(query: Query, at: Date, exchange?: Exchange): Query {
    if (!this.isOn) return query;
    const restatement = this.#demands.restatementOf(query.dataset.name);
    if (restatement) exchange?.faults.push('restate');
    const met = exchange
      ? this.#run?.meet('truth', exchange, undefined).map(({ fault }) => fault)
      : this.#run?.standing('truth', query.dataset.name, at);
    const ignored = (met ?? []).flatMap((fault) => (fault.kind === 'ignored_filter' ? [fault.field] : []));
    const revised = (met ?? []).flatMap((fault) => (fault.kind === 'ignored_filter' ? [] : [revisionOf(fault)]));
    const revisions = [...query.revisions, ...(restatement ? [restatement] : []), ...revised];
    if (revisions.length === 0 && ignored.length === 0) return query;
    const filters = Object.fromEntries(Object.entries(query.filters).filter(([name]) => !ignored.includes(name)));
    return { ...query, filters, revisions };
  }

  /** The rows of a query asked now, as published if its execution meets only standing faults. */
  publishedRows(rows: Iterable<WireRow>, { dataset }: Query, at: Date): Iterable<WireRow> {
    const drifts = (this.#run?.standing('content', dataset.name, at) ?? []).filter(({ kind }) => kind === 'drift');
    const flaws = drifts.map((fault) => flawOfExecution({ fault, key: 0 }));
    return flaws.length === 0 ? rows : soundRows(rows, dataset, flaws);
  }

  /** The rows of an execution, as published. */
  publishedRowsOf(rows: Iterable<WireRow>, execution: Execution): Iterable<WireRow> {
    const flaws = this.#alterations.flawsOf(execution);
    return flaws.length === 0 ? rows : soundRows(rows, execution.query.dataset, flaws);
  }

  /** Runs a call through `admission` and `answering`, and records the outcome. */
  async attend(exchange: Exchange, admission: readonly Step[], answering: readonly Step[]): Promise<Delivery> {
    const refused = await passThrough(admission, exchange);
    const delivery = refused ? { answer: refused } : await this.#meet(exchange, answering);
    const { executionId, call, credential, receivedAt, dataset, faults } = exchange;
    this.#journal.note({
      at: receivedAt.toISOString(),
      operation: dataset.name,
      call: call ?? null,
      credential: credential?.name ?? null,
      executionId: executionId ?? null,
      status: statusSent(delivery),
      faults: [...faults],
    });
    return delivery;
  }

  report(): FaultReport {
    return {
      ...this.#journal.report(),
      ruleHits: this.#run?.ruleHits ?? [],
      restatements: this.#demands.restatements,
      revoked: this.#demands.revoked,
    };
  }

  async #meet(exchange: Exchange, answering: readonly Step[]): Promise<Delivery> {
    const run = this.#run;
    const known = this.#executionOf(exchange, exchange.body?.executionId);
    exchange.executionId = known?.id;
    const refusal = this.#refuseOnDemand(exchange, known);
    if (refusal) return refusal;
    const fault = run?.meetCall(exchange, known);
    if (fault && isOfStage(fault, 'gateway')) {
      if (known) this.#journal.noteExecution(known.id, exchange.faults);
      return { answer: refuseBy(fault, exchange.receivedAt) };
    }
    const lastPageId = known?.lastPageId ?? null;
    let answer = await answerBy(answering, exchange);
    const execution = known ?? this.#executionOf(exchange, exchange.executionId);
    if (execution && !known) run?.noteSubmitted(execution);
    if (execution && answer.status < 300) {
      answer = this.#alterations.alter({ exchange, execution, lastPageId, answer }, run, !fault || arrivesWhole(fault));
    }
    if (execution) this.#journal.noteExecution(execution.id, exchange.faults);
    return fault ? spoil(answer, fault) : { answer };
  }

  #refuseOnDemand(exchange: Exchange, execution: Execution | undefined): Delivery | undefined {
    if (this.#demands.isRevoked(exchange.credential?.name ?? '')) {
      exchange.faults.push('unauthorized');
      return { answer: refuseCredential() };
    }
    if (!execution || !this.#demands.takeExpired(execution)) return undefined;
    // Reported once; a client that asks again gets the usual answer for an expired id.
    execution.expiresAtMs = exchange.receivedAt.getTime();
    exchange.faults.push('expired_id');
    this.#journal.noteExecution(execution.id, exchange.faults);
    return { answer: refuseId(execution.id, 'expired_id') };
  }

  /** The execution with that id, if it belongs to the caller and to this operation. */
  #executionOf({ credential, dataset }: Exchange, id: unknown): Execution | undefined {
    const execution = typeof id === 'string' ? this.#tools.executions.find(id) : undefined;
    return execution?.credential === credential && execution?.query.dataset === dataset ? execution : undefined;
  }
}

function revisionOf(fault: Exclude<FaultOfStage<'truth'>, { kind: 'ignored_filter' }>): Revision {
  if (fault.kind === 'restate' || fault.kind === 'whole_period' || fault.kind === 'misspell') return fault;
  return { kind: 'shrink', keep: fault.kind === 'shrink' ? fault.keep : 0, weeks: fault.weeks };
}

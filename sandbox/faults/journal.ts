// What was done to whom: faults by kind and call, by execution, and the last calls one by one. It holds no credential
// and no row.
import type { Call } from '../protocol/observations.ts';
import type { FaultKind } from './fault.ts';

/** How a call went. */
export type CallOutcome = Readonly<{
  /** When it came, ISO 8601. */
  at: string;
  operation: string;
  /** Null when the request was of no readable shape, or was refused before it was read. */
  call: Call | null;
  credential: string | null;
  executionId: string | null;
  /** Of the answer; null when none was sent. */
  status: number | null;
  faults: readonly FaultKind[];
}>;

export type FaultReport = Readonly<{
  /** How often each fault was put in a client's way, by kind of call; only those that were. */
  injected: Readonly<Partial<Record<FaultKind, Readonly<Record<Call, number>>>>>;
  /** Hits of each rule of the plan that is set, in its order. */
  ruleHits: readonly number[];
  /** Faults that met an execution or any call of it, in the order they first did, by executionId; only those that were met. */
  executions: Readonly<Record<string, readonly FaultKind[]>>;
  /** The last calls since faults were first used, oldest first. */
  log: readonly CallOutcome[];
  /** How many restatements there were on demand; also the number of the last. */
  restatements: number;
  /** Names of the credentials that are revoked on demand. */
  revoked: readonly string[];
}>;

const CALLS_KEPT = 2_000;
const EXECUTIONS_KEPT = 10_000;

export class Journal {
  readonly #injected = new Map<FaultKind, Record<Call, number>>();
  readonly #executions = new Map<string, Set<FaultKind>>();
  readonly #log: CallOutcome[] = [];

  note(outcome: CallOutcome): void {
    this.#log.push(outcome);
    if (this.#log.length > CALLS_KEPT) this.#log.shift();
    const { call, faults } = outcome;
    if (call === null) return;
    for (const kind of faults) {
      const counts = this.#injected.get(kind) ?? { submit: 0, poll: 0, page: 0 };
      counts[call]++;
      this.#injected.set(kind, counts);
    }
  }

  /** `executionId` must be one that exists. */
  noteExecution(executionId: string, faults: readonly FaultKind[]): void {
    if (faults.length === 0) return;
    const known = this.#executions.get(executionId) ?? new Set();
    for (const kind of faults) known.add(kind);
    this.#executions.set(executionId, known);
    const [oldest] = this.#executions.keys();
    if (this.#executions.size > EXECUTIONS_KEPT && oldest !== undefined) this.#executions.delete(oldest);
  }

  /** A copy that later calls don't change. */
  report(): Pick<FaultReport, 'injected' | 'executions' | 'log'> {
    return {
      injected: Object.fromEntries([...this.#injected].map(([kind, counts]) => [kind, { ...counts }])),
      executions: Object.fromEntries([...this.#executions].map(([id, kinds]) => [id, [...kinds]])),
      log: [...this.#log],
    };
  }
}

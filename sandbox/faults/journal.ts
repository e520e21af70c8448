// A record of faults: by kind and call, by execution, and the last calls one by one. It contains no credentials and no rows.
import type { Call } from '../protocol/observations.ts';
import type { FaultKind } from './fault.ts';

export type CallOutcome = Readonly<{
  /** Time of arrival, ISO 8601. */
  at: string;
  operation: string;
  /** Null when the request had no readable shape, or was refused before it was read. */
  call: Call | null;
  credential: string | null;
  executionId: string | null;
  /** Status of the answer; null when none was sent. */
  status: number | null;
  faults: readonly FaultKind[];
}>;

export type FaultReport = Readonly<{
  /** How often each fault occurred, by kind of call; only faults that occurred. */
  injected: Readonly<Partial<Record<FaultKind, Readonly<Record<Call, number>>>>>;
  /** Hits of each rule of the current plan, in order. */
  ruleHits: readonly number[];
  /** Faults that an execution or its calls met, in order of first occurrence, by executionId; only affected executions. */
  executions: Readonly<Record<string, readonly FaultKind[]>>;
  /** The last calls since faults were first used, oldest first. */
  log: readonly CallOutcome[];
  /** Number of restatements on demand; also the number of the last one. */
  restatements: number;
  /** Names of the credentials revoked on demand. */
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

  /** `executionId` must exist. */
  noteExecution(executionId: string, faults: readonly FaultKind[]): void {
    if (faults.length === 0) return;
    const known = this.#executions.get(executionId) ?? new Set();
    for (const kind of faults) known.add(kind);
    this.#executions.set(executionId, known);
    const [oldest] = this.#executions.keys();
    if (this.#executions.size > EXECUTIONS_KEPT && oldest !== undefined) this.#executions.delete(oldest);
  }

  /** A copy that later calls do not change. */
  report(): Pick<FaultReport, 'injected' | 'executions' | 'log'> {
    return {
      injected: Object.fromEntries([...this.#injected].map(([kind, counts]) => [kind, { ...counts }])),
      executions: Object.fromEntries([...this.#executions].map(([id, kinds]) => [id, [...kinds]])),
      log: [...this.#log],
    };
  }
}

// What the sandbox observed about its clients: how much and how fast they called, and their mistakes. Tests of clients read it. It contains no
// credentials and no rows.
import { CALL_KINDS, type CallKind } from '../../src/core/limits.ts';
import { SlidingPeak } from './sliding-window.ts';

export type Call = 'submit' | 'poll' | 'page';

const VIOLATIONS = [
  /** No credentials. */
  'missingCredentials',
  /** An unknown token, key or signature. */
  'wrongCredentials',
  /** A valid signature for a time too far away. */
  'staleSignatures',
  /** Refused with 429. */
  'overLimit',
  /** An executionId that was never given out here, or was forgotten. */
  'unknownExecutions',
  /** An executionId older than 7 days. */
  'expiredExecutions',
  /** An executionId of another credential or operation. */
  'foreignExecutions',
  /** A request about an execution after it was answered FAILED. */
  'failedExecutions',
  /** A nextPageId that does not belong to its executionId. */
  'foreignPageIds',
  /** A page request before the query had completed. */
  'earlyPages',
  /** A page request while another one of the same execution was being answered; refused. */
  'parallelPages',
  /** A page request with a token other than that of the last answer or request; answered. */
  'outOfOrderPages',
  /** The same page requested twice in a row, as after a lost answer; answered. */
  'repeatedPages',
] as const;
export type Violation = (typeof VIOLATIONS)[number];

/** `at` is the time of arrival, ISO 8601. */
export type SubmitSeen = Readonly<{ operation: string; credential: string; executionId: string; at: string; body: unknown }>;

/** Observations of the clients, independent of the faults. */
export type CallReport = Readonly<{
  /** Calls with valid credentials and a readable body, by operation. */
  calls: Readonly<Record<string, Readonly<Record<Call, number>>>>;
  /** Answers by HTTP status; 400 counts all invalid requests, whatever was wrong. */
  answers: Readonly<Record<string, number>>;
  /** Maximum calls in any 60 seconds, by credential, including refused ones. */
  peaks: Readonly<Record<string, Readonly<Record<CallKind, number>>>>;
  violations: Readonly<Record<Violation, number>>;
  /** Difference between the time of an accepted signature and its arrival. */
  largestClockDifferenceSeconds: number;
  /** The last accepted submits, oldest first. */
  submits: readonly SubmitSeen[];
  /** Executions remembered now. */
  executions: number;
}>;

const SUBMITS_KEPT = 10_000;

export class Observations {
  readonly #calls: ReadonlyMap<string, Record<Call, number>>;
  readonly #peaks: ReadonlyMap<string, Readonly<Record<CallKind, SlidingPeak>>>;
  readonly #answers = new Map<number, number>();
  readonly #violations = Object.fromEntries(VIOLATIONS.map((name) => [name, 0])) as Record<Violation, number>;
  readonly #submits: SubmitSeen[] = [];
  #largestClockDifferenceSeconds = 0;

  constructor(operations: readonly string[], credentials: readonly string[]) {
    this.#calls = new Map(operations.map((name) => [name, { submit: 0, poll: 0, page: 0 }]));
    this.#peaks = new Map(credentials.map((name) => [name, { submit: new SlidingPeak(), read: new SlidingPeak() }]));
  }

  noteCall(operation: string, credential: string, call: Call, atMs: number): void {
    const calls = this.#calls.get(operation);
    if (calls) calls[call]++;
    this.#peaks.get(credential)?.[kindOf(call)].add(atMs);
  }

  noteAnswer(status: number): void {
    this.#answers.set(status, (this.#answers.get(status) ?? 0) + 1);
  }

  noteViolation(violation: Violation): void {
    this.#violations[violation]++;
  }

  noteClockDifference(seconds: number): void {
    this.#largestClockDifferenceSeconds = Math.max(this.#largestClockDifferenceSeconds, seconds);
  }

  noteSubmit(submit: SubmitSeen): void {
    this.#submits.push(submit);
    if (this.#submits.length > SUBMITS_KEPT) this.#submits.shift();
  }

  /** A copy that later calls do not change. */
  report(executions: number): CallReport {
    const peaks = [...this.#peaks].map(([name, kinds]) => [name, Object.fromEntries(CALL_KINDS.map((kind) => [kind, kinds[kind].peak]))]);
    return structuredClone({
      calls: Object.fromEntries(this.#calls),
      answers: Object.fromEntries(this.#answers),
      peaks: Object.fromEntries(peaks) as CallReport['peaks'],
      violations: this.#violations,
      largestClockDifferenceSeconds: this.#largestClockDifferenceSeconds,
      submits: this.#submits,
      executions,
    });
  }
}

/** The kind of limit that applies to a call. */
export function kindOf(call: Call): CallKind {
  return call === 'submit' ? 'submit' : 'read';
}

// What is requested immediately, without a plan: restated numbers, expired ids, revoked credentials.
import { DATASETS } from '../../src/datasets/index.ts';
import type { Execution } from '../protocol/executions.ts';
import type { Restatement } from '../queries/query.ts';

export class Demands {
  restatements = 0;
  readonly #restated = new Map<string, Restatement>();
  readonly #revoked = new Set<string>();
  readonly #expired = new WeakSet<Execution>();

  /** Restates an operation, or `any` for all; replaces its earlier restatement. Returns its number. */
  restate(operation: string, how: Omit<Restatement, 'kind' | 'number'>): number {
    this.restatements++;
    const restatement: Restatement = { ...how, kind: 'restate', number: this.restatements };
    for (const { name } of DATASETS) if (operation === 'any' || operation === name) this.#restated.set(name, restatement);
    return restatement.number;
  }

  restatementOf(operation: string): Restatement | undefined {
    return this.#restated.get(operation);
  }

  /** Refuses the ids of these executions from now on. */
  expire(executions: Iterable<Execution>): void {
    for (const execution of executions) this.#expired.add(execution);
  }

  /** Whether the execution was expired on demand and this was not reported yet. True once. */
  takeExpired(execution: Execution): boolean {
    return this.#expired.delete(execution);
  }

  revoke(credentials: readonly string[]): void {
    for (const name of credentials) this.#revoked.add(name);
  }

  restore(credentials: readonly string[]): void {
    for (const name of credentials) this.#revoked.delete(name);
  }

  isRevoked(credential: string): boolean {
    return this.#revoked.has(credential);
  }

  get revoked(): string[] {
    return [...this.#revoked];
  }
}

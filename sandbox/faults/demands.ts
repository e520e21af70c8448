// What somebody asks for now, without a plan: numbers restated, ids expired, credentials revoked.
import { DATASETS } from '../../src/datasets/index.ts';
import type { Execution } from '../protocol/executions.ts';
import type { Restatement } from '../queries/query.ts';

export class Demands {
  /** How many restatements there were. */
  restatements = 0;
  readonly #restated = new Map<string, Restatement>();
  readonly #revoked = new Set<string>();
  readonly #expired = new WeakSet<Execution>();

  /** Restates an operation, or `any` for all of them, in place of what was restated of it before. Returns its number. */
  restate(operation: string, how: Omit<Restatement, 'kind' | 'number'>): number {
    this.restatements++;
    const restatement: Restatement = { ...how, kind: 'restate', number: this.restatements };
    for (const { name } of DATASETS) if (operation === 'any' || operation === name) this.#restated.set(name, restatement);
    return restatement.number;
  }

  restatementOf(operation: string): Restatement | undefined {
    return this.#restated.get(operation);
  }

  /** The ids are refused from now on. */
  expire(executions: Iterable<Execution>): void {
    for (const execution of executions) this.#expired.add(execution);
  }

  /** Whether the execution has expired on demand and nobody was told yet. True once. */
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

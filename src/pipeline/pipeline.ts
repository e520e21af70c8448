// What every stage receives: access to the service and the warehouse, the signal that stops it, its log and its observer.
// Stages do not know BullMQ: they ask for bells, and src/queue rings them.
import type { Clock, Random } from '../core/clock.ts';
import { StoreError } from '../core/errors.ts';
import type { Logger } from '../core/log.ts';
import type { Publication } from '../ledger/execution-histories.ts';
import type { Execution, NextStep } from '../ledger/executions.ts';
import type { EndState } from '../ledger/states.ts';
import type { Pool } from '../postgres/pool.ts';
import type { ServiceClient } from '../service/client.ts';
import type { Shared } from './shared.ts';

/** A request to be called. It may be lost, repeated or late without harm, because the ledger decides what is done. */
export type Bell =
  /** Do the next step of one execution. `steps` makes each bell unique; `connection` and `job` decide whose slot the step takes. */
  | Readonly<{ kind: 'step'; execution: number; connection: string; job: string; steps: number; priority: number; delayMs: number }>
  /** Submit the most urgent planned execution of a connection. */
  | Readonly<{ kind: 'submits'; connection: string; delayMs: number }>;

/** The bell for the next step of an execution. */
export function stepBell({ id, connection, job }: Execution, { steps, priority, delayMs }: NextStep): Bell {
  return { kind: 'step', execution: id, connection, job, steps, priority, delayMs };
}

export type Stage = 'submit' | 'poll' | 'load' | 'publish';
export type Copied = Readonly<{ pages: number; rows: number; bytes: number; decodeMs: number }>;

/** Receives events, for metrics, traces and progress. */
export interface PipelineObserver {
  onPage?(execution: Execution, page: { rows: number; rejected: number; bytes: number }): void;
  onPublished?(execution: Execution, publication: Publication): void;
  /** A statement of the ledger or the warehouse failed. */
  onStoreError?(error: StoreError): void;
  /** A submit was sent, and it is unknown whether the service accepted it. */
  onUnknownSubmit?(execution: Execution): void;
  /** The queue's backend failed. */
  onQueueError?(): void;
  onStage?(stage: Stage, execution: Execution, elapsedMs: number): void;
  /** Pages were committed to staging together. */
  onCopied?(execution: Execution, copied: Copied, elapsedMs: number): void;
  /** The execution waits for a person's decision. */
  onHeld?(execution: Execution): void;
  /** The execution ended without being published; `next` is the id of the execution planned in its place. */
  onEnded?(execution: Execution, state: Exclude<EndState, 'published'>, next?: number): void;
}

export type Pipeline = Readonly<{
  pool: Pool;
  /** The client of a connection by name; undefined when this process is not configured with it. */
  findClient(connection: string): ServiceClient | undefined;
  /** Asks for a bell. Never rejects: a bell that cannot be rung is rung by the reconciler. */
  ring(bell: Bell): Promise<void>;
  /** The id of this process in leases. */
  owner: string;
  leaseMs: number;
  log: Logger;
  clock: Clock;
  random: Random;
  /** Aborted when the process should stop: commit what was read, take no new work. */
  stopping: AbortSignal;
  observer: PipelineObserver;
  shared: Shared;
}>;

/** Reports a failure of the database or of a temporary file to the observer; ignores other errors. */
export function noteStoreError({ observer }: Pick<Pipeline, 'observer'>, error: unknown): void {
  if (error instanceof StoreError) observer.onStoreError?.(error);
}

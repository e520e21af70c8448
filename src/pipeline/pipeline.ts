// What every stage is given: the two sides it joins (the service and the warehouse), and how the process that runs it
// wants to be stopped, told and observed. Stages are free of BullMQ: they ask for bells, the queue folder rings them.
import type { Clock, Random } from '../core/clock.ts';
import { StoreError } from '../core/errors.ts';
import type { Logger } from '../core/log.ts';
import type { ServiceClient } from '../service/client.ts';
import type { Execution, NextStep } from '../warehouse/executions.ts';
import type { Pool } from '../warehouse/pool.ts';
import type { Publication } from '../warehouse/replace-slice.ts';
import type { EndState } from '../warehouse/states.ts';
import type { Shared } from './shared.ts';

/** A wish to be called: it may be lost, repeated or late without harm, because the ledger decides what is done. */
export type Bell =
  /** Do the next step of one execution. `steps` makes each of its bells a new one; connection and job say whose slot the step takes. */
  | Readonly<{ kind: 'step'; execution: number; connection: string; job: string; steps: number; priority: number; delayMs: number }>
  /** Submit what is most urgent on a connection. */
  | Readonly<{ kind: 'submits'; connection: string; delayMs: number }>;

/** The bell for the next step of an execution. */
export function stepBell({ id, connection, job }: Execution, { steps, priority, delayMs }: NextStep): Bell {
  return { kind: 'step', execution: id, connection, job, steps, priority, delayMs };
}

export type Stage = 'submit' | 'poll' | 'load' | 'publish';
export type Copied = Readonly<{ pages: number; rows: number; bytes: number; decodeMs: number }>;

/** Told of what happened, for metrics, traces and progress. */
export interface PipelineObserver {
  onPage?(execution: Execution, page: { rows: number; rejected: number; bytes: number }): void;
  onPublished?(execution: Execution, publication: Publication): void;
  /** A statement of the ledger or the warehouse failed. */
  onStoreError?(error: StoreError): void;
  /** A submit was sent and nobody can say whether the service took it. */
  onUnknownSubmit?(execution: Execution): void;
  /** The queue's backend failed. */
  onQueueError?(): void;
  onStage?(stage: Stage, execution: Execution, elapsedMs: number): void;
  /** Pages were committed to staging together. */
  onCopied?(execution: Execution, copied: Copied, elapsedMs: number): void;
  /** It waits for somebody to decide. */
  onHeld?(execution: Execution): void;
  /** It ended without being published; `next` is the execution that was planned in its place. */
  onEnded?(execution: Execution, state: Exclude<EndState, 'published'>, next?: number): void;
}

export type Pipeline = Readonly<{
  pool: Pool;
  /** The client of a connection by name; undefined when this process is not configured with it. */
  findClient(connection: string): ServiceClient | undefined;
  /** Asks for a bell. Never rejects: a bell that cannot be rung is rung by the reconciler. */
  ring(bell: Bell): Promise<void>;
  /** Names this process in leases. */
  owner: string;
  leaseMs: number;
  log: Logger;
  clock: Clock;
  random: Random;
  /** Aborted when the process should stop: finish the page, take no new work. */
  stopping: AbortSignal;
  observer: PipelineObserver;
  shared: Shared;
}>;

/** Counts a failure of the database or of a temporary file. */
export function noteStoreError({ observer }: Pick<Pipeline, 'observer'>, error: unknown): void {
  if (error instanceof StoreError) observer.onStoreError?.(error);
}

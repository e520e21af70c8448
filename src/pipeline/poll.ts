// poll: one look at a running query. The next poll is due at a time in the ledger, after 1 s growing to 30 s; no worker sleeps
// meanwhile. When the query is finished, the poll returns its first page, which is loaded at once.
// Source: service specification, "States and transitions" and "Flow rules" 2.
import { backoffMs, SECOND } from '../core/clock.ts';
import { ExecutionFailedError } from '../core/errors.ts';
import { datasetNamed } from '../datasets/index.ts';
import { contextOf, type Execution, postpone } from '../ledger/executions.ts';
import type { Page } from '../service/answers.ts';
import type { ServiceClient } from '../service/client.ts';
import { type Pipeline, stepBell } from './pipeline.ts';
import { describeFailedQuery, FIRST_POLL_MS } from './submit.ts';

const MAX_POLL_WAIT_MS = 30 * SECOND;
/** Polls go before pages: they are few, and each may find a query that can be loaded. */
const POLL_PRIORITY = 1;

type PollCall = Readonly<{ client: ServiceClient; remoteId: string; calling: AbortSignal; onAnswered: () => Promise<void> }>;

/**
 * Polls once. Returns the first page when the query is finished; otherwise schedules the next poll and returns undefined.
 * Throws ExecutionFailedError when the service reports FAILED, and what the client throws.
 */
export async function pollOnce(
  pipeline: Pipeline,
  execution: Execution,
  { client, remoteId, calling, onAnswered }: PollCall,
): Promise<Page | undefined> {
  const started = performance.now();
  const answer = await client.poll(datasetNamed(execution.dataset), remoteId, {
    priority: POLL_PRIORITY,
    signal: calling,
    onAnswered,
    context: contextOf(execution),
  });
  pipeline.observer.onStage?.('poll', execution, performance.now() - started);
  if (answer.state === 'completed') return answer.page;
  if (answer.state === 'failed') {
    throw new ExecutionFailedError(describeFailedQuery(answer.message), { context: contextOf(execution) });
  }
  const delayMs = backoffMs(execution.pollCalls, { baseMs: 2 * FIRST_POLL_MS, maxMs: MAX_POLL_WAIT_MS, random: pipeline.random });
  const next = await postpone(pipeline.pool, execution, { delayMs, pollCalls: 1, waitingFor: 'the service to finish the query' });
  await pipeline.ring(stepBell(execution, next));
  return undefined;
}

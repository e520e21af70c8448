// One look at a running query.
import { expect, it, vi } from 'vitest';
import { ExecutionFailedError } from '../../../src/core/errors.ts';
import { keywordRankings } from '../../../src/datasets/keyword-rankings.ts';
import type { Execution } from '../../../src/ledger/executions.ts';
import { pollOnce } from '../../../src/pipeline/poll.ts';
import type { PollAnswer } from '../../../src/service/answers.ts';
import type { ServiceClient } from '../../../src/service/client.ts';
import { answeringPool } from '../../support/answering-pool.ts';
import { pipelineOn } from '../../support/drive.ts';

const onAnswered = async (): Promise<void> => undefined;

async function poll(answer: unknown, pollCalls = 0) {
  const execution = {
    id: 7,
    leaseToken: 3,
    dataset: keywordRankings.name,
    connection: 'main',
    job: 'rankings',
    pollCalls,
    windowStart: '2026-11-01',
    windowEnd: '2026-11-07',
  } as Execution;
  const { pool, asked } = answeringPool(() => [{ steps: 5, priority: 2 }]);
  const polled = vi.fn<ServiceClient['poll']>(async () => answer as PollAnswer);
  const client = { poll: polled } as unknown as ServiceClient;
  const ring = vi.fn(async () => undefined);
  const onStage = vi.fn();
  const calling = new AbortController().signal;
  const pipeline = pipelineOn(pool, client, { ring, observer: { onStage } });
  const page = await pollOnce(pipeline, execution, { client, remoteId: 'r1', calling, onAnswered });
  return { page, asked, polled, ring, onStage, calling };
}

it('a query that has finished gives its first page, and is not asked again', async () => {
  const page = { rows: [] };
  const { asked, ring, onStage, polled, calling, ...found } = await poll({ state: 'completed', page });
  expect(found.page).toBe(page);
  expect([asked, ring.mock.calls.length]).toEqual([[], 0]);
  expect(onStage).toHaveBeenCalledWith('poll', expect.objectContaining({ id: 7 }), expect.any(Number));
  expect(onStage.mock.calls[0]?.[2]).toBeLessThan(performance.now());
  expect(polled).toHaveBeenCalledWith(expect.objectContaining({ name: 'keyword_rankings' }), 'r1', {
    priority: 1,
    signal: calling,
    onAnswered,
    context: expect.objectContaining({ execution: '7', job: 'rankings' }) as unknown,
  });
});

it.each([
  [0, 1_500],
  [1, 3_000],
  [9, 22_500],
])('a query that goes on after %i polls is looked at again after %i ms', async (pollCalls, delayMs) => {
  const { page, asked, ring } = await poll({ state: 'in_progress' }, pollCalls);
  expect(page).toBeUndefined();
  expect(asked).toMatchObject([
    { name: 'executions/postpone', values: { delayMs, pollCalls: 1, waitingFor: 'the service to finish the query' } },
  ]);
  expect(ring).toHaveBeenCalledExactlyOnceWith({
    kind: 'step',
    execution: 7,
    connection: 'main',
    job: 'rankings',
    steps: 5,
    priority: 2,
    delayMs,
  });
});

it('a query that failed is an error with what the service says', async () => {
  const failed = poll({ state: 'failed', message: 'no such keyword' });
  await expect(failed).rejects.toThrow(ExecutionFailedError);
  await expect(failed).rejects.toMatchObject({
    message: expect.stringContaining('no such keyword') as string,
    context: { job: 'rankings' },
  });
});

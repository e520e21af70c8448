// What is loaded while a Redis that has the queue is killed, hangs, or gives its place to another.
import type { Instance } from '../../src/queue/instance.ts';
import { SANDBOX_CONNECTION, type TestStack } from './test-stack.ts';
import { until } from './wait.ts';

/** Three jobs from 30 August 2026 on: six loads by 14 September, and three more each week. */
export const THREE_JOBS = `
${SANDBOX_CONNECTION}
defaults: { account_id: 12345, since: 2026-08-30, page_size: 100, max_submits: 1, lookback_weeks: 0, schedule: { cron: "0 6 * * 1" } }
jobs:
  - { name: rankings, dataset: keyword_rankings }
  - { name: citations, dataset: ai_search_citations }
  - { name: answers, dataset: ai_search_response }
`;

export const countIn = async (stack: TestStack, state: string): Promise<number> =>
  (await stack.read('SELECT FROM searchmill.executions WHERE state = $1', [state])).length;

export const isQueueAnswering = (instance: Instance): Promise<boolean> =>
  instance.pingQueue().then(
    () => true,
    () => false,
  );

export const untilQueueAnswers = (instance: Instance): Promise<unknown> => until('the queue to answer', () => isQueueAnswering(instance));

// Loads of three jobs by two workers and a scheduler, while a Redis that has the queue is killed, hangs, or gives its place to another.
import { afterAll, beforeAll, expect } from 'vitest';
import { describeError } from '../../src/core/errors.ts';
import { Secret } from '../../src/core/secret.ts';
import { openQueueBackend } from '../../src/queue/backend/backend.ts';
import type { Instance } from '../../src/queue/instance.ts';
import { recordLog } from './recorded-log.ts';
import { expectExactlyServed } from './served-rows.ts';
import { createSimulatedClock, type SimulatedClock } from './simulated-clock.ts';
import { createTestStack, sandboxJobs, type TestStack } from './test-stack.ts';
import { until } from './wait.ts';

/** Three jobs from 30 August 2026 on: six loads by 14 September, and three more each week. */
const JOBS = sandboxJobs(
  'account_id: 12345, since: 2026-08-30, page_size: 100, max_submits: 1, lookback_weeks: 0, schedule: { cron: "0 6 * * 1" }',
  { rankings: 'keyword_rankings', citations: 'ai_search_citations', answers: 'ai_search_response' },
);

/** All is there from beforeAll on, the scheduler when it was started. */
export interface RedisLoads {
  readonly clock: SimulatedClock;
  readonly stack: TestStack;
  readonly ledgerId: string;
  readonly redisUrl: Secret;
  readonly scheduler: Instance;
  /** What all of them log. */
  readonly lines: string[];
  startScheduler(): Promise<void>;
  /** Plans as on that day, and waits for the submits. */
  plan(day: string): Promise<void>;
  /** Resolves when so many weeks are published, nothing is loaded any more, and the queue answers. */
  untilPublished(weeks: number): Promise<void>;
  /** No row and no submit of so many weeks was lost or doubled. */
  expectNothingLost(weeks: number): Promise<void>;
  /** What is said by an instance whose REDIS_URL is wrong: what its ping fails with first. */
  complaintsOf(redisUrl: string): Promise<string[]>;
}

/** `open` starts what has the queue and returns its address, `close` ends it. */
export function useRedisLoads({ open, close }: { open: () => Promise<string>; close: () => Promise<void> }): RedisLoads {
  const clock = createSimulatedClock('2026-09-14T07:00:00Z');
  const { log, lines } = recordLog();
  beforeAll(async () => {
    const redisUrl = new Secret(await open());
    const stack = await createTestStack({ queue: { kind: 'redis', redisUrl }, jobs: JOBS, clock, sandbox: { pageMs: 40, queryMs: 2_000 } });
    const [ledger] = await stack.read<{ id: string }>('SELECT id FROM searchmill.ledger');
    Object.assign(loads, { redisUrl, stack, ledgerId: ledger?.id ?? '' });
    await stack.start({ role: 'worker', log });
    await stack.start({ role: 'worker', log });
  });
  afterAll(async () => {
    await loads.stack?.close();
    await close();
  });
  const loads = {
    clock,
    lines,
    async startScheduler() {
      Object.assign(loads, { scheduler: await loads.stack.start({ role: 'scheduler', log }) });
    },
    async plan(day) {
      clock.set(`${day}T07:00:00Z`);
      await loads.scheduler.planNow();
      await until('the submits', async () => (await countIn(loads.stack, 'in_progress')) > 0);
    },
    async untilPublished(weeks) {
      await loads.stack.settle();
      await until('all weeks', async () => (await countIn(loads.stack, 'published')) === weeks);
      await untilQueueAnswers(loads.scheduler);
    },
    async expectNothingLost(weeks) {
      const { stack } = loads;
      expect(await expectExactlyServed(stack)).toHaveLength(weeks);
      expect(stack.sandbox.report().submits).toHaveLength(weeks);
      expect(await stack.read('SELECT state, count(*) FROM searchmill.executions GROUP BY 1')).toEqual([
        { state: 'published', count: weeks },
      ]);
    },
    async complaintsOf(redisUrl) {
      const errors: unknown[] = [];
      const backend = await openQueueBackend({
        databaseUrl: new Secret(loads.stack.databaseUrl),
        redisUrl: new Secret(redisUrl),
        ledgerId: loads.ledgerId,
        onError: (error) => errors.push(error),
      });
      const first: unknown = await backend.ping().catch((thrown: unknown) => thrown);
      await backend.close();
      return [first, ...errors].map(describeError);
    },
  } as RedisLoads;
  return loads;
}

export const countIn = async (stack: TestStack, state: string): Promise<number> =>
  (await stack.read('SELECT FROM searchmill.executions WHERE state = $1', [state])).length;

export const isQueueAnswering = (instance: Instance): Promise<boolean> =>
  instance.pingQueue().then(
    () => true,
    () => false,
  );

export const untilQueueAnswers = (instance: Instance): Promise<unknown> => until('the queue to answer', () => isQueueAnswering(instance));

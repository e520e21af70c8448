// Two instances in one process, as the demo or an embedding program may have them, share nothing but what both were given.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BufferPool } from '../../../src/codec/buffer-pool.ts';
import { expectExactlyServed } from '../../support/served-rows.ts';
import { createSimulatedClock } from '../../support/simulated-clock.ts';
import { createTestStack, describeOnEachQueue, SANDBOX_CONNECTION, type TestStack } from '../../support/test-stack.ts';

const JOBS = `
${SANDBOX_CONNECTION}
defaults:
  account_id: 12345
  since: 2026-08-30
  schedule: { cron: "0 6 * * 1", timezone: Europe/Berlin }
jobs:
  - { name: rankings, dataset: keyword_rankings }
`;
const MEBIBYTE = 1024 * 1024;

describeOnEachQueue('two instances of one process', (queue) => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await createTestStack({ queue, jobs: JOBS, clock: createSimulatedClock('2026-09-14T07:00:00Z'), sandbox: { size: 'tiny' } });
  });
  afterAll(() => stack.close());

  it('one loads while the memory of the other is full and the other is busy with a suspect that never ends', async () => {
    const planner = await stack.start({ role: 'scheduler' });
    const { buffers, suspects } = planner.pipeline.shared;
    const held = Array.from({ length: 4 }, () => buffers.acquire(16 * MEBIBYTE));
    await suspects.enter(new Promise(() => undefined));
    const worker = await stack.start({ role: 'worker' });
    expect([buffers.shareInUse, worker.pipeline.shared.buffers.shareInUse]).toEqual([1, 0]);
    await worker.pipeline.shared.suspects.enter(Promise.resolve());
    await stack.settle();
    expect(await expectExactlyServed(stack)).toHaveLength(2);
    expect(buffers.shareInUse).toBe(1);
    for (const buffer of held) BufferPool.release(buffer);
  });
});

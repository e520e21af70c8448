// A process that dies without a word: its work goes on elsewhere when its lease has ended, which follows from one setting.
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { lastCompleteWeek } from '../../../src/core/weeks.ts';
import { claimExecution } from '../../../src/ledger/executions.ts';
import type { Bell } from '../../../src/pipeline/pipeline.ts';
import { reconcile } from '../../../src/queue/reconciler.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { ensureBuilt, killPrograms, startProgram } from '../../support/program.ts';
import { expectExactlyServed } from '../../support/served-rows.ts';
import { createTestStack, describeOnEachQueue, SANDBOX_CONNECTION, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';
import { release, submitWindow } from '../../support/window-steps.ts';

const JOBS = `
${SANDBOX_CONNECTION}
jobs:
  - { name: rankings, dataset: keyword_rankings, account_id: 12345, since: ${lastCompleteWeek(new Date(), 'UTC', 'sunday')}, lookback_weeks: 0, page_size: 50, schedule: { cron: "0 0 * * 0" } }
`;

describeOnEachQueue('the work of a killed process', (queue) => {
  let stack: TestStack;
  beforeAll(ensureBuilt);
  afterEach(async () => {
    await killPrograms();
    await stack.close();
  });

  type Held = { owner: string; leaseSeconds: number };
  const held = (): Promise<Held | undefined> =>
    until('a lease', async () => {
      const [found] = await stack.read<Held>(
        `SELECT lease_owner AS owner, extract(epoch FROM lease_until - clock_timestamp())::float8 AS "leaseSeconds"
           FROM searchmill.executions WHERE state = 'loading' AND lease_until > clock_timestamp()`,
      );
      return found;
    });

  it('is taken over by itself, after a lease as long as the setting leaves for it', async () => {
    stack = await createTestStack({ queue, jobs: JOBS, sandbox: { pageMs: 40 } });
    const env = { ...stack.env, SEARCHMILL_TAKEOVER_SECONDS: '20' };
    const first = startProgram(['start'], env);
    const before = await held();
    // 10 of the 20 seconds are for noticing.
    expect(before?.leaseSeconds).toBeLessThanOrEqual(10);
    first.send('SIGKILL');
    await first.ended;
    const second = startProgram(['start'], env);
    await until('another holder', async () => (await held())?.owner !== before?.owner);
    await stack.settle();
    await expectExactlyServed(stack);
    expect(stack.sandbox.report().submits).toHaveLength(1);
    second.send('SIGTERM');
    await second.ended;
  });

  it('is held for 20 s by default', async () => {
    stack = await createTestStack({ queue, jobs: JOBS, sandbox: { pageMs: 40 } });
    const instance = await stack.start();
    const { leaseSeconds } = (await held()) ?? { leaseSeconds: 0 };
    // Renewed every 5 s.
    expect(leaseSeconds).toBeGreaterThan(10);
    expect(leaseSeconds).toBeLessThanOrEqual(20);
    await instance.stop();
  });
});

describe('the bell for what a dead process held', () => {
  const ledger = useLedger();
  const ringOnce = async (): Promise<string | undefined> => {
    const rung: [Bell, string][] = [];
    await reconcile(ledger.pool, async (bell, salt) => {
      rung.push([bell, salt]);
    });
    expect(rung).toHaveLength(1);
    return rung[0]?.[1].split('-').at(-1);
  };

  it('is a new one: the one that the dead process had taken is still in its hands', async () => {
    const execution = await submitWindow(ledger.pool, jobOf());
    await release(ledger.pool, execution);
    const taken = await ringOnce();
    expect(await ringOnce()).toBe(taken);
    await claimExecution(ledger.pool, execution.id, { owner: 'dead', leaseMs: 0 });
    expect(await ringOnce()).not.toBe(taken);
  });
});

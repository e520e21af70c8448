// Executions whose processes died.
import { describe, expect, it, vi } from 'vitest';
import { StoreError } from '../../../src/core/errors.ts';
import type { Execution } from '../../../src/ledger/executions.ts';
import { OneAtATime } from '../../../src/pipeline/one-at-a-time.ts';
import { convict, isConvicted, suspicionOf } from '../../../src/pipeline/suspects.ts';
import { answeringPool } from '../../support/answering-pool.ts';
import { pipelineOn } from '../../support/drive.ts';

const executionOf = (changes: Partial<Execution>): Execution =>
  ({
    id: 7,
    leaseToken: 3,
    state: 'loading',
    deathsInRow: 1,
    pages: 2,
    remoteExecutionId: 'r1',
    windowStart: '2026-11-01',
    windowEnd: '2026-11-07',
    ...changes,
  }) as Execution;

describe('a suspect', () => {
  it('is none whose processes did not die: it waits for nobody, and marks nothing', async () => {
    const { pool, asked } = answeringPool(() => []);
    const suspicion = suspicionOf(pipelineOn(pool, undefined), executionOf({ deathsInRow: 0 }));
    await suspicion.enter();
    suspicion.leave();
    expect([suspicion.isSuspect, asked]).toEqual([false, []]);
  });

  it('marks itself at work once, and others wait until it leaves', async () => {
    const { pool, asked } = answeringPool(() => [{}]);
    const pipeline = pipelineOn(pool, undefined);
    const [first, second] = [suspicionOf(pipeline, executionOf({ id: 1 })), suspicionOf(pipeline, executionOf({ id: 2 }))];
    expect(first.isSuspect).toBe(true);
    await first.enter();
    await first.enter();
    const entered = second.enter();
    await new Promise(setImmediate);
    expect(asked.map(({ name, values }) => [name, values.executionId])).toEqual([['executions/mark-at-work', 1]]);
    first.leave();
    await entered;
    expect(asked.map(({ values }) => values.executionId)).toEqual([1, 2]);
  });

  it('goes on when the mark cannot be written', async () => {
    const { pool } = answeringPool(() => {
      throw new StoreError('away', { retryable: true });
    });
    await expect(suspicionOf(pipelineOn(pool, undefined), executionOf({})).enter()).resolves.toBeUndefined();
  });
});

it('one at a time, in the order of arrival', async () => {
  const lock = new OneAtATime();
  const leave: (() => void)[] = [];
  const entered: number[] = [];
  for (const number of [0, 1, 2]) void lock.enter(new Promise((resolve) => leave.push(resolve))).then(() => entered.push(number));
  for (const number of [0, 1, 2]) {
    await new Promise(setImmediate);
    expect(entered).toEqual([0, 1, 2].slice(0, number + 1));
    leave[number]?.();
  }
});

it.each([
  ['loading', 3, false],
  ['loading', 4, true],
  ['in_progress', 4, true],
  ['staged', 10, false],
  ['staged', 11, true],
] as const)('%s after %i deaths is ended: %s', (state, deathsInRow, is) => {
  expect(isConvicted({ state, deathsInRow })).toBe(is);
});

describe('what died too often', () => {
  it('while it was published is held for a person', async () => {
    const { pool, asked } = answeringPool(() => [{}]);
    const onHeld = vi.fn();
    await convict(pipelineOn(pool, undefined, { observer: { onHeld } }), executionOf({ state: 'staged', deathsInRow: 11 }));
    expect(asked.map(({ name }) => name)).toEqual(['transitions/hold']);
    expect(JSON.parse(String(asked[0]?.values.objections))).toEqual([
      {
        rule: 'deaths',
        message: expect.stringMatching(/^10 processes in a row died or hung while they published it\. .* approve publishes it/) as string,
      },
    ]);
    expect(asked[0]?.values.elapsedMs).toBe(0);
    expect(onHeld).toHaveBeenCalledOnce();
  });

  it('while it was loaded ends, and tells the page', async () => {
    const question = { dataset: 'keyword_rankings', connection: 'main', filters: {}, start: '2026-11-01', end: '2026-11-07', accountId: 1 };
    const { pool, asked } = answeringPool((name) => [name === 'executions/count-submits' ? { spent: 9, unknown: 0 } : question]);
    await convict(pipelineOn(pool, undefined), executionOf({ deathsInRow: 4, maxSubmits: 1 }));
    expect(asked.map(({ name }) => name)).not.toContain('transitions/hold');
    const ended = JSON.stringify(asked.map(({ values }) => values));
    expect(ended).toContain('3 processes in a row died or hung while they worked on page 3 of executionId r1.');
  });
});

import { expect, it } from 'vitest';
import { probeAll } from '../../../src/cli/probe-verb.ts';
import type { Clock } from '../../../src/core/clock.ts';
import { RejectedError } from '../../../src/core/errors.ts';
import { windowOfWeeks } from '../../../src/core/weeks.ts';
import { DATASETS } from '../../../src/datasets/index.ts';
import type { ServiceClient } from '../../../src/service/client.ts';

it('sends no more submits in any minute than the service recommends, whatever the connection is allowed and the wall clock shows', async () => {
  let nowMs = 0;
  const sentAt: number[] = [];
  const clock: Clock = {
    // Runs backwards.
    now: () => new Date(-nowMs),
    sleep: async (ms) => {
      nowMs += ms;
    },
  };
  const refused = async (): Promise<never> => {
    sentAt.push(nowMs);
    throw new RejectedError('refused', {});
  };
  const client = { submit: refused, close: async () => undefined } as unknown as ServiceClient;
  const monotonicMs = (): number => nowMs;
  const settings = {
    openClient: () => client,
    clock,
    monotonicMs,
    window: windowOfWeeks('2026-11-08', 1),
    signal: new AbortController().signal,
  };
  const questions = DATASETS.map((dataset) => ({ dataset, accountId: 1, filters: {} }));
  const heard = await probeAll(questions, settings, () => undefined);
  expect(sentAt).toEqual(questions.map((_, index) => Math.floor(index / 5) * 60_000));
  expect(new Set(heard.map(({ problem }) => problem?.code))).toEqual(new Set(['rejected']));
});

import { expect, it } from 'vitest';
import { Activity } from '../../../src/queue/activity.ts';

it('is idle at first, and again when all work under way has ended, in whatever way', async () => {
  const activity = new Activity();
  await activity.idle();
  const steps: string[] = [];
  let succeed = (_value: string): void => undefined;
  let fail = (_error: Error): void => undefined;
  const first = activity.during(new Promise<string>((resolve) => (succeed = resolve)));
  const second = activity.during(new Promise<string>((_, reject) => (fail = reject)));
  const idle = activity.idle().then(() => steps.push('idle'));
  succeed('done');
  expect(await first).toBe('done');
  expect(steps).toEqual([]);
  fail(new Error('failed'));
  await expect(second).rejects.toThrow('failed');
  await idle;
  expect(steps).toEqual(['idle']);
});

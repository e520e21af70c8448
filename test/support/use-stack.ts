// A whole Searchmill on the Postgres queue for all tests of a file, from beforeAll on.
import { afterAll, beforeAll } from 'vitest';
import { ensureBuilt, killPrograms } from './program.ts';
import { createTestStack, type TestStack, type TestStackOptions } from './test-stack.ts';

type Options = Omit<TestStackOptions, 'queue'> & Readonly<{ startsPrograms?: boolean }>;

/** Makes it before the tests and closes it after them. `startsPrograms`: the program is built before, and what still runs of it is killed after. */
export function useStack({ startsPrograms = false, ...options }: Options): TestStack {
  const stack = {} as TestStack;
  beforeAll(async () => {
    if (startsPrograms) await ensureBuilt();
    const created = await createTestStack({ queue: { kind: 'postgres', redisUrl: undefined }, ...options });
    Object.defineProperties(stack, Object.getOwnPropertyDescriptors(created));
  });
  afterAll(async () => {
    if (startsPrograms) await killPrograms();
    await stack.close();
  });
  return stack;
}

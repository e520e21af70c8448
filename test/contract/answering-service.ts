// A service that answers as a test says, and a client of it, for files of such tests.
import { afterEach, beforeEach } from 'vitest';
import type { ServiceClient } from '../../src/service/client.ts';
import { type FakeService, type Respond, startFakeService } from '../support/fake-service.ts';
import { createTestClient } from '../support/service-client.ts';

export type AnsweringService = { respond: Respond; service: FakeService; client: ServiceClient };

/** Starts both before each test and closes them after it. `respond` is for the test to set. */
export function useAnsweringService(): AnsweringService {
  const fake = {} as AnsweringService;
  beforeEach(async () => {
    fake.service = await startFakeService((response, request) => fake.respond(response, request));
    fake.client = createTestClient(fake.service.url);
  });
  afterEach(async () => {
    await fake.client.close();
    await fake.service.close();
  });
  return fake;
}

/** What a promise fails with; undefined when it does not. */
export const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

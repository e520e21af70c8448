// Answers with large headers, as gateways write them: cookies, policies, traces.
import { describe, expect, it } from 'vitest';
import { KIBIBYTE } from '../../src/core/byte-sizes.ts';
import { ServiceUnavailableError } from '../../src/core/errors.ts';
import { failureOf, useAnsweringService } from './answering-service.ts';

const DATASET = { name: 'keyword_rankings' };
const CALL = { priority: 5, context: {} };
const ACCEPTED = JSON.stringify({ executionId: 'e1', executionState: 'IN_PROGRESS', requestId: null });
const fake = useAnsweringService();

describe('an answer with headers of', () => {
  it.each([20, 200])('%d KiB is read', async (size) => {
    fake.respond = (response) => {
      // In pieces of 4 KiB, the largest that gateways write.
      for (let at = 0; at < size / 4; at += 1) response.setHeader(`x-policy-${at}`, 'p'.repeat(4 * KIBIBYTE));
      response.writeHead(202).end(ACCEPTED);
    };
    expect(await fake.client.submit(DATASET, { account_id: 1 }, CALL)).toMatchObject({ state: 'accepted', executionId: 'e1' });
  });

  it('more than the limit is told with the limit and where to mend it', async () => {
    fake.respond = (response) =>
      void response
        .setHeader('x-policy', 'p'.repeat(300 * KIBIBYTE))
        .writeHead(202)
        .end(ACCEPTED);
    const error = await failureOf(fake.client.submit(DATASET, { account_id: 1 }, CALL));
    expect(error).toBeInstanceOf(ServiceUnavailableError);
    expect((error as Error).message).toMatch(/headers of its answer are larger than 256 KiB; let the gateway send fewer/);
  });
});

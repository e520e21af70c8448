// An answer for which this machine has no room, neither in files nor in memory.
import { writeSync } from 'node:fs';
import { afterEach, expect, it, vi } from 'vitest';
import { BufferPool } from '../../src/codec/buffer-pool.ts';
import { ProtocolError, StoreError } from '../../src/core/errors.ts';
import { sendJson, startFakeService } from '../support/fake-service.ts';
import { createTestClient } from '../support/service-client.ts';

vi.mock('node:fs', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:fs')>();
  return { ...original, writeSync: vi.fn(original.writeSync) };
});
afterEach(() => void vi.mocked(writeSync).mockReset());

it('on a full disk a submit counts as spent, since it was answered, and a poll is to be asked again', async () => {
  vi.mocked(writeSync).mockImplementation(() => {
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  });
  const buffers = new BufferPool();
  const inUse = buffers.acquire(60 * 1024 * 1024);
  const filling = 'x'.repeat(8 * 1024 * 1024);
  const service = await startFakeService((response) =>
    sendJson(response, 202, { executionId: 'e1', executionState: 'IN_PROGRESS', filling }),
  );
  const client = createTestClient(service.url, { buffers });
  const failureOf = (call: Promise<unknown>): Promise<unknown> => call.catch((error: unknown) => error);
  const [submit, poll] = [
    await failureOf(client.submit({ name: 'keyword_rankings' }, {}, { priority: 1, context: {} })),
    await failureOf(client.poll({ name: 'keyword_rankings' }, 'e1', { priority: 1, context: {} })),
  ];
  expect(submit).toBeInstanceOf(ProtocolError);
  expect(submit).toMatchObject({ isOutcomeUnknown: true, message: expect.stringContaining('the service answered, but') as string });
  expect(poll).toBeInstanceOf(StoreError);
  // `inUse` is referenced up to here, since the pool reuses a buffer that nobody references.
  BufferPool.release(inUse);
  await client.close();
  await service.close();
});

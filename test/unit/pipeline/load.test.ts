import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { CancelledError, StoreError } from '../../../src/core/errors.ts';
import { keywordRankings } from '../../../src/datasets/keyword-rankings.ts';
import type { Execution } from '../../../src/ledger/executions.ts';
import { type LoadSource, loadPages } from '../../../src/pipeline/load.ts';
import type { Pool } from '../../../src/postgres/pool.ts';
import type { ServiceClient } from '../../../src/service/client.ts';
import { pipelineOn } from '../../support/drive.ts';
import { scriptService } from '../../support/scripted-service.ts';
import { countOpenFiles } from '../../support/spool.ts';

const execution = {
  id: 1,
  leaseToken: 1,
  dataset: keywordRankings.name,
  priority: 1,
  pageSize: 1000,
  pages: 0,
  rowsReceived: 0,
  nextCursor: null,
  request: {},
  rowSchema: null,
} as Execution;

const schema = keywordRankings.columns.map(({ name, wire }) => ({ name, type: wire }));
const row = keywordRankings.columns.map(() => '1');
const never = new AbortController().signal;
const suspicion = { isSuspect: false, enter: async () => undefined, leave: () => undefined };
const brokenPool = { connect: () => Promise.reject(Object.assign(new Error('shutting down'), { code: '57P01' })) } as unknown as Pool;

const load = (client: ServiceClient, changes: Partial<LoadSource> = {}): Promise<boolean> =>
  loadPages(pipelineOn(brokenPool, client), execution, { client, remoteId: 'r1', lost: never, calling: never, suspicion, ...changes });

describe('loads whose pages cannot be committed', () => {
  it('end even while the call for the next page waits', async () => {
    const service = scriptService(schema, [[row], [row], [row]], 0);
    service.paginate = (_dataset, _page, { signal }) =>
      new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new CancelledError())));
    const ends = await Promise.allSettled([load(service), load(service)]);
    expect(ends.map((end) => end.status === 'rejected' && end.reason)).toEqual([expect.any(StoreError), expect.any(StoreError)]);
  });

  it('close the files of all pages, whether or not they were copied', async () => {
    const service = scriptService(schema, [[row], [row], [row]], 0, true);
    const folder = mkdtempSync(join(tmpdir(), 'searchmill-test-'));
    vi.stubEnv('TMPDIR', folder);
    await expect(load(service)).rejects.toBeInstanceOf(StoreError);
    expect(countOpenFiles(folder)).toBe(0);
    const answer = await service.poll(keywordRankings, 'r1', { priority: 1, context: {} });
    if (answer.state !== 'completed') throw new Error(answer.state);
    expect(countOpenFiles(folder)).toBe(1);
    await expect(load(service, { firstPage: answer.page, calling: AbortSignal.abort() })).rejects.toBeInstanceOf(CancelledError);
    expect(countOpenFiles(folder)).toBe(0);
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
});

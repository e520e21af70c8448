import { describe, expect, it } from 'vitest';
import { StoreError } from '../../../src/core/errors.ts';
import { keywordRankings } from '../../../src/datasets/keyword-rankings.ts';
import { loadPages } from '../../../src/pipeline/load.ts';
import { PageRoom } from '../../../src/pipeline/page-room.ts';
import type { Execution } from '../../../src/warehouse/executions.ts';
import type { Pool } from '../../../src/warehouse/pool.ts';
import { pipelineOn } from '../../support/drive.ts';
import { scriptService } from '../../support/scripted-service.ts';

/** Of a page of the scripted service. */
const PAGE_BYTES = 100;

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

describe('loads whose pages cannot be committed', () => {
  it('end, though they wait for room for the next page', async () => {
    const schema = keywordRankings.columns.map(({ name, wire }) => ({ name, type: wire }));
    const row = keywordRankings.columns.map(() => '1');
    const service = scriptService(schema, [[row], [row], [row]], 0);
    const pool = { connect: () => Promise.reject(Object.assign(new Error('shutting down'), { code: '57P01' })) } as unknown as Pool;
    const room = new PageRoom(PAGE_BYTES / 2);
    const never = new AbortController().signal;
    const suspicion = { isSuspect: false, enter: async () => undefined, leave: () => undefined };
    const load = async (): Promise<boolean> => {
      const share = room.openShare('job');
      try {
        return await loadPages(pipelineOn(pool, service), service, execution, 'r1', undefined, share, {
          lost: never,
          calling: never,
          suspicion,
        });
      } finally {
        share.close();
      }
    };
    const ends = await Promise.allSettled([load(), load()]);
    expect(ends.map((end) => end.status === 'rejected' && end.reason)).toEqual([expect.any(StoreError), expect.any(StoreError)]);
    expect(room.held).toBe(0);
  });
});

// Services whose pages never end. Each step is another process that reads a few pages.
import { describe, expect, it } from 'vitest';
import { parsedRows } from '../../../src/codec/page-rows.ts';
import { datasetNamed } from '../../../src/datasets/index.ts';
import { MAX_EMPTY_PAGES } from '../../../src/pipeline/endless.ts';
import type { Page } from '../../../src/service/answers.ts';
import { findLive, makeDue, pipelineOn, stepOnce } from '../../support/drive.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { scriptService } from '../../support/scripted-service.ts';
import { planWindow } from '../../support/window-steps.ts';
import { schemaOf, wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const MAX_STEPS = 60;
const PAGES_A_LOOK = 3;

type Query = Readonly<{ pages: number; limit?: number; alter: (page: Page, number: number) => Page }>;

/** Loads as long as it takes, at most sixty steps. Returns what the ledger then has of the job's executions. */
async function load({ pages, alter, limit }: Query, between?: (executionId: number) => Promise<void>) {
  const { pool } = ledger;
  const base = jobOf({ maxSubmits: 1, ...(limit && { dataset: datasetNamed('ai_search_response'), filters: { limit } }) });
  const job = { ...base, connection: base.name };
  const rows = Array.from({ length: pages }, (_, i) => [wireRow(job, { query: `q${i}`, prompt: `q${i}` })]);
  const service = scriptService(schemaOf(job.dataset), rows, 0);
  service.alterPage = alter;
  await planWindow(pool, job);
  let steps = 0;
  for (let live = await findLive(pool, job.name); live && steps < MAX_STEPS; live = await findLive(pool, job.name)) {
    await makeDue(pool, job.name);
    const stopping = new AbortController();
    let read = 0;
    service.afterCall = (call) => {
      read += call === 'submit' ? 0 : 1;
      if (read === PAGES_A_LOOK) stopping.abort();
    };
    await stepOnce(pipelineOn(pool, service, { owner: `process ${steps}`, stopping: stopping.signal }), live);
    await between?.(live.id);
    steps += 1;
  }
  const { rows: ended } = await pool.query<{ state: string; end_reason: string; pages: number }>(
    `SELECT e.state, e.end_reason, e.pages, e.objections, e.rows_staged FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
      WHERE s.job = $1`,
    [job.name],
  );
  return ended;
}

const withoutTotal = (page: Page): Page => ({ ...page, totalRowCount: null });

describe('a load', () => {
  it('whose pages lead in a circle too long for one process to walk is ended', async () => {
    const ended = await load({
      pages: 12,
      alter: (page, number) => ({ ...withoutTotal(page), nextPageId: number === 12 ? 'r1/4' : page.nextPageId }),
    });
    expect(ended).toEqual([expect.objectContaining({ state: 'failed', end_reason: expect.stringContaining('points back') as string })]);
    // Three pages before the circle, nine in it.
    expect(ended[0]?.pages).toBeLessThan(3 * 12);
  });

  it('whose page points to itself is ended at once', async () => {
    const ended = await load({ pages: 6, alter: (page, number) => (number === 5 ? { ...page, nextPageId: 'r1/5' } : page) });
    expect(ended).toMatchObject([{ state: 'failed', pages: 4 }]);
  });

  it('that received more rows than the service announced, with a further page offered, is ended', async () => {
    const ended = await load({ pages: 20, alter: (page) => ({ ...page, totalRowCount: 4n }) });
    expect(ended).toMatchObject([{ state: 'failed', end_reason: expect.stringMatching(/4 rows, sent [5-8] on/) as string }]);
  });

  it('that received more rows than were asked for, of a service that announces none, is ended', async () => {
    const ended = await load({ pages: 20, limit: 4, alter: withoutTotal });
    expect(ended).toMatchObject([{ state: 'failed', end_reason: expect.stringMatching(/4 rows, sent [5-8] on/) as string }]);
  });

  it('whose last page brings a row too many is left to the audit', async () => {
    const ended = await load({ pages: 4, alter: (page) => ({ ...page, totalRowCount: 3n }) });
    expect(ended).toMatchObject([{ state: 'held', objections: [{ rule: 'total' }] }]);
  });

  it('of a service that ignores the limit is read to the end, since it sends what it announced', async () => {
    const ended = await load({ pages: 8, limit: 4, alter: (page) => page });
    expect(ended).toMatchObject([{ state: 'published', rows_staged: 8 }]);
  });

  it('that brings page after page without rows is ended, across processes', async () => {
    const empty = (page: Page, number: number): Page => ({ ...withoutTotal(page), rows: number > 2 ? parsedRows([]) : page.rows });
    const ended = await load({ pages: 400, alter: empty }, async (id) => {
      // As many pages as other processes have read meanwhile.
      await ledger.pool.query(
        `UPDATE searchmill.executions SET pages = pages + $2 WHERE id = $1 AND state = 'loading' AND pages BETWEEN 3 AND 200`,
        [id, MAX_EMPTY_PAGES - 30],
      );
    });
    expect(ended).toMatchObject([
      { state: 'failed', end_reason: expect.stringMatching(/the last 1\d\d\d of 1\d\d\d pages have no rows/) as string },
    ]);
  });
});

// The 7 days of an executionId and max_wait: what cannot be read in time is asked for anew before its end, and an id is not
// used past it.
import { describe, expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { drive, findLive, pipelineOn, stepIfLive } from '../../support/drive.ts';
import { jobOf, publishedRows, useLedger } from '../../support/ledger.ts';
import { type ScriptedService, scriptService } from '../../support/scripted-service.ts';
import { planWindow } from '../../support/window-steps.ts';
import { schemaOf, wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();

/** A job of three pages whose query was submitted, and as many of them loaded as `steps` allow. */
async function begin(inProgress: number, changes: Partial<Job> = {}) {
  const { pool } = ledger;
  const made = jobOf(changes);
  const job = { ...made, connection: made.name };
  const pages = ['a', 'b', 'c'].map((query) => [wireRow(job, { query })]);
  const service = scriptService(schemaOf(job.dataset), pages, inProgress);
  await planWindow(pool, job);
  const pipeline = pipelineOn(pool, service);
  const change = (sql: string) =>
    pool.query(
      `UPDATE searchmill.executions e SET ${sql} FROM searchmill.slices s WHERE s.id = e.slice_id AND s.job = $1 AND e.ended_at IS NULL`,
      [job.name],
    );
  return { job, service, step: () => stepIfLive(pool, pipeline, job.name), change, finish: () => drive(pool, pipeline, job.name) };
}

async function endings(job: Job): Promise<unknown[]> {
  const { rows } = await ledger.pool.query(
    'SELECT e.state, e.end_reason AS reason FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id WHERE s.job = $1 ORDER BY e.id',
    [job.name],
  );
  return rows;
}

const queries = async (job: Job): Promise<unknown[]> => (await publishedRows(ledger.pool, job, ['query'])).map(({ query }) => query);
const callsWith = (service: ScriptedService, id: string): number => service.calls.filter((call) => call.includes(` ${id}`)).length;
const breakAt = (service: ScriptedService, page: string): void => {
  service.beforeCall = (call) => {
    if (call.endsWith(page)) throw new Error('the test stops here');
  };
};

describe('an executionId', () => {
  it.each([
    ['is over', "expires_at = clock_timestamp() - interval '1 second'"],
    ['is over within minutes', "expires_at = clock_timestamp() + interval '4 minutes'"],
  ])('whose validity %s is not used again: staged rows are dropped, and the load is submitted again', async (_, sql) => {
    const { job, service, step, change, finish } = await begin(0);
    breakAt(service, '/3');
    await step();
    await step();
    expect(await findLive(ledger.pool, job.name)).toMatchObject({ state: 'loading' });
    service.beforeCall = () => undefined;
    const before = callsWith(service, 'r1');
    await change(sql);
    await finish();
    expect(callsWith(service, 'r1')).toBe(before);
    expect(await endings(job)).toEqual([
      { state: 'abandoned', reason: 'its executionId is older than its 7 days, or would be before the rest is read' },
      { state: 'published', reason: null },
    ]);
    expect(await queries(job)).toEqual(['a', 'b', 'c']);
  });

  it('is given up before it expires when the calls left do not suffice to read the rest in time', async () => {
    const { job, service, step, change, finish } = await begin(0, { pageSize: 1 });
    await ledger.pool.query(
      `INSERT INTO searchmill.connections (name, base_url, auth_kind, budget_id, submits_per_minute, reads_per_minute) VALUES ($1, '', 'token', $1, 5, 10)`,
      [job.name],
    );
    let attempts = 0;
    service.beforeCall = (call) => {
      if (!call.endsWith('/2')) return;
      attempts += 1;
      throw new Error('the test stops here');
    };
    await step();
    await step();
    // A thousand pages more, at ten a minute: 100 minutes.
    attempts = 0;
    await change("total_row_count = 1001, expires_at = clock_timestamp() + interval '110 minutes'");
    await step();
    expect(attempts).toBe(1);
    await change("expires_at = clock_timestamp() + interval '100 minutes'");
    await step();
    expect(attempts).toBe(1);
    expect(await endings(job)).toMatchObject([{ state: 'abandoned' }, { state: 'planned' }]);
    service.beforeCall = () => undefined;
    await finish();
    expect(await queries(job)).toEqual(['a', 'b', 'c']);
  });

  it('keeps its 7 days from the moment before the request, by the clock of the database', async () => {
    const { job, step } = await begin(1);
    await step();
    const { rows } = await ledger.pool.query(
      `SELECT e.expires_at - e.submit_started_at = interval '7 days' AS "isWeek" FROM searchmill.executions e
         JOIN searchmill.slices s ON s.id = e.slice_id WHERE s.job = $1`,
      [job.name],
    );
    expect(rows).toEqual([{ isWeek: true }]);
  });
});

describe('a query that stays in progress', () => {
  it('is given up after max_wait, kept in the ledger, and submitted again', async () => {
    const { job, service, step, change, finish } = await begin(3, { maxWaitMs: 6 * 3_600_000 });
    await step();
    await step();
    await change("submitted_at = e.submitted_at - interval '5 hours 59 minutes'");
    await step();
    expect(await endings(job)).toMatchObject([{ state: 'in_progress' }]);
    await change("submitted_at = e.submitted_at - interval '2 minutes'");
    const before = callsWith(service, 'r1');
    await step();
    expect(callsWith(service, 'r1')).toBe(before);
    expect(await endings(job)).toEqual([
      { state: 'abandoned', reason: 'it was in progress for longer than max_wait' },
      { state: 'planned', reason: null },
    ]);
    await finish();
    expect(await queries(job)).toEqual(['a', 'b', 'c']);
  });

  it('again and again fails for that reason once the submits of the day are spent', async () => {
    const { job, service, step, change } = await begin(1_000, { maxSubmits: 2 });
    for (let round = 0; round < 2; round += 1) {
      await step();
      await change('submitted_at = e.submitted_at - e.max_wait');
      await step();
    }
    expect(service.calls.filter((call) => call === 'submit')).toHaveLength(2);
    expect(await endings(job)).toEqual([
      { state: 'abandoned', reason: 'it was in progress for longer than max_wait' },
      { state: 'failed', reason: expect.stringMatching(/max_wait; 2 submits in 24 hours .*max_submits/) as string },
    ]);
  });

  it('is not bound by max_wait once its first page is there: reading may take as long as it takes', async () => {
    const { job, service, step, change, finish } = await begin(0);
    breakAt(service, '/2');
    await step();
    await step();
    service.beforeCall = () => undefined;
    await change('submitted_at = e.submitted_at - 2 * e.max_wait');
    await finish();
    expect(await endings(job)).toMatchObject([{ state: 'published' }]);
  });
});

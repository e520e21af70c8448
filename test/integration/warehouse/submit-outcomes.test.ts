// The process that saw the outcome of a submit writes it down: only a submit that nobody answered is unknown.
import { describe, expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { ExecutionFailedError, ProtocolError, RejectedError, ServiceUnavailableError } from '../../../src/core/errors.ts';
import { addDays, windowOfWeeks } from '../../../src/core/weeks.ts';
import { cancelLoads } from '../../../src/ledger/cancel.ts';
import { readUnknownSubmits } from '../../../src/ledger/coverage.ts';
import { submitNext } from '../../../src/pipeline/submit.ts';
import { drive, makeDue, pipelineOn } from '../../support/drive.ts';
import { jobOf, useLedger, WEEK } from '../../support/ledger.ts';
import { type ScriptedService, scriptService } from '../../support/scripted-service.ts';
import { planLoads, planWindow } from '../../support/window-steps.ts';
import { schemaOf, wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const SILENT = new ServiceUnavailableError('it did not begin to answer in time', { isOutcomeUnknown: true });

/** A planned job whose submits end in what `answer` throws, if it throws. */
async function prepare(answer: (submits: number) => Error | undefined, changes: Partial<Job> = {}) {
  const plain = jobOf(changes);
  const job = { ...plain, connection: plain.name };
  const service = scriptService(schemaOf(job.dataset), [[wireRow(job, { query: 'a' })]], 0);
  let submits = 0;
  service.beforeCall = (call) => {
    if (call !== 'submit') return;
    submits += 1;
    const error = answer(submits);
    if (error) throw error;
  };
  await planWindow(ledger.pool, job);
  return { job, service, pipeline: pipelineOn(ledger.pool, service), submits: () => submits };
}

type Entry = { state: string; submit_outcome: string | null; end_reason: string | null };
async function entries(job: Job): Promise<Entry[]> {
  const { rows } = await ledger.pool.query<Entry>(
    `SELECT e.state, e.submit_outcome, e.end_reason FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
      WHERE s.job = $1 ORDER BY e.id`,
    [job.name],
  );
  return rows;
}
const unknown = async (job: Job): Promise<number> => (await readUnknownSubmits(ledger.pool, job.name))[0]?.submits ?? 0;

describe('a submit that the service refused', () => {
  const refusal = new RejectedError('INVALID_PARAMETERS: no such locode', { context: { status: 400 } });

  it('counts as refused, not as a submit of unknown outcome', async () => {
    const { job, pipeline } = await prepare(() => refusal);
    await drive(ledger.pool, pipeline, job.name);
    expect(await entries(job)).toMatchObject([{ state: 'failed', submit_outcome: 'refused' }]);
    expect(await unknown(job)).toBe(0);
  });

  it('counts so, too, when the database is away at the moment of the answer', async () => {
    const { job, pipeline } = await prepare(() => refusal);
    let failures = 0;
    const connect = ledger.pool.connect.bind(ledger.pool) as (...args: unknown[]) => unknown;
    // What the answer leads to is one transaction. Single statements, which the pool connects for itself, go through.
    const pool = new Proxy(ledger.pool, {
      get: (target, name) =>
        name === 'connect'
          ? (...args: unknown[]) => {
              if (args.length > 0 || failures === 3) return connect(...args);
              failures += 1;
              return Promise.reject(Object.assign(new Error('the server is shutting down'), { code: '57P01' }));
            }
          : Reflect.get(target, name, target),
    });
    const clock = { now: () => new Date(), sleep: async () => undefined };
    await submitNext({ ...pipeline, pool, clock }, job.connection);
    expect(failures).toBe(3);
    expect(await entries(job)).toMatchObject([
      { state: 'failed', submit_outcome: 'refused', end_reason: expect.stringContaining('no such locode') },
    ]);
  });

  it('counts so, too, when the load was cancelled meanwhile', async () => {
    const { job, service, pipeline } = await prepare(() => undefined);
    service.submit = async (_dataset, _body, call) => {
      await call.onPermit?.();
      await cancelLoads(ledger.pool, job.name, { from: undefined, to: undefined });
      throw refusal;
    };
    await submitNext(pipeline, job.connection);
    expect(await entries(job)).toMatchObject([{ state: 'cancelled', submit_outcome: 'refused' }]);
  });
});

describe('a submit that was answered, and cannot be read', () => {
  it.each([
    ['not JSON', new ProtocolError('the body is not JSON', { isOutcomeUnknown: true, context: { status: 202 } })],
    ['not UTF-8', new ServiceUnavailableError('the body is not UTF-8 text', { isOutcomeUnknown: true, context: { status: 200 } })],
  ])('counts against max_submits, and its load ends with the true reason: %s', async (_, error) => {
    const { job, pipeline, submits } = await prepare(() => error, { maxSubmits: 2 });
    await drive(ledger.pool, pipeline, job.name);
    expect(submits()).toBe(2);
    expect(await entries(job)).toMatchObject([
      { state: 'abandoned', submit_outcome: 'unreadable', end_reason: error.message },
      { state: 'failed', submit_outcome: 'unreadable', end_reason: expect.stringContaining(`${error.message}; 2 submits`) as string },
    ]);
    expect(await unknown(job)).toBe(0);
  });
});

describe('the submits of a day', () => {
  it('count from the last publication of the slice: reloads that went well use up none', async () => {
    const failsAt = 4;
    const { job, pipeline } = await prepare((n) => (n === failsAt ? new ExecutionFailedError('the query failed') : undefined), {
      maxSubmits: 3,
    });
    for (let loads = 1; loads < failsAt; loads += 1) {
      await drive(ledger.pool, pipeline, job.name);
      await planWindow(ledger.pool, job);
    }
    await drive(ledger.pool, pipeline, job.name);
    expect((await entries(job)).map(({ state }) => state)).toEqual(['published', 'published', 'published', 'failed', 'published']);
  });
});

describe('a service that takes connections and does not answer', () => {
  /** Plans so many weeks, and steps through the connection's submits as if each wait were over. */
  async function rounds(job: Job, service: ScriptedService, count: number): Promise<void> {
    const pipeline = pipelineOn(ledger.pool, service);
    for (let round = 0; round < count; round += 1) {
      await makeDue(ledger.pool, job.name);
      await submitNext(pipeline, job.connection);
    }
  }

  it('leaves few submits of a job unknown, however long that lasts: a probe goes first, which spends no submit', async () => {
    const { job, service, submits } = await prepare(() => SILENT);
    const weeks = Array.from({ length: 8 }, (_, week) => ({
      window: windowOfWeeks(addDays(WEEK.start, -7 * week), 1),
      reason: 'catch_up' as const,
    }));
    await planLoads(ledger.pool, job, weeks);
    let isDown: boolean = true;
    service.probe = async () => {
      if (isDown) throw SILENT;
    };
    await rounds(job, service, 20);
    expect(submits()).toBe(1);
    expect(await unknown(job)).toBe(1);
    const { rows } = await ledger.pool.query<{ last_error: string }>(
      `SELECT DISTINCT last_error FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
        WHERE s.job = $1 AND e.last_error IS NOT NULL`,
      [job.name],
    );
    expect(rows[0]?.last_error).toMatch(/^no submit is sent until the service answers a probe/);
    isDown = false;
    await rounds(job, service, 1);
    expect(submits()).toBe(2);
  });

  it('is asked by two submits of a job at once at most', async () => {
    const { job, service } = await prepare(() => undefined);
    const weeks = Array.from({ length: 5 }, (_, week) => ({
      window: windowOfWeeks(addDays(WEEK.start, -7 * week), 1),
      reason: 'catch_up' as const,
    }));
    await planLoads(ledger.pool, job, weeks);
    const pipeline = pipelineOn(ledger.pool, service);
    let underWay = 0;
    service.submit = async (_dataset, _body, call) => {
      await call.onPermit?.();
      underWay += 1;
      // As the bell for the next submit would.
      await submitNext(pipeline, job.connection);
      throw SILENT;
    };
    await submitNext(pipeline, job.connection);
    expect(underWay).toBe(2);
  });
});

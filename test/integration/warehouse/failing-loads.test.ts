import { describe, expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import {
  CancelledError,
  ExecutionFailedError,
  ProtocolError,
  RateLimitedError,
  RejectedError,
  ServiceUnavailableError,
  StoreError,
  UnauthorizedError,
} from '../../../src/core/errors.ts';
import { addDays, type Window, windowOfWeeks } from '../../../src/core/weeks.ts';
import { readCoverage } from '../../../src/ledger/coverage.ts';
import { claimExecution, claimNextSubmit, findDue, finishSubmit, startSubmit } from '../../../src/ledger/executions.ts';
import type { Pipeline } from '../../../src/pipeline/pipeline.ts';
import { submitNext } from '../../../src/pipeline/submit.ts';
import { stagingTable } from '../../../src/tables/staging.ts';
import { drive, findLive, pipelineOn, stepIfLive, stepOnce } from '../../support/drive.ts';
import { jobOf, publishedRows, useLedger, WEEK } from '../../support/ledger.ts';
import { loseAnswer } from '../../support/lost-answer.ts';
import { type ScriptedService, scriptService } from '../../support/scripted-service.ts';
import { planLoads, planWindow, release, submitWindow } from '../../support/window-steps.ts';
import { schemaOf, wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();

/** A planned job whose service fails with what `fail` gives for a call, and its pipeline. */
async function prepare(fail: (call: string, times: number) => Error | undefined, changes: Partial<Job> = {}) {
  const { pool } = ledger;
  const job = jobOf(changes);
  const own = { ...job, connection: job.name };
  const rows = ['a', 'b', 'c'].map((query) => [wireRow(own, { query })]);
  const service = scriptService(schemaOf(own.dataset), rows, 0);
  const times = new Map<string, number>();
  service.beforeCall = (call) => {
    const kind = call.split(' ')[0] ?? call;
    times.set(kind, (times.get(kind) ?? 0) + 1);
    const error = fail(call, times.get(kind) ?? 0);
    if (error) throw error;
  };
  await planWindow(pool, own);
  const pipeline = pipelineOn(pool, service);
  return {
    job: own,
    service,
    pipeline,
    step: () => stepIfLive(pool, pipeline, own.name),
    finish: () => drive(pool, pipeline, own.name),
  };
}

type Entry = {
  state: string;
  errors_in_row: number;
  last_error_code: string | null;
  waiting_for: string | null;
  end_reason: string | null;
  /** From its last error, or else from now, until it is due. */
  wait_s: number;
  /** Until the last of the errors that it is retried for, since the first of them. */
  lasted_s: number | null;
  retrying: boolean;
};

/** The executions of a job, oldest first. */
async function entries(job: Job): Promise<Entry[]> {
  const { rows } = await ledger.pool.query<Entry>(
    `SELECT e.state, e.errors_in_row, e.retrying_since IS NOT NULL AS retrying, e.last_error_code, e.waiting_for, e.end_reason, e.pages,
            round(extract(epoch FROM e.due_at - coalesce(e.last_error_at, clock_timestamp())), 1)::float8 AS wait_s,
            extract(epoch FROM e.last_error_at - e.retrying_since)::float8 AS lasted_s
       FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id WHERE s.job = $1 ORDER BY e.id`,
    [job.name],
  );
  return rows;
}

const published = async (job: Job): Promise<unknown[]> => (await publishedRows(ledger.pool, job, ['query'])).map(({ query }) => query);
const submits = (service: ScriptedService): number => service.calls.filter((call) => call === 'submit').length;
/** It was given up for this reason, asked for once more, and published whole. */
async function expectAskedAnew(job: Job, service: ScriptedService, reason: string): Promise<void> {
  expect(await entries(job)).toMatchObject([
    { state: 'abandoned', end_reason: expect.stringContaining(reason) as string },
    { state: 'published' },
  ]);
  expect(submits(service)).toBe(2);
  expect(await published(job)).toEqual(['a', 'b', 'c']);
}
const onPage =
  (error: Error, most = 1) =>
  (call: string, times: number) =>
    call.startsWith('page') && times <= most ? error : undefined;
const onSubmit =
  (error: Error, most = 1) =>
  (call: string, times: number) =>
    call === 'submit' && times <= most ? error : undefined;

describe('a load whose staging is gone, as after a backup without it', () => {
  it('is submitted again, and published', async () => {
    const { job, service, step, finish } = await prepare(onPage(new ServiceUnavailableError('cut', { isOutcomeUnknown: false })));
    for (let steps = 0; steps < 2; steps += 1) await step();
    await ledger.pool.query(`DROP TABLE ${stagingTable((await findLive(ledger.pool, job.name))?.id ?? 0)}`);
    await finish();
    await expectAskedAnew(job, service, 'its staging table is gone');
  });
});

describe('a load whose first pages are lost with the ledger that knew of them, as after a fail-over', () => {
  it('begins with the first page again, with the same submit', async () => {
    const { job, service, finish } = await prepare(() => undefined);
    const { beforeCall } = service;
    let pages = 0;
    service.beforeCall = async (call) => {
      await beforeCall(call);
      if (!call.startsWith('page')) return;
      pages += 1;
      if (pages !== 2) return;
      const id = (await findLive(ledger.pool, job.name))?.id ?? 0;
      await expect.poll(async () => (await entries(job))[0]).toMatchObject({ pages: 2 });
      await ledger.pool.query(`DROP TABLE ${stagingTable(id)}`);
      await ledger.pool.query(
        `UPDATE searchmill.executions SET state = 'in_progress', pages = 0, next_cursor = NULL, cursor_anchor = NULL, rows_received = 0, rows_staged = 0, bytes_received = 0,
                row_schema = NULL WHERE id = $1`,
        [id],
      );
    };
    await finish();
    expect(await entries(job)).toMatchObject([{ state: 'published' }]);
    expect(submits(service)).toBe(1);
    expect(await published(job)).toEqual(['a', 'b', 'c']);
  });
});

describe('a load that fails on a page', () => {
  it.each([
    ['the service is away', new ServiceUnavailableError('503', { isOutcomeUnknown: false }), { errors_in_row: 1, wait_s: 1.5 }],
    ['the answer makes no sense', new ProtocolError('nonsense'), { errors_in_row: 1, wait_s: 1.5 }],
    ['the database is away for a moment', new StoreError('away', { retryable: true }), { errors_in_row: 0, wait_s: 1.5 }],
    ['the database refuses for good', new StoreError('refused', { retryable: false }), { errors_in_row: 1, wait_s: 1.5 }],
    ['there is a defect of our own', new TypeError('x is not a function'), { errors_in_row: 1, wait_s: 1.5 }],
    ['the budget is used up', new RateLimitedError('429', { retryAfterMs: 42_000 }), { errors_in_row: 0, wait_s: 42 }],
    ['the credential is refused', new UnauthorizedError('401'), { errors_in_row: 0, wait_s: 60 }],
  ])('because %s continues where it stopped, with the same submit', async (_, error, expected) => {
    const { job, service, step, finish } = await prepare(onPage(error));
    await step();
    await step();
    expect(await entries(job)).toEqual([
      expect.objectContaining({ state: 'loading', retrying: true, last_error_code: 'code' in error ? error.code : 'store', ...expected }),
    ]);
    await finish();
    expect(await entries(job)).toEqual([expect.objectContaining({ state: 'published', retrying: false })]);
    expect(await published(job)).toEqual(['a', 'b', 'c']);
    expect(submits(service)).toBe(1);
    expect(service.calls.filter((call) => call.startsWith('poll'))).toHaveLength(1);
  });

  it('again and again waits longer and longer, and says so in the coverage', async () => {
    const { job, step } = await prepare(onPage(new ServiceUnavailableError('the service answered 503', { isOutcomeUnknown: false }), 100));
    const waits: number[] = [];
    await step();
    for (let i = 0; i < 10; i += 1) {
      await step();
      waits.push((await entries(job)).at(-1)?.wait_s ?? 0);
    }
    // Three quarters of the doubled base, by the chance of a half, up to five minutes.
    expect(waits).toEqual([1.5, 3, 6, 12, 24, 48, 96, 192, 225, 225]);
    const [week] = await readCoverage(ledger.pool, job.name);
    expect(week).toMatchObject({ state: 'running', detail: 'the service answered 503' });
  });

  it('because the database has failed for long waits longer, up to half a minute, and is never given up', async () => {
    const { job, step, finish } = await prepare(onPage(new StoreError('the statement was cancelled', { retryable: true }), 5));
    // Three quarters of the time it has lasted, by the chance of a half.
    const waitAfter = (lastedS: number): number => 0.75 * Math.min(30, Math.max(2, lastedS));
    await step();
    for (const lastedS of [1, 9, 29, 90, 604_800]) {
      await ledger.pool.query(
        `UPDATE searchmill.executions e SET retrying_since = clock_timestamp() - make_interval(secs => $2) FROM searchmill.slices s WHERE s.id = e.slice_id AND s.job = $1`,
        [job.name, lastedS],
      );
      await step();
      const failed = (await entries(job)).at(-1);
      expect(failed?.wait_s).toBeGreaterThanOrEqual(waitAfter(lastedS) - 0.1);
      // Some time has passed until it failed again.
      expect(failed?.wait_s).toBeLessThanOrEqual(waitAfter(failed?.lasted_s ?? 0) + 0.1);
    }
    await finish();
    expect(await entries(job)).toMatchObject([{ state: 'published' }]);
  });

  it('and finds its query still running no longer counts as retrying', async () => {
    const { job, service, step } = await prepare((call, times) =>
      call.startsWith('poll') && times === 1 ? new ServiceUnavailableError('503', { isOutcomeUnknown: false }) : undefined,
    );
    service.poll = async (...[, executionId, call]) => {
      service.calls.push(`poll ${executionId}`);
      await service.beforeCall(`poll ${executionId}`);
      await call.onAnswered?.();
      return { state: 'in_progress', requestId: null };
    };
    const retrying: boolean[] = [];
    for (let steps = 0; steps < 3; steps += 1) {
      await step();
      retrying.push((await entries(job))[0]?.retrying === true);
    }
    expect(retrying).toEqual([false, true, false]);
  });

  it('because the service has forgotten its execution is submitted again, from the first page', async () => {
    const { job, service, step, finish } = await prepare(onPage(new RejectedError('unknown executionId'), 4));
    for (let steps = 0; steps < 5; steps += 1) await step();
    expect(await entries(job)).toMatchObject([
      { state: 'abandoned', end_reason: expect.stringContaining('unknown executionId') as string },
      { state: 'planned' },
    ]);
    await finish();
    expect(await published(job)).toEqual(['a', 'b', 'c']);
    expect(submits(service)).toBe(2);
  });

  it('because the service does not know its query everywhere yet goes on with the same query once it does', async () => {
    const { job, service, finish } = await prepare((call, times) =>
      call.startsWith('poll') && times <= 3 ? new RejectedError('unknown executionId') : undefined,
    );
    await finish();
    expect(await published(job)).toEqual(['a', 'b', 'c']);
    expect(submits(service)).toBe(1);
  });

  it('because its execution failed is submitted again, as often as the day allows, and then fails for that reason', async () => {
    const { job, service, finish } = await prepare(onPage(new ExecutionFailedError('out of memory'), 100), { maxSubmits: 3 });
    await finish();
    expect((await entries(job)).map(({ state }) => state)).toEqual(['failed', 'failed', 'failed']);
    expect((await entries(job)).at(-1)?.end_reason).toMatch(/out of memory.*3 submits/);
    expect(submits(service)).toBe(3);
    const [week] = await readCoverage(ledger.pool, job.name);
    expect(week).toMatchObject({ week: WEEK.start, state: 'failed' });
  });

  it('because its pages lead in a circle is submitted again at once, without reading on', async () => {
    const { job, service, finish } = await prepare(() => undefined);
    const paginate = service.paginate.bind(service);
    service.paginate = async (...call) => {
      const page = await paginate(...call);
      // Page 3 of the first query points back to page 2.
      return page.nextPageId === null && call[1].executionId === 'r1' ? { ...page, nextPageId: 'r1/2' } : page;
    };
    await finish();
    await expectAskedAnew(job, service, 'points back');
  });

  it('because answers make no sense five times in a row is submitted again', async () => {
    const { job, service, finish } = await prepare(onPage(new ProtocolError('a token that leads in a circle'), 5));
    await finish();
    expect(await entries(job)).toMatchObject([
      {
        state: 'abandoned',
        end_reason: expect.stringContaining('5 steps in a row failed, the last on an answer that makes no sense') as string,
      },
      { state: 'published' },
    ]);
    expect(submits(service)).toBe(2);
    expect(await published(job)).toEqual(['a', 'b', 'c']);
  });

  it('because the process is stopped is due again at once', async () => {
    const { job, step } = await prepare(onPage(new CancelledError()));
    await step();
    await step();
    expect(await entries(job)).toMatchObject([{ state: 'loading', errors_in_row: 0, last_error_code: null }]);
    expect((await entries(job))[0]?.wait_s).toBeLessThanOrEqual(0);
  });
});

describe('a submit', () => {
  it('that finds no free call stays planned, due at once, without an error', async () => {
    const { job, step } = await prepare(onSubmit(new RateLimitedError('no free submit', { retryAfterMs: 9_000 })));
    await step();
    expect(await entries(job)).toMatchObject([
      { state: 'planned', errors_in_row: 0, last_error_code: null, waiting_for: expect.stringContaining('a free submit') as string },
    ]);
  });

  it.each([
    ['a 429', new RateLimitedError('429', { retryAfterMs: 30_000, context: { status: 429 } }), { errors_in_row: 0, wait_s: 30 }],
    ['a 401', new UnauthorizedError('401', { context: { status: 401 } }), { errors_in_row: 0 }],
    ['a 503', new ServiceUnavailableError('503', { isOutcomeUnknown: true, context: { status: 503 } }), { errors_in_row: 1 }],
    ['no connection', new ServiceUnavailableError('ECONNREFUSED', { isOutcomeUnknown: false }), { errors_in_row: 1 }],
  ])('that got %s has spent nothing and is tried again', async (_, error, expected) => {
    const { job, service, step, finish } = await prepare(onSubmit(error));
    await step();
    expect(await entries(job)).toMatchObject([{ state: 'planned', ...expected }]);
    await finish();
    expect(await entries(job)).toMatchObject([{ state: 'published' }]);
    expect(submits(service)).toBe(1);
  });

  /** Plans so many weeks of each of the jobs, the newest first. */
  async function planWeeks(count: number, ...jobs: readonly Job[]): Promise<Window[]> {
    const weeks = Array.from({ length: count }, (_, week) => windowOfWeeks(addDays(WEEK.start, -7 * week), 1));
    const loads = weeks.map((window) => ({ window, reason: 'catch_up' as const }));
    for (const job of jobs) await planLoads(ledger.pool, job, loads);
    return weeks;
  }

  /** A service that refuses the submits whose body `isRefused`, after they have used up a call. */
  function refuse(dataset: Job['dataset'], refusal: Error, isRefused: (body: Record<string, unknown>) => boolean) {
    const service = scriptService(schemaOf(dataset), [[]], 0);
    const submit = service.submit.bind(service);
    let refusals = 0;
    service.submit = async (name, body, call) => {
      if (!isRefused(body)) return submit(name, body, call);
      await call.onPermit?.();
      refusals += 1;
      throw refusal;
    };
    return { service, refusals: () => refusals };
  }

  /** Ten minutes of 5 submits each. */
  async function submitForTenMinutes(pipeline: Pipeline, connection: string): Promise<void> {
    for (let permits = 0; permits < 50; permits += 1) {
      await submitNext(pipeline, connection);
      await ledger.pool.query("UPDATE searchmill.executions SET due_at = due_at - interval '12 seconds' WHERE connection = $1", [
        connection,
      ]);
    }
  }

  it.each([
    ['that the credential may not make', new UnauthorizedError('not allowed', { context: { status: 403 } })],
    ['that the service fails each time', new ServiceUnavailableError('out of order', { isOutcomeUnknown: true, context: { status: 500 } })],
  ])('%s leaves submits of its connection to other jobs, however many weeks its own job wants', async (_, refusal) => {
    const forbidden = jobOf();
    const connection = forbidden.name;
    const allowed = jobOf({ connection });
    const weeks = await planWeeks(30, { ...forbidden, connection }, allowed);
    const { service, refusals } = refuse(forbidden.dataset, refusal, (body) => body.account_id === forbidden.accountId);
    await submitForTenMinutes(pipelineOn(ledger.pool, service), connection);
    expect(submits(service)).toBe(weeks.length);
    expect(refusals()).toBeLessThan(20);
    expect(await entries(forbidden)).toHaveLength(weeks.length);
  });

  it('that the service fails for the newest two weeks alone leaves the others of its job to be submitted', async () => {
    const job = jobOf();
    const weeks = await planWeeks(20, job);
    const outOfOrder = new ServiceUnavailableError('out of order', { isOutcomeUnknown: true, context: { status: 500 } });
    const { service } = refuse(job.dataset, outOfOrder, (body) =>
      weeks.slice(0, 2).some(({ start }) => JSON.stringify(body).includes(start)),
    );
    await submitForTenMinutes(pipelineOn(ledger.pool, service), job.connection);
    expect(submits(service)).toBe(weeks.length - 2);
  });

  it('that the database fails before anything is sent gives its lease back, and is tried again', async () => {
    const { job, service, step, finish } = await prepare(onSubmit(new StoreError('the server is shutting down', { retryable: true })));
    service.submit = (
      (submit) =>
      async (...call) => {
        await service.beforeCall('submit');
        return submit(...call);
      }
    )(service.submit.bind(service));
    await step();
    const { rows } = await ledger.pool.query(
      `SELECT e.lease_owner FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id WHERE s.job = $1`,
      [job.name],
    );
    expect(rows).toEqual([{ lease_owner: null }]);
    expect(await entries(job)).toMatchObject([{ state: 'planned', errors_in_row: 0, retrying: true }]);
    await finish();
    expect(await entries(job)).toMatchObject([{ state: 'published', retrying: false }]);
    expect(submits(service)).toBe(1);
  });

  it('that the service refuses fails for its reason and is not repeated', async () => {
    const { job, finish } = await prepare(onSubmit(new RejectedError('INVALID_PARAMETERS: no such locode'), 100));
    await finish();
    expect(await entries(job)).toMatchObject([{ state: 'failed', end_reason: expect.stringContaining('no such locode') as string }]);
  });

  it('whose outcome is not known is abandoned and planned again, the third time later', async () => {
    const { job, step } = await prepare(onSubmit(new ServiceUnavailableError('reset', { isOutcomeUnknown: true }), 100));
    for (let i = 0; i < 3; i += 1) await step();
    const all = await entries(job);
    expect(all.map(({ state }) => state)).toEqual(['abandoned', 'abandoned', 'abandoned', 'planned']);
    expect(all[0]?.end_reason).toMatch(/not known.*reset/);
    expect(all.at(-1)?.wait_s).toBeGreaterThan(30);
  });

  it.each(['r-failed', null])(
    'that the service accepts and fails at once (executionId %s) was spent, and counts for the day',
    async (executionId) => {
      const { job, service, finish } = await prepare(() => undefined, { maxSubmits: 3 });
      service.submit = async (_dataset, _body, call) => {
        await call.onPermit?.();
        service.calls.push('submit');
        return { state: 'failed', executionId, message: 'no such report', requestId: 'req' };
      };
      await finish();
      expect((await entries(job)).map(({ state }) => state)).toEqual(['failed', 'failed', 'failed']);
      expect((await entries(job)).at(-1)?.end_reason).toMatch(/no such report.*3 submits/);
      expect(submits(service)).toBe(3);
      const { rows } = await ledger.pool.query(
        `SELECT DISTINCT e.remote_execution_id, e.remote_request_id, e.submitted_at IS NOT NULL AS counts
         FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id WHERE s.job = $1`,
        [job.name],
      );
      expect(rows).toEqual([{ remote_execution_id: executionId, remote_request_id: 'req', counts: true }]);
    },
  );

  it('that the service accepts without an executionId that can be kept was spent, and counts for the day', async () => {
    const nameless = new ProtocolError('gave no executionId', { isOutcomeUnknown: true, isLasting: true, context: { requestId: 'req' } });
    const { job, service, finish } = await prepare(onSubmit(nameless, 100), { maxSubmits: 3 });
    await finish();
    expect((await entries(job)).map(({ state }) => state)).toEqual(['abandoned', 'abandoned', 'failed']);
    expect((await entries(job)).at(-1)?.end_reason).toMatch(/gave no executionId.*3 submits/);
    expect(submits(service)).toBe(0);
  });

  it('whose executionId was written down while the confirmation of the database was lost is not repeated', async () => {
    const { job, service, pipeline, finish } = await prepare(() => undefined);
    const { pool } = ledger;
    const { pool: deaf, isLost } = loseAnswer(pool, "state = 'in_progress', state_since");
    await stepOnce({ ...pipeline, pool: deaf }, (await findLive(pool, job.name)) as NonNullable<Awaited<ReturnType<typeof findLive>>>);
    expect(isLost()).toBe(true);
    expect(await entries(job)).toMatchObject([{ state: 'in_progress' }]);
    await finish();
    expect(await entries(job)).toMatchObject([{ state: 'published' }]);
    expect(submits(service)).toBe(1);
  });

  it('is not sent by a process that was paused while another took it over, whatever permits it gets later', async () => {
    const { job, service, pipeline, step } = await prepare(() => undefined);
    const submit = service.submit.bind(service);
    let isTakenOver = false;
    service.submit = async (dataset, body, call) => {
      await call.onPermit?.();
      // Meanwhile its lease ends, and the first permit is stale when it wakes up.
      if (!isTakenOver) await step();
      isTakenOver = true;
      return submit(dataset, body, call);
    };
    await stepOnce(pipeline, (await findLive(ledger.pool, job.name)) as NonNullable<Awaited<ReturnType<typeof findLive>>>);
    expect(submits(service)).toBe(0);
    expect((await entries(job)).map(({ state }) => state)).toEqual(['abandoned', 'planned']);
  });

  it('that is under way is left for half a minute beyond its lease to its process, which may hold the executionId', async () => {
    const { job } = await prepare(() => undefined);
    const { pool } = ledger;
    const planned = await claimNextSubmit(pool, job.name, { owner: 'silent', leaseMs: 60_000 });
    if (!planned) throw new Error('nothing is planned');
    await startSubmit(pool, planned);
    const endLease = (seconds: number): Promise<unknown> =>
      pool.query('UPDATE searchmill.executions SET lease_until = clock_timestamp() - make_interval(secs => $2) WHERE id = $1', [
        planned.id,
        seconds,
      ]);
    const isDue = async (): Promise<boolean> => (await findDue(pool, 100)).some(({ id }) => id === planned.id);
    await endLease(20);
    expect(await isDue()).toBe(false);
    expect(await claimExecution(pool, planned.id, { owner: 'other', leaseMs: 60_000 })).toBeUndefined();
    const written = await finishSubmit(pool, planned, {
      remoteExecutionId: 'late',
      requestId: null,
      validityMs: 60_000_000,
      firstPollMs: 0,
    });
    expect(written).toMatchObject({ id: planned.id });
    await pool.query(
      "UPDATE searchmill.executions SET state = 'submitting', remote_execution_id = NULL, expires_at = NULL, submitted_at = NULL WHERE id = $1",
      [planned.id],
    );
    await endLease(31);
    expect(await isDue()).toBe(true);
    await pool.query('UPDATE searchmill.executions SET lease_until = NULL WHERE id = $1', [planned.id]);
  });

  it('neither starves running loads nor is starved by them, however many submits wait', async () => {
    const { pool } = ledger;
    const job = jobOf({ connection: 'stuck' });
    await pool.query("UPDATE searchmill.executions SET due_at = clock_timestamp() + interval '20 minutes' WHERE ended_at IS NULL");
    const running = await submitWindow(pool, jobOf({ connection: 'fine' }));
    await release(pool, running);
    const windows = Array.from({ length: 30 }, (_, week) => ({ window: windowOfWeeks('2026-01-04', week + 1), reason: 'newest' }) as const);
    await planLoads(pool, job, windows);
    const due = await findDue(pool, 20);
    expect(due.filter(({ connection }) => connection === 'stuck')).toHaveLength(1);
    expect(due.map(({ id }) => id)).toContain(running.id);
    await pool.query("UPDATE searchmill.executions SET due_at = clock_timestamp() + interval '20 minutes' WHERE ended_at IS NULL");
  });

  it('is found due whatever hangs: each connection has its turn, and so has each of its jobs', async () => {
    const { pool } = ledger;
    await pool.query("UPDATE searchmill.executions SET due_at = clock_timestamp() + interval '20 minutes' WHERE ended_at IS NULL");
    const step = async (job: Job, week: number): Promise<number> => {
      const execution = await submitWindow(pool, job, windowOfWeeks('2026-01-04', week));
      await release(pool, execution);
      return execution.id;
    };
    const hung = jobOf({ connection: 'hung' });
    for (const week of [1, 2, 3, 4, 5]) await step(hung, week);
    const others = [await step(jobOf({ connection: 'hung' }), 1), await step(jobOf({ connection: 'fine' }), 1)];
    // Less urgent than all that hang.
    await pool.query('UPDATE searchmill.executions SET priority = 4 WHERE id = ANY($1)', [others]);
    const due = await findDue(pool, 3);
    expect(due.map(({ id }) => id)).toEqual(expect.arrayContaining(others));
    await pool.query("UPDATE searchmill.executions SET due_at = clock_timestamp() + interval '20 minutes' WHERE ended_at IS NULL");
  });
});

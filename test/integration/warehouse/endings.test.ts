import { describe, expect, it } from 'vitest';
import { windowOfWeeks } from '../../../src/core/weeks.ts';
import { buildSubmitBody } from '../../../src/datasets/submit-body.ts';
import { approveHeld, discardHeld, endAndPlanAgain, endExecution } from '../../../src/ledger/endings.ts';
import { countSubmits, type Execution, finishSubmit, hold, noteSubmit, startSubmit } from '../../../src/ledger/executions.ts';
import { recordJob } from '../../../src/ledger/jobs.ts';
import { stagingTable } from '../../../src/tables/staging.ts';
import { jobOf, publishedRows, useLedger, WEEK } from '../../support/ledger.ts';
import { claim, planWindow, publish, stageWindow, submitWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const ending = { state: 'failed', reason: 'the query failed', code: 'execution_failed' } as const;

async function entry(id: number): Promise<Record<string, unknown>> {
  const { rows } = await ledger.pool.query<Record<string, unknown>>(
    `SELECT e.*, e.due_at - clock_timestamp() > interval '0' AS is_later, to_regclass($2) IS NOT NULL AS has_staging
       FROM searchmill.executions e WHERE id = $1`,
    [id, stagingTable(id)],
  );
  return rows[0] ?? {};
}

describe('an execution that ends', () => {
  it('is ended for a stated reason, without staging, lease or a next step', async () => {
    const { pool } = ledger;
    const execution = await stageWindow(pool, jobOf(), [[]]);
    await endExecution(pool, execution, ending);
    expect(await entry(execution.id)).toMatchObject({
      state: 'failed',
      end_reason: 'the query failed',
      last_error_code: 'execution_failed',
      lease_until: null,
      due_at: null,
      has_staging: false,
      ended_at: expect.any(Date) as Date,
    });
  });

  it('is followed by one with the same question, due when it was asked for', async () => {
    const { pool } = ledger;
    const job = jobOf({ filters: { devices: ['DESKTOP'] } });
    const execution = await submitWindow(pool, job);
    const { next, submits } = await endAndPlanAgain(pool, execution, ending, 60_000);
    expect(submits).toEqual({ spent: 1, unknown: 0 });
    const [before, after] = [await entry(execution.id), await entry(next?.id ?? 0)];
    expect(after).toMatchObject({ state: 'planned', slice_id: execution.sliceId, is_later: true, remote_execution_id: null, pages: 0 });
    for (const same of [
      'request',
      'filters_digest',
      'priority',
      'reason',
      'connection',
      'page_size',
      'max_wait',
      'max_submits',
      'min_keep_share',
    ]) {
      expect({ [same]: after[same] }).toEqual({ [same]: before[same] });
    }
  });

  it('is followed by one with the present question of its job, without the consent given to an earlier question', async () => {
    const { pool } = ledger;
    const job = jobOf({ filters: { devices: ['DESKTOP'] } });
    const execution = await submitWindow(pool, job);
    await pool.query('UPDATE searchmill.executions SET may_shrink = true WHERE id = $1', [execution.id]);
    const changed = { ...job, connection: 'other', filters: { devices: ['SMARTPHONE'] }, filtersDigest: 'changed' };
    await recordJob(pool, changed, WEEK.start);
    const { next } = await endAndPlanAgain(pool, execution, ending, 60_000);
    const after = await entry(next?.id ?? 0);
    expect(after).toMatchObject({ connection: 'other', filters_digest: 'changed', may_shrink: false });
    expect(after.request).toEqual(buildSubmitBody(changed, WEEK));
  });

  it('is the last when the slice has spent its submits of the day, and says so', async () => {
    const { pool } = ledger;
    const job = jobOf({ maxSubmits: 3 });
    let execution: Execution = await submitWindow(pool, job);
    for (let submits = 1; submits < 3; submits += 1) {
      const { next } = await endAndPlanAgain(pool, execution, ending, 0);
      const planned = await claim(pool, next?.id ?? 0);
      await startSubmit(pool, planned);
      await finishSubmit(pool, planned, { remoteExecutionId: `r${submits}`, requestId: null, validityMs: 1, firstPollMs: 0 });
      execution = await claim(pool, planned.id);
    }
    const abandoned = { state: 'abandoned', reason: 'it expired' } as const;
    expect(await endAndPlanAgain(pool, execution, abandoned, 0)).toEqual({ next: undefined, submits: { spent: 3, unknown: 0 } });
    expect(await entry(execution.id)).toMatchObject({
      state: 'failed',
      end_reason: expect.stringMatching(/it expired.*3 submits.*max_submits/) as string,
    });
    expect((await pool.query('SELECT FROM searchmill.executions WHERE slice_id = $1', [execution.sliceId])).rowCount).toBe(3);
  });

  it('counts submits without an answer apart, and those of yesterday not at all', async () => {
    const { pool } = ledger;
    const first = await submitWindow(pool, jobOf());
    const { next } = await endAndPlanAgain(pool, first, ending, 0);
    const second = await claim(pool, next?.id ?? 0);
    await startSubmit(pool, second);
    expect(await countSubmits(pool, second.id)).toEqual({ spent: 1, unknown: 0 });
    await noteSubmit(pool, second, { outcome: 'unanswered' });
    expect(await countSubmits(pool, second.id)).toEqual({ spent: 1, unknown: 1 });
    await pool.query("UPDATE searchmill.executions SET submit_started_at = submit_started_at - interval '25 hours' WHERE id = $1", [
      first.id,
    ]);
    expect(await countSubmits(pool, second.id)).toEqual({ spent: 0, unknown: 1 });
  });
});

describe('a held execution', () => {
  const held = async () => {
    const { pool } = ledger;
    const job = jobOf();
    const execution = await stageWindow(pool, job, [[wireRow(job, { query: 'a' })]]);
    await hold(pool, execution, [{ rule: 'shrink', message: '1 row would replace 100' }], 5);
    return { job, execution };
  };
  /** Decides about a slice, one decision after the other. Returns of how many executions each was. */
  const decide = async ({ sliceId }: Execution, ...decisions: (typeof approveHeld)[]): Promise<number[]> => {
    const decided: number[] = [];
    for (const one of decisions) decided.push((await one(ledger.pool, sliceId)).length);
    return decided;
  };

  it('keeps its rows and its objections and is not due', async () => {
    const { job, execution } = await held();
    expect(await entry(execution.id)).toMatchObject({
      state: 'held',
      due_at: null,
      lease_until: null,
      has_staging: true,
      objections: [{ rule: 'shrink', message: '1 row would replace 100' }],
    });
    expect(await publishedRows(ledger.pool, job, ['query'])).toEqual([]);
    await expect(planWindow(ledger.pool, job)).rejects.toThrow('nothing was planned');
  });

  it('can be published once it is approved, and approving again changes nothing', async () => {
    const { pool } = ledger;
    const { job, execution } = await held();
    expect(await decide(execution, approveHeld, approveHeld, discardHeld)).toEqual([1, 0, 0]);
    const again = await claim(pool, execution.id);
    expect(again).toMatchObject({ state: 'staged', isApproved: true });
    expect(await publish(pool, job, again)).toMatchObject({ inserted: 1 });
  });

  it('is gone with its rows once it is discarded, and the slice can be planned again', async () => {
    const { pool } = ledger;
    const { job, execution } = await held();
    expect(await decide(execution, discardHeld, discardHeld, approveHeld)).toEqual([1, 0, 0]);
    expect(await entry(execution.id)).toMatchObject({ state: 'discarded', has_staging: false });
    expect(await planWindow(pool, job)).toBeGreaterThan(execution.id);
  });

  it.each([
    ['approved', approveHeld, 'staged'],
    ['discarded', discardHeld, 'discarded'],
  ] as const)('is %s with all of its job, and what is held of others stays', async (_, decide, state) => {
    const { pool } = ledger;
    const job = jobOf();
    const other = await held();
    const windows = ['2026-11-08', '2026-10-25'].map((start) => windowOfWeeks(start, 1));
    const executions: Execution[] = [];
    for (const window of windows) {
      const execution = await stageWindow(pool, job, [[wireRow(job, { query: 'a' }, window.start)]], window);
      await hold(pool, execution, [{ rule: 'shrink', message: '1 row would replace 100' }], 5);
      executions.push(execution);
    }
    expect((await decide(pool, job.name)).map(({ windowStart }) => windowStart)).toEqual(['2026-10-25', '2026-11-08']);
    for (const { id } of executions) expect(await entry(id)).toMatchObject({ state });
    expect(await entry(other.execution.id)).toMatchObject({ state: 'held' });
    expect(await decide(pool, job.name)).toEqual([]);
  });

  it('is decided once when two decide at the same moment', async () => {
    const { pool } = ledger;
    for (let round = 0; round < 8; round += 1) {
      const { execution } = await held();
      const decided = await Promise.all([approveHeld(pool, execution.sliceId), discardHeld(pool, execution.sliceId)]);
      expect(decided.flat()).toHaveLength(1);
      expect((await entry(execution.id)).state).toBe(decided[0].length === 1 ? 'staged' : 'discarded');
    }
  });
});

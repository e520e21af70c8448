import { describe, expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { approveHeld } from '../../../src/ledger/endings.ts';
import type { Publication } from '../../../src/ledger/execution-histories.ts';
import { type Execution, hold } from '../../../src/ledger/executions.ts';
import { jobOf, useLedger } from '../../support/ledger.ts';
import { claim, loadWindow, publish, stageWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const row = (job: Job, query: string, start?: string, values: Record<string, unknown> = {}): unknown[] =>
  wireRow(job, { query, ...values }, start);

/** Holds a staged execution, approves it and publishes it, as an operator would. */
async function publishApproved(job: Job, staged: Execution): Promise<Publication> {
  const { pool } = ledger;
  await hold(pool, staged, [{ rule: 'window', message: 'test' }], 0);
  expect(await approveHeld(pool, staged.sliceId)).toHaveLength(1);
  return publish(pool, job, await claim(pool, staged.id));
}

async function everything(job: Job, ...others: (number | string)[]): Promise<string[]> {
  const { rows } = await ledger.pool.query<{ line: string }>(
    `SELECT concat_ws(' ', account_id, time_period_start, query) AS line FROM search.keyword_rankings
      WHERE account_id = ANY ($1::bigint[]) ORDER BY 1`,
    [[job.accountId, ...others]],
  );
  return rows.map(({ line }) => line);
}

describe('rows outside their window, once approved', () => {
  it('are published where they belong, in partitions made for them', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const rows = [row(job, 'in'), row(job, 'early', '2019-12-29'), row(job, 'late', '2031-01-05')];
    expect(await publishApproved(job, await stageWindow(pool, job, [rows]))).toEqual({ inserted: 3, updated: 0, unchanged: 0, deleted: 0 });
    const of = (day: string, query: string): string => `${job.accountId} ${day} ${query}`;
    expect(await everything(job)).toEqual([of('2019-12-29', 'early'), of('2026-11-08', 'in'), of('2031-01-05', 'late')]);
    expect(await publishApproved(job, await stageWindow(pool, job, [rows]))).toEqual({ inserted: 0, updated: 0, unchanged: 3, deleted: 0 });
  });

  it('go with the next answer that does not have them', async () => {
    const { pool } = ledger;
    const job = jobOf();
    await publishApproved(
      job,
      await stageWindow(pool, job, [[row(job, 'in'), row(job, 'early', '2020-01-05'), row(job, 'late', '2027-01-03')]]),
    );
    expect(await loadWindow(pool, job, [row(job, 'in')])).toEqual({ inserted: 0, updated: 0, unchanged: 1, deleted: 2 });
    expect(await everything(job)).toEqual([`${job.accountId} 2026-11-08 in`]);
  });

  it('do not remove the rows that other slices have there', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const later = { start: '2026-11-15', end: '2026-11-21' };
    await loadWindow(pool, job, [row(job, 'own', later.start)], later);
    await publishApproved(job, await stageWindow(pool, job, [[row(job, 'stray', later.start)]]));
    await loadWindow(pool, job, [row(job, 'in')]);
    expect(await everything(job)).toEqual([`${job.accountId} 2026-11-08 in`, `${job.accountId} 2026-11-15 own`]);
  });

  it('can lie on the first and on the last possible day', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const rows = [row(job, 'first', '0001-01-01'), row(job, 'last', '9999-12-31', { time_period_end: '9999-12-31' })];
    expect(await publishApproved(job, await stageWindow(pool, job, [rows]))).toMatchObject({ inserted: 2 });
  });
});

describe('rows of another account, once approved', () => {
  it.each(['7777', '9007199254740993', '-9223372036854775808', '9223372036854775807'])('are published as they are: %s', async (account) => {
    const { pool } = ledger;
    const job = jobOf();
    const rows = [row(job, 'own'), row(job, 'other', undefined, { account_id: account, title: 'one' })];
    expect(await publishApproved(job, await stageWindow(pool, job, [rows]))).toMatchObject({ inserted: 2 });
    expect(await publishApproved(job, await stageWindow(pool, job, [rows]))).toEqual({ inserted: 0, updated: 0, unchanged: 2, deleted: 0 });
    const changed = [row(job, 'own'), row(job, 'other', undefined, { account_id: account, title: 'two' })];
    expect(await publishApproved(job, await stageWindow(pool, job, [changed]))).toMatchObject({ updated: 1 });
    expect(await everything(job, account)).toHaveLength(2);
    expect(await loadWindow(pool, job, [row(job, 'own')])).toMatchObject({ deleted: 1 });
    expect(await everything(job, account)).toEqual([`${job.accountId} 2026-11-08 own`]);
  });

  it('do not conflict with the publishing of that account', async () => {
    const { pool } = ledger;
    for (let round = 0; round < 5; round += 1) {
      const job = jobOf();
      const other = jobOf();
      const shared = (of: Job): unknown[] =>
        Array.from({ length: 80 }, (_, i) => row(of, `q${i}`, undefined, { account_id: String(other.accountId) }));
      const stray = await stageWindow(pool, job, [shared(job)]);
      const own = await stageWindow(pool, other, [shared(other)]);
      await Promise.all([publishApproved(job, stray), publish(pool, other, own)]);
      expect(await everything(other)).toHaveLength(80);
    }
  });
});

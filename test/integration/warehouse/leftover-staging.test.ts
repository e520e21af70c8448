// Staging tables go after the end of their load, in a step that waits for nobody and never takes a live one.
import { afterEach, describe, expect, it } from 'vitest';
import { cancelLoads } from '../../../src/ledger/cancel.ts';
import { discardHeld, endAndPlanAgain } from '../../../src/ledger/endings.ts';
import { hold } from '../../../src/ledger/executions.ts';
import { sweepStaging } from '../../../src/ledger/leftover-staging.ts';
import type { Client } from '../../../src/postgres/pool.ts';
import { stagingTable } from '../../../src/tables/staging.ts';
import { jobOf, publishedRows, useLedger } from '../../support/ledger.ts';
import { publish, stageWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
let reader: Client | undefined;
afterEach(async () => {
  await letGo();
});

/** Reads a staging table in a transaction that stays open, as pg_dump does. */
async function read(id: number): Promise<void> {
  reader = await ledger.pool.connect();
  await reader.query('BEGIN');
  await reader.query(`LOCK TABLE ${stagingTable(id)} IN ACCESS SHARE MODE`);
}
async function letGo(): Promise<void> {
  await reader?.query('ROLLBACK');
  reader?.release();
  reader = undefined;
}
const isThere = async (id: number): Promise<boolean> =>
  (await ledger.pool.query<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [stagingTable(id)])).rows[0]?.found ?? false;

describe('a staging table that somebody reads', () => {
  it('holds no publish back, and is dropped when nobody reads it any more', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const execution = await stageWindow(pool, job, [[wireRow(job, { query: 'a' })]]);
    await read(execution.id);
    expect(await publish(pool, job, execution)).toMatchObject({ inserted: 1 });
    expect(await publishedRows(pool, job, ['query'])).toEqual([{ query: 'a' }]);
    expect(await isThere(execution.id)).toBe(true);
    await letGo();
    expect(await sweepStaging(pool)).toBe(1);
    expect(await isThere(execution.id)).toBe(false);
  });

  it.each([
    ['cancelled', async (job: string) => cancelLoads(ledger.pool, job, { from: undefined, to: undefined })],
    ['discarded', async (job: string) => discardHeld(ledger.pool, job)],
  ] as const)('does not keep its load from being %s', async (state, end) => {
    const { pool } = ledger;
    const job = jobOf();
    const execution = await stageWindow(pool, job, [[wireRow(job, { query: 'a' })]]);
    if (state === 'discarded') await hold(pool, execution, [{ rule: 'shrink', message: 'too few' }], 1);
    await read(execution.id);
    expect(await end(job.name)).toHaveLength(1);
  });

  it('does not keep its load from being planned again', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const execution = await stageWindow(pool, job, [[wireRow(job, { query: 'a' })]]);
    await read(execution.id);
    expect((await endAndPlanAgain(pool, execution, { state: 'abandoned', reason: 'it expired' }, 0)).next).toBeDefined();
  });
});

describe('a sweep', () => {
  it('leaves staging of live loads alone, and everything while a pg_dump begins', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const live = await stageWindow(pool, job, [[wireRow(job, { query: 'a' })]]);
    expect(await sweepStaging(pool, live.id)).toBe(0);
    const dump = ledger.openPool(1);
    await dump.query("SET application_name = 'pg_dump'");
    await publish(pool, job, live);
    expect(await isThere(live.id)).toBe(true);
    await dump.query("SET application_name = 'test'");
    expect(await Promise.all([1, 2, 3].map(() => sweepStaging(pool)))).toContain(1);
    expect(await isThere(live.id)).toBe(false);
  });
});

// What people decide is written down with who did it and why, in the transaction that does it, and history tells it in order.
import { expect, it } from 'vitest';
import { readActions } from '../../../src/ledger/actions.ts';
import { cancelLoads } from '../../../src/ledger/cancel.ts';
import { approveHeld, discardHeld, endExecution } from '../../../src/ledger/endings.ts';
import { hold } from '../../../src/ledger/executions.ts';
import { readHistory } from '../../../src/ledger/history.ts';
import { pause, resume } from '../../../src/ledger/pauses.ts';
import { jobOf, useLedger, WEEK } from '../../support/ledger.ts';
import { claim, planWindow, publish, stageWindow, submitWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const ANN = { name: 'ann@desk', reason: 'the service was asked' };
const ALL = { maxRows: 100 };

async function heldLoad(job = jobOf()) {
  const execution = await stageWindow(ledger.pool, job, [[wireRow(job, { query: 'a' })]]);
  await hold(ledger.pool, execution, [{ rule: 'shrink', message: '1 row would replace 100' }], 5);
  return { job, execution };
}

it('every decision has one entry, and one that decided nothing has none', async () => {
  const { pool } = ledger;
  const { job, execution } = await heldLoad();
  await approveHeld(pool, execution.sliceId, ANN);
  await approveHeld(pool, execution.sliceId, { name: 'bob@desk' });
  await discardHeld(pool, job.name, { name: 'bob@desk' });
  await publish(pool, job, await claim(pool, execution.id));
  await planWindow(pool, job, WEEK, 'backfill');
  await cancelLoads(pool, job.name, { from: WEEK.start, to: WEEK.end }, { name: 'cid@desk' });
  await cancelLoads(pool, job.name, { from: WEEK.start, to: WEEK.end }, { name: 'cid@desk' });
  await pause(pool, 'job', job.name, { name: 'dora@desk', reason: 'moving' });
  await pause(pool, 'job', job.name, { name: 'eve@desk', reason: 'again' });
  await resume(pool, 'job', job.name, { name: 'dora@desk' });
  await resume(pool, 'job', job.name, { name: 'eve@desk' });
  const actions = await readActions(pool, job.name, ALL);
  expect(actions.map(({ action, actor, reason }) => [action, actor, reason])).toEqual([
    ['resume', 'dora@desk', null],
    ['pause', 'dora@desk', 'moving'],
    ['cancel', 'cid@desk', null],
    ['approve', 'ann@desk', 'the service was asked'],
  ]);
  expect(actions.at(-1)).toMatchObject({
    job: job.name,
    sliceId: execution.sliceId,
    executionId: execution.id,
    windowStart: WEEK.start,
    windowEnd: WEEK.end,
  });
});

it('a connection that is paused is part of the past of its jobs', async () => {
  const { pool } = ledger;
  const job = jobOf({ connection: 'shared-by-some' });
  await planWindow(pool, job);
  await pause(pool, 'connection', 'shared-by-some', ANN);
  expect(await readActions(pool, job.name, ALL)).toMatchObject([{ action: 'pause', connection: 'shared-by-some', job: null }]);
  await resume(pool, 'connection', 'shared-by-some', ANN);
});

it('history tells holds, decisions, failures and publications, the newest first', async () => {
  const { pool } = ledger;
  const { job, execution } = await heldLoad();
  await discardHeld(pool, execution.sliceId, ANN);
  const failed = await submitWindow(pool, job, WEEK, 'backfill');
  await endExecution(pool, failed, { state: 'failed', reason: 'HTTP 500' });
  const { execution: second } = await heldLoad(job);
  await approveHeld(pool, second.sliceId, { name: 'bob@desk' });
  await publish(pool, job, await claim(pool, second.id));
  const past = await readHistory(pool, job.name, ALL);
  expect(past.map(({ event, actor, detail }) => [event, actor, detail])).toEqual([
    ['published', null, null],
    ['approve', 'bob@desk', null],
    ['held', null, '1 row would replace 100'],
    ['failed', null, 'HTTP 500'],
    ['discard', 'ann@desk', 'the service was asked'],
    ['discarded', null, 'discarded by an operator after the audit objected'],
    ['held', null, '1 row would replace 100'],
  ]);
  expect(past[0]).toMatchObject({ inserted: 1, deleted: 0, isApproved: true, reason: 'newest' });
  expect(await readHistory(pool, job.name, { day: '2026-10-01', maxRows: 5 })).toEqual([]);
});

it('history is not crowded out by what is under way, which that of a week tells, too', async () => {
  const { pool } = ledger;
  const { job, execution } = await heldLoad();
  await approveHeld(pool, execution.sliceId, ANN);
  await publish(pool, job, await claim(pool, execution.id));
  await planWindow(pool, job, { start: '2026-10-04', end: '2026-10-10' });
  await planWindow(pool, job, { start: '2026-09-27', end: '2026-10-03' });
  expect(await readHistory(pool, job.name, { maxRows: 1 })).toMatchObject([{ event: 'published', executionId: execution.id }]);
  expect(await readHistory(pool, job.name, { day: '2026-10-05', maxRows: 5 })).toMatchObject([
    { event: 'planned', windowStart: '2026-10-04' },
  ]);
});

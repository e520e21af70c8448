// A credential that two deployments spend, each with a database of its own: the one that gets the 429 says that it is not alone, and what to do.
// What our own calls explain is no news of others.
import { afterAll, describe, expect, it } from 'vitest';
import { startSandbox } from '../../../sandbox/server.ts';
import { MINUTE, SECOND } from '../../../src/core/clock.ts';
import { RateLimitedError } from '../../../src/core/errors.ts';
import { datasetNamed } from '../../../src/datasets/index.ts';
import { readConnections } from '../../../src/ledger/coverage.ts';
import type { Pool } from '../../../src/postgres/pool.ts';
import { findProblems } from '../../../src/problems/find-problems.ts';
import { useLedger } from '../../support/ledger.ts';
import { createTestClient, TOKEN } from '../../support/service-client.ts';
import { quiet } from '../../support/status-rows.ts';
import { type CallLog, letPass, openBudget, takeAll } from './call-budget.ts';

const ledger = useLedger();
const neighbour = useLedger();

async function elsewhereOf(pool: Pool, name: string): Promise<ReturnType<typeof findProblems>> {
  const connections = (await readConnections(pool)).filter((connection) => connection.name === name);
  return findProblems({ ...quiet, coverage: [], connections }, new Date()).filter(({ kind }) => kind === 'spent-elsewhere');
}

/** As if all that the ledger knows of a budget had happened earlier. */
async function pass(pool: Pool, budget: string, ms: number): Promise<void> {
  await letPass(pool, budget, ms);
  await pool.query(
    `UPDATE searchmill.budgets SET elsewhere_since = elsewhere_since - $2::interval, elsewhere_at = elsewhere_at - $2::interval
      WHERE id = $1`,
    [budget, `${ms} milliseconds`],
  );
}

const refuse = (log: CallLog, kind: 'submit' | 'read' = 'submit', ageMs = 0): Promise<void> =>
  log.reportRateLimited(SECOND, { kind, ageMs });

describe('two deployments with one credential', () => {
  const closing: (() => Promise<unknown>)[] = [];
  afterAll(async () => {
    for (const close of closing) await close();
  });

  it('the one that gets a 429 while its own log has room says that someone else spends the credential, and what to do', async () => {
    const sandbox = await startSandbox({ credentials: [{ token: TOKEN }], size: 'tiny', limits: { submit: 5, read: 100 } });
    closing.push(() => sandbox.close());
    const [ours, theirs] = [await openBudget(ledger.pool), await openBudget(neighbour.pool)];
    const clients = [theirs, ours].map(({ log }) => createTestClient(sandbox.url, { budget: log }));
    const submit = async (client: (typeof clients)[number] | undefined): Promise<unknown> =>
      client?.submit(
        datasetNamed('ai_search_brands'),
        { account_id: 12345, start_date: '2026-11-08', end_date: '2026-11-14', collection_frequency: 'WEEKLY' },
        { priority: 0, context: {} },
      );
    closing.push(() => Promise.all(clients.map((client) => client.close())));
    for (let count = 0; count < 4; count++) await submit(clients[0]);
    await submit(clients[1]);
    await expect(submit(clients[1])).rejects.toThrow(RateLimitedError);
    expect(await elsewhereOf(neighbour.pool, theirs.name)).toEqual([]);
    const [problem, ...others] = await elsewhereOf(ledger.pool, ours.name);
    expect(others).toEqual([]);
    expect(problem).toMatchObject({
      connection: ours.name,
      severity: 'warning',
      why: [expect.stringContaining('2 of 5 submits a minute')],
    });
    expect(problem?.title).toContain('someone else spends this credential');
    expect(problem?.next.join('\n')).toMatch(/use one database[\s\S]+submits_per_minute/);
  });
});

describe('a 429 while our log has room', () => {
  it('needs a person from the third within an hour of each other, and ends an hour after the last', async () => {
    const { name, log, budget } = await openBudget(ledger.pool);
    for (const severity of ['warning', 'warning', 'error']) {
      await log.takeSlots('submit', 1);
      await refuse(log);
      expect(await elsewhereOf(ledger.pool, name)).toMatchObject([{ severity }]);
      await pass(ledger.pool, budget, 20 * MINUTE);
      await log.reportAccepted();
    }
    await pass(ledger.pool, budget, 39 * MINUTE);
    expect(await elsewhereOf(ledger.pool, name)).toHaveLength(1);
    await pass(ledger.pool, budget, 2 * MINUTE);
    expect(await elsewhereOf(ledger.pool, name)).toEqual([]);
    await log.takeSlots('submit', 1);
    await refuse(log);
    expect(await elsewhereOf(ledger.pool, name)).toMatchObject([{ severity: 'warning' }]);
  });

  it('counts once when it comes to several calls at once', async () => {
    const { name, log } = await openBudget(ledger.pool);
    await log.takeSlots('read', 4);
    await Promise.all(Array.from({ length: 4 }, () => refuse(log, 'read')));
    expect(await elsewhereOf(ledger.pool, name)).toMatchObject([{ title: expect.stringContaining('1 answer 429') }]);
  });
});

describe('no news of others is a 429', () => {
  const expectNone = async (name: string): Promise<void> => expect(await elsewhereOf(ledger.pool, name)).toEqual([]);

  it('when our own log was full', async () => {
    const { name, log } = await openBudget(ledger.pool);
    await takeAll(log, 'submit');
    await refuse(log);
    await expectNone(name);
  });

  it('when the minute of the service lasts up to 75 s', async () => {
    const { name, log, budget } = await openBudget(ledger.pool);
    await takeAll(log, 'submit');
    await pass(ledger.pool, budget, 74 * SECOND);
    // The log has room again by our clock: one slot is taken anew, the others were taken 74 s ago.
    expect((await log.takeSlots('submit', 1)).taken).toBe(1);
    await refuse(log);
    await expectNone(name);
  });

  it('when the limit of the service is up to a tenth lower than ours', async () => {
    const { name, log } = await openBudget(ledger.pool, { submit: 40 });
    await log.takeSlots('submit', 37);
    await refuse(log);
    await expectNone(name);
  });

  it('when the answer came late, and our other calls were made before its call', async () => {
    const { name, log, budget } = await openBudget(ledger.pool);
    await takeAll(log, 'submit');
    await pass(ledger.pool, budget, 120 * SECOND);
    await refuse(log, 'submit', 60 * SECOND);
    await expectNone(name);
  });

  it('when it follows a 429 that our own calls explain, since a service may count what it refuses', async () => {
    const { name, log, budget } = await openBudget(ledger.pool);
    await takeAll(log, 'submit');
    await refuse(log);
    await pass(ledger.pool, budget, 10 * MINUTE);
    await log.takeSlots('submit', 1);
    await refuse(log);
    await expectNone(name);
  });

  it('when it is told so late that the log says nothing of it any more', async () => {
    const { name, log } = await openBudget(ledger.pool);
    await log.reportRateLimited(SECOND);
    await expectNone(name);
  });
});

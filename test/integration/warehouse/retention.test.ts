// Retention: what the ledger forgets, what it keeps, and that it does so in small steps beside everything else.
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { Job, Retention } from '../../../src/config/settings.ts';
import { DAY } from '../../../src/core/clock.ts';
import { readCoverage } from '../../../src/ledger/coverage.ts';
import { readHistory } from '../../../src/ledger/history.ts';
import { readSlices, recordJob } from '../../../src/ledger/jobs.ts';
import { registerTargets } from '../../../src/ledger/notifications.ts';
import { applyRetention, NOTHING_REMOVED } from '../../../src/ledger/retention.ts';
import { readRows } from '../../../src/postgres/statements.ts';
import { inTransaction } from '../../../src/postgres/transaction.ts';
import { jobOf, useLedger, WEEK } from '../../support/ledger.ts';
import { createTestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';
import { loadWindow, planWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';
import { completeJobFile } from '../../unit/config/jobs-file.ts';

// What is taken from quarantine is still counted by its execution.
const ledger = useLedger({ keepsInvariants: false });
const never = new AbortController().signal;
const AFTER_30_DAYS: Retention = {
  executionsMs: 30 * DAY,
  publicationsMs: 30 * DAY,
  quarantineMs: 30 * DAY,
  driftMs: 30 * DAY,
  callsMs: 30 * DAY,
};
const retain = (changes: Partial<Retention> = {}, bounds = { maxRows: 100, maxSteps: 10 }) =>
  applyRetention(ledger.pool, { ...AFTER_30_DAYS, ...changes }, never, bounds);

/** Loads the same week `times` times. Returns the executions, the oldest first. */
async function loadAgain(job: Job, times: number): Promise<number[]> {
  for (let time = 0; time < times; time += 1) await loadWindow(ledger.pool, job, [wireRow(job, { query: `query ${time}` })]);
  return executionsOf(job);
}

async function executionsOf({ name }: Job): Promise<number[]> {
  const sql = 'SELECT e.id FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id WHERE s.job = $1 ORDER BY e.id';
  return (await ledger.pool.query<{ id: number }>(sql, [name])).rows.map(({ id }) => id);
}

/** A load of the week that failed. */
async function failOnce(job: Job): Promise<void> {
  await ledger.pool.query(
    `UPDATE searchmill.executions SET state = 'failed', ended_at = clock_timestamp(), due_at = NULL, end_reason = 'no' WHERE id = $1`,
    [await planWindow(ledger.pool, job)],
  );
}

/** Everything that is there now happened so many days ago. */
async function age(days: number): Promise<void> {
  const columns = {
    executions: 'ended_at',
    drift_events: 'created_at',
    actions: 'acted_at',
    budgets: 'created_at',
    call_slots: 'granted_at',
  };
  for (const [table, column] of Object.entries(columns)) {
    await ledger.pool.query(`UPDATE searchmill.${table} SET ${column} = ${column} - $1 * interval '1 day'`, [days]);
  }
  await ledger.pool.query(
    `UPDATE searchmill.quarantined_rows SET created_at = created_at - $1 * interval '1 day', replayed_at = replayed_at - $1 * interval '1 day'`,
    [days],
  );
}

async function insertRemainders(execution: number): Promise<void> {
  await ledger.pool.query(
    `INSERT INTO searchmill.quarantined_rows (execution_id, page, position, reason, schema_names, raw) VALUES ($1, 1, 1, 'no', '{}', '[]')`,
    [execution],
  );
  await ledger.pool.query(
    `INSERT INTO searchmill.drift_events (execution_id, kind, column_name, page, detail) VALUES ($1, 'new_column', 'x', 1, 'x')`,
    [execution],
  );
}

describe('old loads', () => {
  it('are removed with their publications, but for the published and the latest load of each week, and nothing else changes', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const [first, second, third] = await loadAgain(job, 3);
    await failOnce(job);
    await failOnce(job);
    const [, , , failed, latest] = await executionsOf(job);
    await age(31);
    const before = [await readCoverage(pool, job.name), await readSlices(pool, job.name)];
    expect([first, second, third, failed, latest]).not.toContain(undefined);
    expect(await retain()).toEqual({ ...NOTHING_REMOVED, executions: 3, publications: 2 });
    expect(await executionsOf(job)).toEqual([third, latest]);
    expect([await readCoverage(pool, job.name), await readSlices(pool, job.name)]).toEqual(before);
    const history = await readHistory(pool, job.name, { maxRows: 10 });
    expect(new Set(history.map(({ event }) => event))).toEqual(new Set(['failed', 'published']));
    expect(await retain()).toEqual(NOTHING_REMOVED);
  });

  it('stay until they are old enough, published ones by an age of their own', async () => {
    const job = jobOf();
    const [first, second] = await loadAgain(job, 2);
    await failOnce(job);
    await failOnce(job);
    await age(31);
    const [, , , latest] = await executionsOf(job);
    expect(await retain({ executionsMs: 32 * DAY, publicationsMs: 32 * DAY })).toEqual(NOTHING_REMOVED);
    expect(await retain({ publicationsMs: 32 * DAY })).toEqual({ ...NOTHING_REMOVED, executions: 1 });
    expect(await executionsOf(job)).toEqual([first, second, latest]);
    await retain();
  });

  it('stay while somebody holds their row, who is not waited for', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const [first] = await loadAgain(job, 2);
    await age(31);
    const other = await pool.connect();
    try {
      await other.query('BEGIN');
      await other.query('SELECT FROM searchmill.executions WHERE id = $1 FOR UPDATE', [first]);
      expect(await retain()).toEqual(NOTHING_REMOVED);
      await other.query('ROLLBACK');
    } finally {
      other.release();
    }
    expect(await retain()).toEqual({ ...NOTHING_REMOVED, executions: 1, publications: 1 });
  });

  it('are removed in steps of few rows, and in no more steps at once than are allowed', async () => {
    await loadAgain(jobOf(), 6);
    await age(31);
    expect(await retain({}, { maxRows: 2, maxSteps: 2 })).toEqual({ ...NOTHING_REMOVED, executions: 4, publications: 4 });
    expect(await retain({}, { maxRows: 2, maxSteps: 2 })).toEqual({ ...NOTHING_REMOVED, executions: 1, publications: 1 });
  });

  it('are removed by one process at a time', async () => {
    const { pool } = ledger;
    await loadAgain(jobOf(), 2);
    await age(31);
    const other = await pool.connect();
    try {
      await other.query(`BEGIN; SELECT pg_advisory_xact_lock(hashtext('searchmill retention'), 0)`);
      expect(await retain()).toEqual(NOTHING_REMOVED);
      await other.query('ROLLBACK');
    } finally {
      other.release();
    }
    expect(await retain()).toMatchObject({ executions: 1 });
  });
});

describe('rows in quarantine and differences of schemas', () => {
  it('stay while their load is the published one or under way, and keep other loads as long as they stay themselves', async () => {
    const { pool } = ledger;
    const job = jobOf();
    const [first = 0, second = 0] = await loadAgain(job, 2);
    const live = await planWindow(pool, job);
    for (const execution of [first, second, live]) await insertRemainders(execution);
    await age(31);
    expect(await retain({ quarantineMs: 32 * DAY, driftMs: 32 * DAY })).toEqual(NOTHING_REMOVED);
    expect(await retain()).toEqual({ ...NOTHING_REMOVED, drift: 1, quarantine: 1, executions: 1, publications: 1 });
    const left =
      'SELECT execution_id AS id FROM searchmill.quarantined_rows UNION ALL SELECT execution_id FROM searchmill.drift_events ORDER BY 1';
    expect((await pool.query<{ id: number }>(left)).rows.map(({ id }) => id)).toEqual([second, second, live, live]);
    await pool.query('UPDATE searchmill.quarantined_rows SET replayed_at = created_at WHERE execution_id = $1', [second]);
    expect(await retain()).toEqual({ ...NOTHING_REMOVED, quarantine: 1 });
    await pool.query('DELETE FROM searchmill.quarantined_rows');
    await pool.query('DELETE FROM searchmill.drift_events');
  });
});

it('actions of people are removed at the age of publications, with the calls of credentials that are gone', async () => {
  const { pool } = ledger;
  await pool.query(`INSERT INTO searchmill.actions (actor, action, job) VALUES ('me', 'pause', 'a'), ('me', 'resume', 'a')`);
  await pool.query(`UPDATE searchmill.actions SET acted_at = clock_timestamp() - interval '31 days' WHERE action = 'pause'`);
  const old = `clock_timestamp() - interval '31 days'`;
  await pool.query(
    `INSERT INTO searchmill.budgets (id, created_at) VALUES ('gone', ${old}), ('used', ${old}), ('kept', ${old}), ('new', now())`,
  );
  await pool.query(`INSERT INTO searchmill.call_slots (budget_id, kind, slot, granted_at)
                    VALUES ('gone', 'read', 0, ${old}), ('used', 'read', 0, ${old}), ('used', 'submit', 0, now()), ('kept', 'read', 0, ${old})`);
  await pool.query(`INSERT INTO searchmill.connections (name, base_url, auth_kind, budget_id, submits_per_minute, reads_per_minute)
                    VALUES ('main', 'https://example.com', 'token', 'kept', 1, 1)`);
  expect(await retain()).toEqual({ ...NOTHING_REMOVED, actions: 1, budgets: 1 });
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM searchmill.budgets ORDER BY 1');
  expect(rows.map(({ id }) => id)).toEqual(['kept', 'new', 'used']);
});

it('actions stay that say who decided on a load still there, and who paused what is still paused', async () => {
  const { pool } = ledger;
  const job = jobOf();
  const [first, second] = await loadAgain(job, 2);
  await pool.query('DELETE FROM searchmill.actions');
  await pool.query(
    `INSERT INTO searchmill.actions (actor, action, job, execution_id) VALUES ('a', 'approve', $1, $2), ('b', 'approve', $1, $3)`,
    [job.name, first, second],
  );
  await pool.query(`INSERT INTO searchmill.actions (actor, action, job) VALUES ('c', 'pause', $1), ('d', 'pause', 'other')`, [job.name]);
  await pool.query(`INSERT INTO searchmill.pauses (kind, name) VALUES ('job', $1)`, [job.name]);
  await age(31);
  expect(await retain()).toMatchObject({ executions: 1, publications: 1, actions: 2 });
  const { rows } = await pool.query<{ actor: string }>('SELECT actor FROM searchmill.actions WHERE job = $1 ORDER BY id', [job.name]);
  expect(rows.map(({ actor }) => actor)).toEqual(['b', 'c']);
  await pool.query('DELETE FROM searchmill.pauses');
  expect(await retain()).toEqual({ ...NOTHING_REMOVED, actions: 1 });
});

it('the note of when a target was told of an account is removed once no job has asked for the account for as long as publications are kept', async () => {
  const { pool } = ledger;
  await pool.query('DELETE FROM searchmill.told_accounts');
  const [wanted, left, gone] = [jobOf(), jobOf(), jobOf()];
  for (const job of [wanted, left, gone]) await recordJob(pool, job, WEEK.start);
  const removed = "UPDATE searchmill.jobs SET removed_at = clock_timestamp() - $2 * interval '1 day' WHERE name = $1";
  await pool.query(removed, [left.name, 29]);
  await pool.query(removed, [gone.name, 31]);
  await registerTargets(pool, [{ name: 'team', hasEvents: false }]);
  const accounts = [wanted, left, gone].map(({ accountId }) => accountId);
  await pool.query(
    `INSERT INTO searchmill.told_accounts (target, account_id, brief_at) SELECT 'team', id, '2020-01-06' FROM unnest($1::bigint[]) AS id`,
    [accounts],
  );
  expect(await retain()).toMatchObject({ toldAccounts: 1 });
  const { rows } = await pool.query<{ account_id: string }>('SELECT account_id::text FROM searchmill.told_accounts');
  expect(new Set(rows.map(({ account_id }) => account_id))).toEqual(new Set([wanted, left].map(({ accountId }) => String(accountId))));
});

it('an old budget is left to a connection that takes it during the removal', async () => {
  const { pool } = ledger;
  await retain();
  await pool.query(`INSERT INTO searchmill.budgets (id, created_at) VALUES ('again', clock_timestamp() - interval '31 days')`);
  const other = await pool.connect();
  try {
    // What registering a connection does, before it commits and afterwards.
    await other.query(`BEGIN; UPDATE searchmill.budgets SET id = id WHERE id = 'again'`);
    expect(await retain()).toEqual(NOTHING_REMOVED);
    await other.query('COMMIT');
  } finally {
    other.release();
  }
  const connection = `INSERT INTO searchmill.connections (name, base_url, auth_kind, budget_id, submits_per_minute, reads_per_minute)
                      VALUES ('returned', 'https://example.com', 'token', 'again', 1, 1)`;
  const removed = await inTransaction(pool, async (client) => {
    const locked = await readRows(client, 'retention/lock-budgets', { ageMs: 30 * DAY, maxRows: 10 });
    expect(locked).toEqual([{ id: 'again' }]);
    await pool.query(connection);
    return readRows(client, 'retention/remove-budgets', { ids: locked.map(({ id }) => id) });
  });
  expect(removed).toEqual([{ budgets: 0 }]);
});

it('retention is applied by a scheduler, which logs what was removed, and not by a worker', async () => {
  const jobs = completeJobFile('enabled: false');
  const stack = await createTestStack({ queue: { kind: 'postgres', redisUrl: undefined }, jobs });
  try {
    await stack.read(`INSERT INTO searchmill.actions (actor, action, job, acted_at) VALUES ('me', 'pause', 'a', '2000-01-01')`);
    const lines: Record<string, unknown>[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
    const worker = await stack.start({ role: 'worker', log });
    await worker.stop();
    expect(await stack.read('SELECT FROM searchmill.actions')).toHaveLength(1);
    await stack.start({ role: 'scheduler', log });
    const told = () => lines.filter(({ msg }) => msg === 'removed data older than retention from the ledger');
    await until('the scheduler has told what went', () => told().length > 0);
    expect(told()).toMatchObject([{ actions: 1 }]);
    expect(told()[0]).not.toHaveProperty('executions');
  } finally {
    await stack.close();
  }
});

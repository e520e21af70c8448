// Several processes that plan: at once, with jobs of other names or other files, and by clocks that are wrong.
import { afterAll, describe, expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { MINUTE, systemClock } from '../../../src/core/clock.ts';
import { LostLeaseError } from '../../../src/core/errors.ts';
import { addDays } from '../../../src/core/weeks.ts';
import { keywordRankings } from '../../../src/datasets/keyword-rankings.ts';
import { finishSubmit, startSubmit } from '../../../src/ledger/executions.ts';
import { removeInstance, reportInstance } from '../../../src/ledger/instances.ts';
import { lockJobs, markRemovedJobs, readSlices, recordJob } from '../../../src/ledger/jobs.ts';
import { renameJobs } from '../../../src/ledger/renames.ts';
import type { Pipeline } from '../../../src/pipeline/pipeline.ts';
import { choosePlan, planJob } from '../../../src/pipeline/plan.ts';
import { auditAndPublish } from '../../../src/pipeline/publish.ts';
import type { Client, Pool } from '../../../src/postgres/pool.ts';
import { inTransaction } from '../../../src/postgres/transaction.ts';
import { planAllJobs } from '../../../src/queue/scheduler.ts';
import { drive, pipelineOn } from '../../support/drive.ts';
import { jobOf, publishedRows, useLedger, WEEK } from '../../support/ledger.ts';
import { scriptService } from '../../support/scripted-service.ts';
import { createTestStack, SANDBOX_CONNECTION, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';
import { claim, loadWindow, planWindow, stageWindow } from '../../support/window-steps.ts';
import { schemaOf, wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const service = scriptService(schemaOf(keywordRankings), [], 0);
const planner = (pool: Pool, changes: Partial<Pipeline> = {}): Pipeline => pipelineOn(pool, service, changes);

/** Names of all jobs in the ledger but one: the others stay configured. */
async function namesBut(job: Job): Promise<string[]> {
  const { rows } = await ledger.pool.query<{ name: string }>('SELECT name FROM searchmill.jobs WHERE name <> $1', [job.name]);
  return rows.map(({ name }) => name);
}

/** Resolves when `work` has ended, or waits for a lock that somebody holds. */
async function endsOrWaits(work: Promise<unknown>): Promise<void> {
  let hasEnded = false;
  void work.finally(() => {
    hasEnded = true;
  });
  await until('the work to end or to wait', async () => {
    const { rows } = await ledger.pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' LIMIT 1`,
    );
    return hasEnded || rows.length > 0;
  });
}

async function stateOf(id: number): Promise<unknown> {
  return (await ledger.pool.query<{ state: string }>('SELECT state FROM searchmill.executions WHERE id = $1', [id])).rows[0]?.state;
}

/** A pool that does `meanwhile` as soon as it has read the slices of a job. */
function poolThatPauses(meanwhile: () => Promise<void>): Pool {
  const pool = ledger.openPool(1);
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
    Object.assign(client, {
      query: async (...args: unknown[]) => {
        const result = await query(...args);
        if (JSON.stringify(args[0]).includes('latestState')) await meanwhile();
        return result;
      },
    });
  });
  return pool;
}

describe('two planners that expect other weeks of a job', () => {
  it('plan no week twice, however their steps interleave', async () => {
    const job = jobOf({ weeksPerQuery: 4 });
    const weeks = [0, 1, 2, 3, 4, 5].map((index) => addDays('2026-10-04', 7 * index));
    const plan = (pool: Pool, expected: string[]) =>
      planJob(planner(pool), job, {
        configured: [job],
        expectedThrough: undefined,
        choose: (slices) => choosePlan(job, { tick: new Date(0), weeks: expected, retriesFailed: false }, slices),
      });
    let second: Promise<unknown> | undefined;
    const pool = poolThatPauses(async () => {
      second = plan(ledger.pool, weeks);
      await endsOrWaits(second);
    });
    await plan(pool, weeks.slice(0, -1));
    await second;
    const slices = await readSlices(ledger.pool, job.name);
    expect(slices.map(({ start, end }) => `${start}..${end}`).toSorted((a, b) => a.localeCompare(b))).toEqual([
      '2026-10-04..2026-10-31',
      '2026-11-01..2026-11-07',
      '2026-11-08..2026-11-14',
    ]);
  });
});

describe('a round of planning', () => {
  it('writes a job that lacks no week only once', async () => {
    const { pool } = ledger;
    const job = jobOf({ since: addDays(new Date().toISOString().slice(0, 10), 21) });
    await pool.query(
      `CREATE TABLE public.job_writes (name text);
       CREATE FUNCTION public.note_write() RETURNS trigger LANGUAGE plpgsql AS
         'BEGIN INSERT INTO public.job_writes VALUES (NEW.name); RETURN NULL; END';
       CREATE TRIGGER note_write AFTER INSERT OR UPDATE ON searchmill.jobs FOR EACH ROW EXECUTE FUNCTION public.note_write()`,
    );
    await planAllJobs(planner(pool), [job]);
    const { rows } = await pool.query('SELECT name FROM public.job_writes WHERE name = $1', [job.name]);
    await pool.query('DROP TRIGGER note_write ON searchmill.jobs; DROP FUNCTION public.note_write(); DROP TABLE public.job_writes');
    expect(rows).toEqual([{ name: job.name }]);
  });

  it('expects weeks of a renamed job only once it has the slices of its old name', async () => {
    const { pool } = ledger;
    const old = jobOf({ filtersDigest: 'waiting' });
    await loadWindow(pool, old, []);
    const renamed = { ...old, name: `${old.name}-renamed` };
    const expectsWeeks = async (): Promise<unknown> => {
      await planAllJobs(planner(pool, { owner: 'mine' }), [renamed]);
      const { rows } = await pool.query<{ found: boolean }>(
        'SELECT EXISTS (SELECT FROM searchmill.jobs WHERE name = $1 AND expected_through IS NOT NULL) AS found',
        [renamed.name],
      );
      return rows[0]?.found;
    };
    await reportInstance(pool, { id: 'other', role: 'scheduler', host: 'h', pid: 1, version: '1', jobs: [old.name] });
    expect(await expectsWeeks()).toBe(false);
    await removeInstance(pool, 'other');
    expect(await expectsWeeks()).toBe(true);
  });
});

describe('two schedulers that have the same jobs in another order', () => {
  it('write them down one after the other', async () => {
    const [a, b] = [jobOf(), jobOf()];
    let second: Promise<unknown> | undefined;
    await inTransaction(ledger.pool, async (client) => {
      await lockJobs(client);
      await recordJob(client, a, undefined);
      second = planAllJobs(planner(ledger.pool), [b, a]);
      await endsOrWaits(second);
      await recordJob(client, b, undefined);
    });
    expect(await second).toMatchObject([{ job: b.name }, { job: a.name }]);
  });
});

describe('a job that gets another name', () => {
  /** What a scheduler does that settles the names, and has other things to do before it ends its transaction. */
  const rename = async (client: Client, old: Job, renamed: Job, meanwhile: () => Promise<void>): Promise<void> => {
    await lockJobs(client);
    await markRemovedJobs(client, [...(await namesBut(old)), renamed.name], 'first');
    await meanwhile();
    expect((await renameJobs(client, [renamed], 'first')).moves).toEqual(new Map([[renamed.name, old.name]]));
    await recordJob(client, renamed, undefined);
  };

  it('keeps its loads when two new schedulers find the new name at once', async () => {
    const old = jobOf({ filtersDigest: 'twice' });
    const execution = await stageWindow(ledger.pool, old, [[wireRow(old, { query: 'a' })]]);
    const renamed = { ...old, name: `${old.name}-renamed` };
    let second: Promise<unknown> | undefined;
    await inTransaction(ledger.pool, (client) =>
      rename(client, old, renamed, async () => {
        second = planAllJobs(planner(ledger.pool, { owner: 'second' }), [renamed]);
        await endsOrWaits(second);
      }),
    );
    await second;
    expect(await stateOf(execution.id)).toBe('staged');
    expect(await readSlices(ledger.pool, old.name)).toEqual([]);
    expect((await readSlices(ledger.pool, renamed.name)).map(({ start, latestState }) => [start, latestState])).toContainEqual([
      WEEK.start,
      'staged',
    ]);
  });

  it('is not erased by an empty answer that was on its way under the old name', async () => {
    const { pool } = ledger;
    const old = jobOf({ filtersDigest: 'on-its-way' });
    await loadWindow(pool, old, [wireRow(old, { query: 'a' }), wireRow(old, { query: 'b' })]);
    const claimed = await stageWindow(pool, old, [[]]);
    const renamed = { ...old, name: `${old.name}-renamed` };
    await inTransaction(pool, (client) => rename(client, old, renamed, async () => undefined));
    await expect(auditAndPublish(planner(pool), claimed, new AbortController().signal)).rejects.toBeInstanceOf(LostLeaseError);
    // The lease is free at once, for the next process that looks.
    const next = await claim(pool, claimed.id);
    expect(next).toMatchObject({ job: renamed.name, state: 'staged' });
    await auditAndPublish(planner(pool), next, new AbortController().signal);
    expect(await stateOf(claimed.id)).toBe('held');
    expect(await publishedRows(pool, old, ['query'])).toEqual([{ query: 'a' }, { query: 'b' }]);
  });

  it('learns of submits made under the old name', async () => {
    const { pool } = ledger;
    const old = jobOf({ filtersDigest: 'submitting' });
    const execution = await claim(pool, await planWindow(pool, old));
    await startSubmit(pool, execution);
    const renamed = { ...old, name: `${old.name}-renamed` };
    await inTransaction(pool, (client) => rename(client, old, renamed, async () => undefined));
    await finishSubmit(pool, execution, { remoteExecutionId: 'r', requestId: null, validityMs: MINUTE, firstPollMs: 0 });
    expect(await claim(pool, execution.id)).toMatchObject({ job: renamed.name, remoteExecutionId: 'r' });
    await drive(pool, planner(pool), renamed.name);
  });
});

describe('a process that does not plan by itself', () => {
  let stack: TestStack | undefined;
  afterAll(() => stack?.close());

  it('keeps its loads though the file of the scheduler lacks its job', async () => {
    stack = await createTestStack({
      queue: { kind: 'postgres', redisUrl: undefined },
      jobs: `
${SANDBOX_CONNECTION}
jobs:
  - { name: by-hand, dataset: keyword_rankings, account_id: 12345, since: 2026-08-23 }
`,
    });
    const { pool } = stack;
    const [job] = stack.config.jobs as [Job];
    await stack.start({ role: 'foreground' });
    // The load is of a connection that this process does not have, so it stays.
    const id = await planWindow(pool, { ...job, connection: 'elsewhere' });
    await planAllJobs(planner(pool, { owner: 'scheduler' }), [jobOf()]);
    expect((await pool.query('SELECT state FROM searchmill.executions WHERE id = $1', [id])).rows).toEqual([{ state: 'planned' }]);
    expect(await stack.read('SELECT removed_at AS "removedAt" FROM searchmill.jobs WHERE name = $1', [job.name])).toEqual([
      { removedAt: null },
    ]);
  });
});

describe('a scheduler whose clock is wrong', () => {
  const shifted = (ms: number) => planner(ledger.pool, { clock: { ...systemClock, now: () => new Date(Date.now() + ms) } });
  const slicesOf = async (job: Job) => (await readSlices(ledger.pool, job.name)).length;

  it('plans nothing while it is more than 5 minutes ahead of the database, and says by how much', async () => {
    const job = jobOf({ since: addDays(new Date().toISOString().slice(0, 10), -21) });
    await expect(planAllJobs(shifted(3 * 60 * MINUTE + MINUTE / 2), [job])).rejects.toThrow(/180 minutes ahead of the database's/);
    expect(await slicesOf(job)).toBe(0);
    await planAllJobs(shifted(4 * MINUTE), [job]);
    expect(await slicesOf(job)).toBeGreaterThan(0);
  });

  it('plans what it expects when it is behind', async () => {
    const job = jobOf({ since: '2026-08-30' });
    await planAllJobs(shifted(Date.parse('2026-09-14T07:00:00Z') - Date.now()), [job]);
    expect(await slicesOf(job)).toBe(2);
  });
});

it('a job that cannot be planned does not keep those after it from their weeks; planning fails at its end', async () => {
  const { pool } = ledger;
  const [broken, sound] = [jobOf(), jobOf()];
  await pool.query(`
    CREATE FUNCTION refuse_slice() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no slices here'; END $$;
    CREATE TRIGGER refuse_slice BEFORE INSERT ON searchmill.slices
      FOR EACH ROW WHEN (NEW.job = '${broken.name}') EXECUTE FUNCTION refuse_slice()`);
  try {
    await expect(planAllJobs(planner(pool), [broken, sound])).rejects.toThrow(/no slices here/);
  } finally {
    await pool.query('DROP FUNCTION refuse_slice CASCADE');
  }
  expect(await readSlices(pool, broken.name)).toEqual([]);
  expect(await readSlices(pool, sound.name)).not.toEqual([]);
});

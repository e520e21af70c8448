// Loads whose processes die: those that are the reason end, all others go on.
import { describe, expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { Secret } from '../../../src/core/secret.ts';
import { approveHeld } from '../../../src/ledger/endings.ts';
import { claimExecution } from '../../../src/ledger/executions.ts';
import { suspicionOf } from '../../../src/pipeline/suspects.ts';
import { createPool } from '../../../src/postgres/pool.ts';
import { drive, findLive, makeDue, pipelineOn, stepOnce } from '../../support/drive.ts';
import { jobOf, LEASE, publishedRows, useLedger } from '../../support/ledger.ts';
import { makeMortal } from '../../support/mortal-process.ts';
import { scriptService } from '../../support/scripted-service.ts';
import { claim, planWindow, stageWindow, submitWindow } from '../../support/window-steps.ts';
import { schemaOf, wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const MAX_LIVES = 12;

type Entry = { id: number; state: string; end_reason: string; deaths_in_row: number; lease_takings: number; isRetrying: boolean };

async function entries(job: Job): Promise<Entry[]> {
  const { rows } = await ledger.pool.query<Entry>(
    `SELECT e.id, e.state, e.end_reason, e.deaths_in_row, e.lease_takings, e.retrying_since IS NOT NULL AS "isRetrying", e.objections
       FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id WHERE s.job = $1 ORDER BY e.id`,
    [job.name],
  );
  return rows;
}

function prepare() {
  const base = jobOf({ maxSubmits: 1 });
  const job = { ...base, connection: base.name };
  const rows = ['a', 'b', 'c'].map((query) => [wireRow(job, { query })]);
  return { job, service: scriptService(schemaOf(job.dataset), rows, 0) };
}

/** Each life loads until its process dies at `event`. Returns how many died. */
async function liveAndDie(event: string, mostLives = MAX_LIVES) {
  const { pool } = ledger;
  const { job, service } = prepare();
  await planWindow(pool, job);
  let deaths = 0;
  while (deaths < mostLives && (await findLive(pool, job.name))) {
    const mortalPool = createPool(new Secret(ledger.url), { applicationName: 'mortal', max: 3 });
    const { isDead } = makeMortal(mortalPool, service, event);
    for (let live = await findLive(pool, job.name); live && !isDead(); live = await findLive(pool, job.name)) {
      await makeDue(pool, job.name);
      await stepOnce(pipelineOn(mortalPool, service), live).catch(() => undefined);
    }
    deaths += isDead() ? 1 : 0;
    await mortalPool.end();
  }
  service.beforeCall = () => undefined;
  service.afterCall = () => undefined;
  return { job, service, deaths };
}

/** Lets the lease of an execution run out. */
const runOut = (id: number): Promise<unknown> =>
  ledger.pool.query("UPDATE searchmill.executions SET lease_until = clock_timestamp() - interval '1 minute' WHERE id = $1", [id]);

describe('a page whose answer kills its process', () => {
  it('is worked on alone after the first death, and ends the load with the third of those', async () => {
    const { job, deaths } = await liveAndDie('page r1/2 answered');
    // One before the first page was committed, one that made it a suspect, and three alone.
    expect(deaths).toBe(5);
    expect(await entries(job)).toMatchObject([
      { state: 'failed', lease_takings: 5, end_reason: expect.stringMatching(/3 processes in a row died.* on page 2 .*submits/) as string },
    ]);
  });
});

describe('a load', () => {
  it('whose processes are killed again and again while it waits for the service goes on, with the same submit', async () => {
    const { job, service, deaths } = await liveAndDie('page r1/2', 6);
    expect(deaths).toBe(6);
    expect(await entries(job)).toMatchObject([{ state: 'loading', deaths_in_row: 1 }]);
    await drive(ledger.pool, pipelineOn(ledger.pool, service), job.name);
    expect(await entries(job)).toMatchObject([{ state: 'published', lease_takings: 6, deaths_in_row: 0, isRetrying: false }]);
    expect(service.calls.filter((call) => call === 'submit')).toHaveLength(1);
    expect(await publishedRows(ledger.pool, job, ['query'])).toHaveLength(3);
  });

  it('that gets on between the deaths of its processes is no longer a suspect', async () => {
    const { job, service } = await liveAndDie('page r1/2', 2);
    expect(await entries(job)).toMatchObject([{ state: 'loading', lease_takings: 1, deaths_in_row: 0 }]);
    await makeDue(ledger.pool, job.name);
    const live = await findLive(ledger.pool, job.name);
    if (live) await stepOnce(pipelineOn(ledger.pool, service), live);
    expect(service.calls.slice(-1)).toEqual(['page r1/2']);
    expect(await entries(job)).toMatchObject([{ state: 'loading', lease_takings: 2, deaths_in_row: 0, isRetrying: false }]);
  });

  it('whose lease is given back counts no lease takings', async () => {
    const { pool } = ledger;
    const { job, service } = prepare();
    await planWindow(pool, job);
    await drive(pool, pipelineOn(pool, service), job.name);
    expect(await entries(job)).toMatchObject([{ state: 'published', lease_takings: 0, deaths_in_row: 0 }]);
  });
});

describe('suspects of one process', () => {
  it('are at work one after the other, and only a death of the one at work counts', async () => {
    const { pool } = ledger;
    const ids: number[] = [];
    for (let i = 0; i < 3; i += 1) ids.push((await submitWindow(pool, jobOf())).id);
    const died = async (): Promise<number[]> => {
      const pipeline = pipelineOn(pool, scriptService([], []));
      await Promise.all(ids.map(runOut));
      const executions = await Promise.all(ids.map((id) => claim(pool, id)));
      const suspicions = executions.map((execution) => suspicionOf(pipeline, execution));
      const [first, ...others] = suspicions.map((suspicion) => suspicion.enter());
      await first;
      await new Promise((resolve) => setImmediate(resolve));
      const { rows } = await pool.query<{ deaths: number }>(
        'SELECT deaths_in_row AS deaths, at_work_since FROM searchmill.executions WHERE id = ANY ($1) AND at_work_since IS NOT NULL',
        [ids],
      );
      expect(rows).toHaveLength(1);
      // The process is dead: only the test's own promises go on.
      await Promise.all(ids.map(runOut));
      const next = await Promise.all(ids.map((id) => claimExecution(pool, id, LEASE)));
      for (const suspicion of suspicions) suspicion.leave();
      await Promise.all(others);
      return next.map((execution) => execution?.deathsInRow ?? 0);
    };
    expect(await died()).toEqual([2, 1, 1]);
    expect(await died()).toEqual([3, 1, 1]);
  });
});

describe('a publish', () => {
  it('whose processes die ten times is held then, and is audited as usual when an operator approves it', async () => {
    const { pool } = ledger;
    const job = jobOf();
    // A row of another account, which the audit objects to.
    const { id } = await stageWindow(pool, job, [[wireRow(job, { query: 'a', account_id: '1' })]]);
    const pipeline = pipelineOn(pool, scriptService([], []));
    await pool.query('UPDATE searchmill.executions SET deaths_in_row = 10, at_work_since = clock_timestamp() WHERE id = $1', [id]);
    await runOut(id);
    await stepOnce(pipeline, { id, state: 'staged', connection: job.connection });
    expect(await entries(job)).toMatchObject([
      { state: 'held', objections: [{ rule: 'deaths', message: expect.stringContaining('10 processes') as string }] },
    ]);
    await approveHeld(pool, job.name);
    await stepOnce(pipeline, { id, state: 'staged', connection: job.connection });
    expect(await entries(job)).toMatchObject([{ state: 'held', deaths_in_row: 0, objections: [{ rule: 'account' }] }]);
    await approveHeld(pool, job.name);
    await stepOnce(pipeline, { id, state: 'staged', connection: job.connection });
    expect(await entries(job)).toMatchObject([{ state: 'published' }]);
  });
});

// Pages that were read before: given again byte by byte while nothing that they show has changed, and read anew as soon as something has.
// Of the shipped boards: kept-answers-of-boards.test.ts.

import pg from 'pg';
import { afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import type { Window } from '../../../src/core/weeks.ts';
import { isSteady } from '../../../src/dashboards/basis.ts';
import { createKeptAnswers } from '../../../src/dashboards/kept-answers.ts';
import { readState } from '../../../src/dashboards/sources.ts';
import { releaseLease, renewLease } from '../../../src/ledger/executions.ts';
import { panelFile, serveDashboards, type TestDashboards } from '../../support/dashboards.ts';
import { jobOf, LEASE, useLedger, WEEK } from '../../support/ledger.ts';
import { until } from '../../support/wait.ts';
import { loadWindow, publish, stageWindow, submitWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger({ keepsInvariants: false });
/** Readings are told by NOTIFY, which a node of a Citus cluster keeps to itself. */
const onOneServer = it.skipIf(inject('servers').citusWorkers.length > 0);
const never = new AbortController().signal;
const served: TestDashboards[] = [];
afterEach(async () => {
  await Promise.all(served.splice(0).map((each) => each.close()));
});
async function serve(options: Parameters<typeof serveDashboards>[1] = {}): Promise<TestDashboards> {
  // One without jobs, and those that have rows.
  const { rows } = await ledger.pool.query<{ account: string }>('SELECT DISTINCT account_id::text AS account FROM search.keyword_rankings');
  const dashboards = await serveDashboards(ledger.url, { known: ['1', ...rows.map(({ account }) => account)], ...options });
  served.push(dashboards);
  return dashboards;
}

const rowsOf = (job: Job, queries: readonly string[], { start }: Window = WEEK): unknown[][] =>
  queries.map((query) =>
    wireRow(job, { query, device: 'DESKTOP', root_domain: 'acme.example', rank_standard: '1', rank_true: '1' }, start),
  );
const load = (job: Job, queries: readonly string[], window: Window = WEEK): Promise<unknown> =>
  loadWindow(ledger.pool, job, rowsOf(job, queries, window), window);

type Got = Readonly<{ code: number; etag: string; text: string }>;
async function get(url: string, headers: Record<string, string> = {}): Promise<Got> {
  const response = await fetch(url, { headers, redirect: 'manual' });
  return { code: response.status, etag: response.headers.get('etag') ?? '', text: await response.text() };
}

/** Counts all readings of panels that call it, when they are committed. */
const COUNTED = `
  CREATE FUNCTION search_reports.counted() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_notify('counted', ''); RETURN true; END $$;
  CREATE FUNCTION search_reports.waited() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock_shared(4711); RETURN true; END $$;
  CREATE TABLE search_reports.elsewhere (amount integer);
  CREATE VIEW search_reports.of_elsewhere AS SELECT sum(amount) AS amount FROM search_reports.elsewhere;`;
const SEARCHES = 'SELECT sum(searches) AS searches FROM search_reports.ranking_totals WHERE account_id = :account::bigint';
const counted = panelFile(`${SEARCHES} HAVING search_reports.counted()`, { Variables: 'account' });

async function countReadings(work: () => Promise<unknown>): Promise<number> {
  const listener = new pg.Client({ connectionString: ledger.url });
  await listener.connect();
  let readings = 0;
  listener.on('notification', () => {
    readings += 1;
  });
  await listener.query('LISTEN counted');
  await work();
  // What was notified before comes with the answer.
  await listener.query('SELECT 1');
  await listener.end();
  return readings;
}

beforeAll(async () => {
  await ledger.pool.query(COUNTED);
});

describe('a page that was read before', () => {
  onOneServer('is given again, byte by byte, without a panel being read; a browser that has it is told so', async () => {
    const job = jobOf();
    await load(job, ['a', 'b']);
    const { url } = await serve({ panels: { counted } });
    for (const path of [`/boards/test?account=${job.accountId}`, `/boards/test/counted.csv?account=${job.accountId}`]) {
      const first = await get(url + path);
      expect(first).toMatchObject({ code: 200, etag: expect.stringMatching(/^W\/"/), text: expect.stringContaining('2') });
      const readings = await countReadings(async () => {
        expect(await get(url + path)).toEqual(first);
        expect(await get(url + path, { 'accept-encoding': 'identity' })).toEqual(first);
        expect(await get(url + path, { 'if-none-match': first.etag })).toEqual({ code: 304, etag: first.etag, text: '' });
      });
      expect(readings).toBe(0);
    }
  });

  onOneServer('is read once for twenty who ask at the same time', async () => {
    const job = jobOf();
    await load(job, ['a']);
    const { url } = await serve({ panels: { counted } });
    const readings = await countReadings(async () => {
      const all = await Promise.all(Array.from({ length: 20 }, () => get(`${url}/boards/test?account=${job.accountId}`)));
      expect(new Set(all.map(({ code, text }) => `${code} ${text}`)).size).toBe(1);
    });
    expect(readings).toBe(1);
  });

  it('is kept while loads are under way that have published nothing', async () => {
    const job = jobOf();
    await load(job, ['a']);
    const { url } = await serve({ panels: { counted } });
    const execution = await submitWindow(ledger.pool, job);
    const path = `${url}/boards/test?account=${job.accountId}`;
    const first = await get(path);
    const readings = await countReadings(async () => {
      await renewLease(ledger.pool, execution, LEASE.leaseMs);
      await ledger.pool.query('UPDATE searchmill.executions SET rows_received = rows_received + 1000 WHERE id = $1', [execution.id]);
      await load(jobOf(), ['of another account']);
      expect((await get(path)).text).toBe(first.text);
    });
    // Jobs are known to all accounts; their figures are not.
    expect(readings).toBeLessThanOrEqual(1);
    await releaseLease(ledger.pool, execution);
  });

  onOneServer('is of its own account and choices only, and of nobody without a session', async () => {
    const [one, other] = [jobOf(), jobOf()];
    await load(one, ['a']);
    await load(other, ['a', 'b', 'c']);
    const { url } = await serve({ panels: { counted }, password: 'secret' });
    const login = await fetch(`${url}/login`, { method: 'POST', body: new URLSearchParams({ password: 'secret' }), redirect: 'manual' });
    const cookie = (login.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const searches: (string | undefined)[] = [];
    const etags: string[] = [];
    for (const { accountId } of [one, other, one]) {
      const { text, etag } = await get(`${url}/boards/test?account=${accountId}`, { cookie });
      searches.push(/<data value="(\d+)"/.exec(text)?.[1]);
      etags.push(etag);
    }
    expect(searches).toEqual(['1', '3', '1']);
    const refused = await get(`${url}/boards/test?account=${one.accountId}`, { 'if-none-match': etags[0] ?? '' });
    expect(refused).toMatchObject({ code: 303, text: '', etag: '' });
  });
});

onOneServer('what is published while a page is read belongs to the next reading: its state and its panels are of one moment', async () => {
  const job = jobOf();
  await load(job, ['a']);
  const slow = panelFile(`${SEARCHES} HAVING search_reports.waited()`, { Variables: 'account', Order: '1' });
  const { url } = await serve({ panels: { slow, after: panelFile(SEARCHES, { Variables: 'account', Order: '2' }) } });
  const path = `${url}/boards/test?account=${job.accountId}`;
  const execution = await stageWindow(ledger.pool, job, [rowsOf(job, ['a', 'b'])]);
  const gate = await ledger.pool.connect();
  await gate.query('SELECT pg_advisory_lock(4711)');
  const reading = get(path);
  await until('the first panel is being read', async () => {
    const { rowCount } = await gate.query(`SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`);
    return rowCount === 1;
  });
  await publish(ledger.pool, job, execution);
  await gate.query('SELECT pg_advisory_unlock(4711)');
  gate.release();
  const searchesOf = ({ text }: Got): string[] => [...text.matchAll(/<data value="(\d+)"/g)].map(([, amount]) => amount ?? '');
  expect(searchesOf(await reading)).toEqual(['1', '1']);
  expect(searchesOf(await get(path))).toEqual(['2', '2']);
});

describe('a panel is read each time when no state tells whether its rows have changed', () => {
  onOneServer.each([
    ['the time', 'SELECT now() AS x, :account::bigint'],
    ['the ledger itself', 'SELECT count(*), :account::bigint FROM searchmill.executions'],
    ['a table that nobody knows', 'SELECT amount, :account::bigint FROM search_reports.of_elsewhere'],
    ['no account', 'SELECT search_reports.counted(), 1 AS one'],
    ['a panel that fails', 'SELECT 1 / (SELECT 0) AS none, :account::bigint'],
  ])('%s', async (_, sql) => {
    // Two panels may be read in two transactions, each of which would notify once.
    const panels = sql.includes(':account') ? { a: counted, b: panelFile(sql, { Variables: 'account' }) } : { b: panelFile(sql) };
    const { url } = await serve({ panels });
    const readings = await countReadings(async () => {
      for (let time = 0; time < 3; time += 1) expect((await get(`${url}/boards/test?account=1`)).code).toBe(200);
    });
    expect(readings).toBe(3);
  });

  it.each([
    ['SELECT place_now, age_group FROM search_reports.x -- now()', true],
    ["SELECT 'it is now' AS said", true],
    ['SELECT age FROM (SELECT rank() OVER (ORDER BY week DESC) AS age FROM search_reports.x) AS r', true],
    ['SELECT age(week)', false],
    ['SELECT now()', false],
    ['SELECT now ()', false],
    ['SELECT CURRENT_DATE', false],
    ["SELECT 'today'::date", false],
    ['SELECT * FROM searchmill.executions', false],
    ['SELECT * FROM "searchmill"."executions"', false],
    ['SELECT pg_backend_pid()', false],
    ['SELECT random()', false],
  ])('%s', (sql, expected) => {
    expect(isSteady(sql)).toBe(expected);
  });
});

it('kept answers that were least recently asked for are dropped when there is no room', async () => {
  const kept = createKeptAnswers(ledger.pool, { maxBytes: 20_000 });
  const basis = { accountId: '1', state: await readState(ledger.pool, '1') };
  const readings: string[] = [];
  const ask = (address: string): Promise<unknown> =>
    kept.give(
      address,
      async () => {
        readings.push(address);
        return { headers: {}, body: address.repeat(100), basis };
      },
      never,
    );
  const addresses = Array.from({ length: 50 }, (_, at) => `/${at}`);
  for (const address of addresses) await ask(address);
  for (const address of addresses.toReversed()) await ask(address);
  const again = readings.slice(addresses.length);
  expect(again.length).toBeGreaterThan(25);
  expect(again.length).toBeLessThan(50);
  expect(again).not.toContain('/49');
});

it('concurrent requests for pages of an account wait for one look at its state, even if some pages are read again', async () => {
  let opened = (): void => undefined;
  const gate = new Promise<void>((open) => {
    opened = open;
  });
  let looks = 0;
  const query = async (...asked: Parameters<typeof ledger.pool.query>): Promise<unknown> => {
    looks += 1;
    await gate;
    return ledger.pool.query(...asked);
  };
  const kept = createKeptAnswers(Object.assign(Object.create(ledger.pool), { query }));
  const state = await readState(ledger.pool, '1');
  const readings: string[] = [];
  const ask = (address: string, readIn = state): Promise<unknown> =>
    kept.give(
      address,
      async () => {
        readings.push(address);
        return { headers: {}, body: address, basis: { accountId: '1', state: readIn } };
      },
      never,
    );
  for (const address of ['/a', '/b']) await ask(address);
  await ask('/old', 'another');
  const all = [ask('/a'), ask('/a'), ask('/b'), ask('/b'), ask('/old'), ask('/old')];
  opened();
  await Promise.all(all);
  // The first was begun before the others asked.
  expect(looks).toBeLessThanOrEqual(3);
  expect(readings).toEqual(['/a', '/b', '/old', '/old']);
});

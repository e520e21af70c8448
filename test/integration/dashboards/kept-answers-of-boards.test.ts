// Shipped boards that were read before: what a page shows after anything has changed is what a new process shows. How answers are kept:
// kept-answers.test.ts.
import { afterEach, expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { Secret } from '../../../src/core/secret.ts';
import { type Window, windowOfWeeks } from '../../../src/core/weeks.ts';
import { viewBoard } from '../../../src/dashboards/board-view.ts';
import { readBoards } from '../../../src/dashboards/boards.ts';
import { createPanelPool } from '../../../src/dashboards/run-panels.ts';
import { readState } from '../../../src/dashboards/sources.ts';
import { approveHeld } from '../../../src/ledger/endings.ts';
import { hold } from '../../../src/ledger/executions.ts';
import { pause } from '../../../src/ledger/pauses.ts';
import { adoptSetting } from '../../../src/reports/account-settings.ts';
import { brandsOf } from '../../../src/reports/brands.ts';
import { configuredDomains } from '../../../src/reports/own-domains.ts';
import { beginRebuild } from '../../../src/reports/rebuild.ts';
import { serveDashboards, type TestDashboards } from '../../support/dashboards.ts';
import { jobOf, useLedger, WEEK } from '../../support/ledger.ts';
import { storeReports } from '../../support/stored-weeks.ts';
import { loadWindow, planWindow, stageWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger({ keepsInvariants: false });
const never = new AbortController().signal;
const served: TestDashboards[] = [];
afterEach(async () => {
  await Promise.all(served.splice(0).map((each) => each.close()));
});
async function serve(): Promise<TestDashboards> {
  const dashboards = await serveDashboards(ledger.url);
  served.push(dashboards);
  return dashboards;
}

const BEFORE: Window = windowOfWeeks('2026-11-01', 1);
const rowsOf = (job: Job, queries: readonly string[], { start }: Window = WEEK): unknown[][] =>
  queries.map((query) =>
    wireRow(job, { query, device: 'DESKTOP', root_domain: 'acme.example', rank_standard: '1', rank_true: '1' }, start),
  );
const load = (job: Job, queries: readonly string[], window: Window = WEEK): Promise<unknown> =>
  loadWindow(ledger.pool, job, rowsOf(job, queries, window), window);

/** What may change between two readings of a board. The job has published two weeks. */
const EVENTS: Readonly<Record<string, (job: Job) => Promise<unknown>>> = {
  'a week is published': (job) => load(job, ['a', 'b', 'c'], windowOfWeeks('2026-11-15', 1)),
  'a week is restated': (job) => load(job, ['a', 'b', 'c', 'd']),
  'a week shrinks to nothing': (job) => load(job, []),
  'summaries are stored': () => storeReports(ledger.pool),
  'a week is held, and approved': async (job) => {
    const execution = await stageWindow(ledger.pool, job, [rowsOf(job, ['x'])]);
    await hold(ledger.pool, execution, [{ kind: 'test' }], 0);
    await approveHeld(ledger.pool, execution.id);
  },
  'a load is planned': (job) => planWindow(ledger.pool, job, windowOfWeeks('2026-11-22', 1)),
  'a job is paused': ({ name }) => pause(ledger.pool, 'job', name),
  'own sites are configured': ({ accountId }) => adoptSetting(ledger.pool, String(accountId), configuredDomains(['acme.example'])),
  'names of brands are configured': ({ accountId }) =>
    adoptSetting(ledger.pool, String(accountId), brandsOf([{ ownBrands: [{ name: 'Acme', spellings: [] }], rivalBrands: [] }])),
  'filters are configured': async (job) => {
    const sql = `UPDATE searchmill.jobs SET filters = '{"devices": ["DESKTOP"]}', filters_digest = 'other' WHERE name = $1`;
    await ledger.pool.query(sql, [job.name]);
  },
  'another account is configured': () => load(jobOf(), ['z']),
  'rows are changed by hand, and summaries made anew': async ({ accountId }) => {
    await ledger.pool.query(`DELETE FROM search.keyword_rankings WHERE account_id = $1 AND query = 'a'`, [accountId]);
    await beginRebuild(ledger.pool, { accountId: String(accountId) }, true);
    await storeReports(ledger.pool);
  },
  'a rule finds something': async ({ accountId }) => {
    await ledger.pool.query(
      `WITH look AS (INSERT INTO searchmill.signal_looks (account_id, week, rule, place, title, datasets, weeks, basis, cursor)
                     VALUES ($1, $2, 'left', 1, 'Left the first three', '{keyword_rankings}', 2, '', 9223372036854775807))
       INSERT INTO searchmill.signals (account_id, week, rule, subject, text, weight, about) VALUES ($1, $2, 'left', 'a', 'a left them', 1, '{}')`,
      [accountId, WEEK.start],
    );
  },
  'rights are taken away': () => ledger.pool.query('REVOKE SELECT ON search_reports.ranking_totals FROM PUBLIC, searchmill_reader'),
  'a policy is made': () => ledger.pool.query('CREATE POLICY own ON searchmill.account_settings USING (true)'),
};

it.each(Object.keys(EVENTS))('shows what a new process shows when %s', async (event) => {
  const job = jobOf();
  await load(job, ['a', 'b'], BEFORE);
  await load(job, ['a', 'b']);
  await storeReports(ledger.pool);
  const { url } = await serve();
  // The page without the time at which it was read.
  const read = async (from: string): Promise<string> =>
    (await fetch(`${from}/boards/home?account=${job.accountId}`)).text().then((text) => text.replace(/Read [\d: -]+ UTC/, ''));
  const [before, state] = [await read(url), await readState(ledger.pool, String(job.accountId))];
  expect(await read(url)).toBe(before);

  await EVENTS[event]?.(job);

  const after = await read(url);
  expect(after).toBe(await read((await serve()).url));
  if (after !== before) expect(await readState(ledger.pool, String(job.accountId))).not.toBe(state);
});

it('only the shipped board that reads the ledger is read each time', async () => {
  const job = jobOf();
  await load(job, ['a'], BEFORE);
  await load(job, ['a']);
  const pool = createPanelPool(new Secret(ledger.url));
  try {
    const views = await Promise.all(readBoards().map((board) => viewBoard(pool, board, { account: String(job.accountId) }, never)));
    const failures = views.flatMap(({ panels }) => panels.flatMap(({ result }) => ('failure' in result ? [result.failure] : [])));
    expect(failures).toEqual([]);
    expect(views.filter(({ basis }) => !basis).map(({ board }) => board.name)).toEqual(['data-health']);
  } finally {
    await pool.end();
  }
});

// One login per account, by the recipe of docs/deploying.md: it sees its account in tables, views, boards and CSVs, and nothing of another.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Job } from '../../../src/config/settings.ts';
import { Secret } from '../../../src/core/secret.ts';
import { createPanelPool } from '../../../src/dashboards/run-panels.ts';
import { DATASETS, datasetNamed } from '../../../src/datasets/index.ts';
import { createPool, type Pool } from '../../../src/postgres/pool.ts';
import { adoptSetting } from '../../../src/reports/account-settings.ts';
import { configuredDomains } from '../../../src/reports/own-domains.ts';
import { refreshWeek } from '../../../src/reports/refresh.ts';
import { SUMMARIES } from '../../../src/reports/summaries.ts';
import { serveDashboards, type TestDashboards } from '../../support/dashboards.ts';
import { asLogin } from '../../support/database-access.ts';
import { jobOf, useLedger, WEEK } from '../../support/ledger.ts';
import { loadWindow } from '../../support/window-steps.ts';
import { type WireValues, wireRow } from '../../support/wire-rows.ts';

const ledger = useLedger();
const suffix = randomBytes(4).toString('hex');
const logins = { acme: `test_acme_${suffix}`, ann: `test_ann_${suffix}`, stranger: `test_stranger_${suffix}` };
const ACME = 71_001;
const OTHER = 71_002;
/** What no page of the first account may show. */
const OF_OTHER = 'words-of-the-other-account';
const WEEK_BEFORE = '2026-11-01';
const pools: Pool[] = [];
let acme: Pool;
let ann: Pool;
let stranger: Pool;
let served: TestDashboards;
let version: number;

const as = (login: string): string => asLogin(ledger.url, login);

function poolOf(login: string): Pool {
  const pool = createPanelPool(new Secret(as(login)), { max: 2 });
  pools.push(pool);
  return pool;
}

/** A row of any dataset that has its words in every text. */
function rowOf(job: Job, words: string, start: string): unknown[] {
  const values: WireValues = Object.fromEntries(
    job.dataset.columns
      .filter(({ wire }) => wire === 'string')
      .map(({ name }) => [name, name.endsWith('domain') ? `${words}.example` : words]),
  );
  return wireRow(
    job,
    { ...values, rank_standard: '1', rank_true: '1', ai_response_collected: 'true', prompt_type: 'unbranded' },
    start as typeof WEEK.start,
  );
}

/** Two weeks of every dataset: the older one is stored, the newer one is computed by readers. */
async function loadAccount(accountId: number, words: string): Promise<void> {
  const jobs = DATASETS.map(({ name }) =>
    jobOf({ name: `${name}-${accountId}`, accountId, dataset: datasetNamed(name), maxRejectedShare: 1 }),
  );
  for (const job of jobs) await loadWindow(ledger.pool, job, [rowOf(job, words, WEEK_BEFORE)], { start: WEEK_BEFORE, end: '2026-11-07' });
  for (const subject of Object.keys(SUMMARIES) as (keyof typeof SUMMARIES)[])
    await refreshWeek(ledger.pool, { subject, accountId: String(accountId), week: WEEK_BEFORE });
  for (const job of jobs) await loadWindow(ledger.pool, job, [rowOf(job, words, WEEK.start)]);
}

/** The blocks of SQL under a heading of a page. */
function recipe(): string[] {
  const page = readFileSync(new URL('../../../docs/deploying.md', import.meta.url), 'utf8');
  const section = /## One login per account\n(.*?)\n## /s.exec(page)?.[1] ?? '';
  return [...section.matchAll(/```sql\n(.*?)```/gs)].map(([, sql = '']) => sql);
}

beforeAll(async () => {
  const { pool } = ledger;
  await adoptSetting(pool, String(ACME), configuredDomains(['acme.example']));
  await adoptSetting(pool, String(OTHER), configuredDomains([`${OF_OTHER}.example`]));
  await loadAccount(ACME, 'words-of-acme');
  await loadAccount(OTHER, OF_OTHER);
  const [policies = '', login = ''] = recipe();
  await pool.query(policies);
  await pool.query(login.replaceAll('acme', logins.acme).replace("'...'", "'test'").replace('12345', String(ACME)));
  await pool.query(`CREATE ROLE ${logins.ann} LOGIN PASSWORD 'test'; GRANT searchmill_analyst TO ${logins.ann};
                    CREATE ROLE ${logins.stranger} LOGIN PASSWORD 'test'; GRANT searchmill_account TO ${logins.stranger}`);
  [acme, ann, stranger] = [poolOf(logins.acme), poolOf(logins.ann), poolOf(logins.stranger)];
  version =
    (await pool.query<{ version: number }>("SELECT current_setting('server_version_num')::integer AS version")).rows[0]?.version ?? 0;
  served = await serveDashboards(as(logins.acme), { password: 'open sesame' });
});
afterAll(async () => {
  await served.close();
  await Promise.all(pools.map((pool) => pool.end()));
  const names = Object.values(logins).join(', ');
  await ledger.pool.query(`DROP OWNED BY ${names}; DROP ROLE ${names}`);
});

const INSUFFICIENT_PRIVILEGE = '42501';
const accountsIn = async (pool: Pool, name: string): Promise<unknown[]> => {
  const { rows } = await pool.query<{ account: unknown }>(
    `SELECT DISTINCT account_id AS account FROM ${name} WHERE account_id IS NOT NULL ORDER BY 1`,
  );
  return rows.map(({ account }) => account);
};

/** Tables and views of the schemas with an account, as the catalogue has them. */
async function relationsWithAccount(schema: string, kind: 'p' | 'v'): Promise<string[]> {
  const { rows } = await ledger.pool.query<{ name: string }>(
    `SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'account_id'
      WHERE c.relnamespace = $1::regnamespace AND c.relkind = $2 ORDER BY 1`,
    [schema, kind],
  );
  return rows.map(({ name }) => (name === 'search_reports.points' ? ONE_LINE_OF_POINTS : name));
}

/** All points of all accounts are every chart there is. */
const ONE_LINE_OF_POINTS = "(SELECT * FROM search_reports.points WHERE measure = 'found' AND grouped_by = 'all') AS points";

describe('a login of one account', () => {
  it('sees its rows in every table, and those of its account only', async () => {
    const tables = await relationsWithAccount('search', 'p');
    expect(tables).toHaveLength(DATASETS.length);
    for (const table of tables) {
      expect(await accountsIn(ledger.pool, table), table).toEqual([ACME, OTHER]);
      expect(await accountsIn(acme, table), table).toEqual([ACME]);
    }
  });

  it('sees its rows in every view of the tables, where views ask as their reader', async () => {
    for (const view of await relationsWithAccount('search', 'v')) {
      if (version >= 150_000) expect(await accountsIn(acme, view), view).toEqual([ACME]);
      else await expect(acme.query(`SELECT FROM ${view}`), view).rejects.toMatchObject({ code: INSUFFICIENT_PRIVILEGE });
    }
  });

  it('sees its account in every view of search_reports, stored and computed, and not the number of another', async () => {
    const views = await relationsWithAccount('search_reports', 'v');
    for (const view of views) {
      const all = await accountsIn(ledger.pool, view);
      // The owner has no accounts of its login.
      if (view === 'search_reports.accounts_of_login') expect(await accountsIn(acme, view)).toEqual([ACME]);
      else expect(await accountsIn(acme, view), view).toEqual(all.filter((account) => account === ACME));
    }
    for (const view of [
      'accounts',
      'weeks',
      'sources',
      'changed_weeks',
      'marked_weeks',
      'own_domains',
      'ranking_totals',
      'ai_citation_sites',
      'ai_fan_out',
    ])
      expect(await accountsIn(ledger.pool, `search_reports.${view}`), view).toEqual(expect.arrayContaining([ACME, OTHER]));
    const weeks = await acme.query('SELECT week FROM search_reports.ranking_totals ORDER BY week');
    expect(weeks.rows).toEqual([{ week: WEEK_BEFORE }, { week: WEEK.start }]);
  });

  it('learns of no rows through a function that is called before the account is chosen', async () => {
    const client = await acme.connect();
    try {
      await client.query('SET default_transaction_read_only = off');
      await client.query(`CREATE FUNCTION pg_temp.refuse(account bigint) RETURNS boolean COST 0.0001 LANGUAGE plpgsql
                          AS 'BEGIN IF account <> ${ACME} THEN RAISE ''leaked %'', account; END IF; RETURN true; END'`);
      for (const view of [...(await relationsWithAccount('search_reports', 'v')), ...(await relationsWithAccount('search', 'p'))])
        await client.query(`SELECT FROM ${view} WHERE pg_temp.refuse(account_id)`);
    } finally {
      client.release(true);
    }
  });

  it('may choose among what its account has, and learns nothing about another account that it names', async () => {
    const choices = 'SELECT DISTINCT value FROM search_reports.choices($1, $2)';
    expect((await acme.query(choices, ['engine', ACME])).rows).toEqual([{ value: 'words-of-acme' }]);
    for (const variable of ['web_property', 'engine', 'country', 'device', 'assistant'])
      expect((await acme.query(choices, [variable, OTHER])).rows, variable).toEqual([]);
    expect((await acme.query('SELECT search_reports.own_patterns($1) AS own', [OTHER])).rows).toEqual([{ own: [] }]);
    expect((await acme.query("SELECT * FROM search_reports.newest_weeks('keyword_rankings', $1, '9')", [OTHER])).rows).toEqual([]);
    for (const name of Object.values(SUMMARIES).flat())
      expect((await acme.query(`SELECT FROM search_reports.compute_${name}($1, $2)`, [OTHER, WEEK.start])).rowCount, name).toBe(0);
  });

  it('gets boards and CSVs of its account, and nothing in those of another', async () => {
    const { headers } = await fetch(`${served.url}/login`, {
      method: 'POST',
      body: new URLSearchParams({ password: 'open sesame' }),
      redirect: 'manual',
    });
    const cookie = headers
      .getSetCookie()
      .map((set) => set.split(';')[0])
      .join('; ');
    const get = async (path: string): Promise<string> => (await fetch(served.url + path, { headers: { cookie } })).text();
    for (const board of ['rankings', 'ai-visibility']) {
      const own = await get(`/boards/${board}`);
      expect(own).not.toContain('could not be read');
      expect(own).toContain(String(ACME));
      expect(own).not.toContain(String(OTHER));
      expect(own).not.toContain(OF_OTHER);
      expect(await get(`/boards/${board}?account=${OTHER}`)).not.toContain(OF_OTHER);
    }
    const csv = (account: number): Promise<string> =>
      get(`/boards/rankings/market-share.csv?account=${account}&rank=standard&weighted=false`);
    expect(await csv(ACME)).toContain('words-of-acme.example');
    expect(await csv(OTHER)).not.toContain(OF_OTHER);
  });

  it('has no right to the ledger, to partitions or to stored summaries', async () => {
    for (const table of [
      'searchmill.jobs',
      'searchmill.coverage',
      'searchmill.account_logins',
      'searchmill.account_settings',
      'searchmill.own_domains',
      'search_stored.search_facts',
    ])
      await expect(acme.query(`SELECT FROM ${table}`), table).rejects.toMatchObject({ code: INSUFFICIENT_PRIVILEGE });
  });

  it('sees nothing while it is given no account', async () => {
    for (const name of [...(await relationsWithAccount('search', 'p')), ...(await relationsWithAccount('search_reports', 'v'))])
      expect(await accountsIn(stranger, name), name).toEqual([]);
  });
});

describe('searchmill_analyst', () => {
  it('reads all accounts in tables, their views and reports, despite policies', async () => {
    for (const name of [...(await relationsWithAccount('search', 'p')), ...(await relationsWithAccount('search', 'v'))])
      expect(await accountsIn(ann, name), name).toEqual([ACME, OTHER]);
    for (const view of await relationsWithAccount('search_reports', 'v'))
      if (view !== 'search_reports.accounts_of_login')
        expect(await accountsIn(ann, view), view).toEqual(await accountsIn(ledger.pool, view));
  });

  it('finds neither the ledger nor partitions nor stored summaries among what it may read', async () => {
    const { rows } = await ann.query<{ schema: string }>(
      "SELECT DISTINCT table_schema AS schema FROM information_schema.tables WHERE table_schema ~ '^search'",
    );
    const names = await ann.query<{ name: string }>(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'searchmill' ORDER BY 1",
    );
    expect(rows.map(({ schema }) => schema).sort()).toEqual(['search', 'search_reports', 'searchmill']);
    // What a process that serves boards has to know.
    expect(names.rows.map(({ name }) => name)).toEqual(['ended_sessions', 'ledger', 'migrations', 'schema_digests']);
    await expect(ann.query('SELECT FROM searchmill.executions')).rejects.toMatchObject({ code: INSUFFICIENT_PRIVILEGE });
    await expect(ann.query('DELETE FROM search.keyword_rankings')).rejects.toThrow();
  });
});

describe('the service, beside policies', () => {
  it('publishes as a login that policies do not bind, and refuses to work as one that would see a part of the rows', async () => {
    const { pool } = ledger;
    const name = `test_service_${suffix}`;
    await pool.query(`CREATE ROLE ${name} LOGIN PASSWORD 'test'; GRANT searchmill_writer TO ${name}`);
    const service = createPool(new Secret(as(name)), { applicationName: 'test service', max: 2 });
    try {
      const job = jobOf({ accountId: ACME });
      await expect(loadWindow(service, job, [rowOf(job, 'more', WEEK.start)])).rejects.toThrow('row-level security');
      await pool.query(`ALTER ROLE ${name} BYPASSRLS`);
      const next = jobOf({ accountId: ACME + 9 });
      expect(await loadWindow(service, next, [rowOf(next, 'more', WEEK.start)])).toMatchObject({ inserted: 1 });
    } finally {
      await service.end();
      await pool.query(`DROP OWNED BY ${name}; DROP ROLE ${name}`);
    }
  });
});

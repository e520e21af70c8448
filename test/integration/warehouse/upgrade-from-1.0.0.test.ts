// A warehouse that 1.0.0 made, with several accounts, held weeks, notes, own domains and aliases, is upgraded in place while readers read and a worker loads.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StoreError } from '../../../src/core/errors.ts';
import { Secret } from '../../../src/core/secret.ts';
import { type IsoDate, windowOfWeeks } from '../../../src/core/weeks.ts';
import { datasetNamed } from '../../../src/datasets/index.ts';
import { hold } from '../../../src/ledger/executions.ts';
import { recordJob } from '../../../src/ledger/jobs.ts';
import { createPool, type Pool } from '../../../src/postgres/pool.ts';
import { migrate } from '../../../src/postgres/schema/migrate.ts';
import { checkReports } from '../../../src/reports/rebuild.ts';
import { firstReleaseMigrations, storeAsFirstRelease } from '../../support/first-release.ts';
import { jobOf } from '../../support/ledger.ts';
import { ensureBuilt } from '../../support/program.ts';
import { storeReports } from '../../support/stored-weeks.ts';
import { createEmptyDatabase, type TestDatabase } from '../../support/test-database.ts';
import { until } from '../../support/wait.ts';
import { loadWindow, stageWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const WEEKS = ['2026-10-25', '2026-11-01', '2026-11-08'] as const satisfies readonly IsoDate[];
const ACCOUNTS = [101, 102, 103] as const;
const MAIN = fileURLToPath(new URL('../../../dist/main.js', import.meta.url));
const RANKINGS = datasetNamed('keyword_rankings');

let database: TestDatabase;
let pool: Pool;
let remove: () => Promise<void>;
beforeEach(async () => {
  database = await createEmptyDatabase();
  const release = await firstReleaseMigrations();
  remove = release.remove;
  await migrate(new Secret(database.url), { folder: release.folder });
  pool = createPool(new Secret(database.url), { applicationName: 'test', max: 6 });
  // The loader of this release fills it, which notes one thing more.
  await pool.query('ALTER TABLE searchmill.slices ADD COLUMN displacements integer NOT NULL DEFAULT 0');
  await fillAsFirstRelease();
  await pool.query('ALTER TABLE searchmill.slices DROP COLUMN displacements');
});
afterEach(async () => {
  await pool.end();
  await database.drop();
  await remove();
});

const searches = (job: ReturnType<typeof jobOf>, week: IsoDate, count = 3): unknown[] =>
  Array.from({ length: count }, (_, n) => [
    wireRow(
      job,
      { query: `boots ${n}`, device: 'DESKTOP', root_domain: 'acme.example', rank_standard: String(n + 1), rank_true: String(n + 1) },
      week,
    ),
    wireRow(job, { query: `boots ${n}`, device: 'DESKTOP', root_domain: 'rival.example', rank_standard: '9', rank_true: '9' }, week),
  ]).flat();
const prompt = {
  collection_frequency: 'WEEKLY',
  locode: 'US',
  language: 'en_US',
  ai_search_engine: 'chatgpt',
  topic: 'gear',
  prompt: 'best boots',
  persona: 'none',
};

async function fillAsFirstRelease(): Promise<void> {
  for (const accountId of ACCOUNTS) {
    const rankings = jobOf({ dataset: RANKINGS, accountId, since: WEEKS[0] });
    const answers = jobOf({ dataset: datasetNamed('ai_search_response'), accountId, since: WEEKS[0] });
    const brands = jobOf({ dataset: datasetNamed('ai_search_brands'), accountId, since: WEEKS[0] });
    for (const job of [rankings, answers, brands]) await recordJob(pool, job, WEEKS[2]);
    for (const week of WEEKS) {
      const window = windowOfWeeks(week, 1);
      if (accountId === 103 && week === WEEKS[2])
        await hold(pool, await stageWindow(pool, rankings, [searches(rankings, week)], window), [], 0);
      else await loadWindow(pool, rankings, searches(rankings, week), window);
      await loadWindow(pool, answers, [wireRow(answers, { ...prompt, ai_response: 'Acme.' }, week)], window);
      await loadWindow(
        pool,
        brands,
        [
          wireRow(
            brands,
            { ...prompt, prompt_type: 'unbranded', brand_or_product_name: 'Acme', brand_or_product_attribution: 'You' },
            week,
          ),
        ],
        window,
      );
    }
    await pool.query(`INSERT INTO searchmill.own_domains (account_id, domain, source) VALUES ($1, 'acme.example', 'configured')`, [
      accountId,
    ]);
  }
  await pool.query(`INSERT INTO searchmill.aliases (account_id, kind, spelling, meaning) VALUES (101, 'engine', 'chatgpt', 'ChatGPT')`);
  await pool.query(`INSERT INTO searchmill.annotations (account_id, day, text, actor) VALUES (101, '2026-11-02', 'robots.txt', 'ann')`);
  await storeAsFirstRelease(pool);
  // A view of a user's.
  await pool.query('CREATE VIEW public.my_searches AS SELECT query, own_standard FROM search_reports.ranking_searches');
  await pool.query('CREATE VIEW public.my_sites AS SELECT site, standard_10 FROM search_reports.ranking_sites');
}

const levelOf = async (account: number, measure: string): Promise<Record<string, string | null>[]> =>
  (
    await pool.query<Record<string, string | null>>(
      'SELECT week::text, round(level, 2)::text AS level, reason FROM search_reports.levels($1, NULL, search_reports.all_of($2), NULL) ORDER BY week',
      [measure, account],
    )
  ).rows;

/** A load that the migration makes fail is tried again, as the pipeline does. */
async function untilLoaded(job: ReturnType<typeof jobOf>, week: IsoDate): Promise<void> {
  for (;;) {
    try {
      await loadWindow(pool, job, searches(job, week), windowOfWeeks(week, 1));
      return;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      await pool.query(
        `UPDATE searchmill.executions SET state = 'abandoned', ended_at = now() WHERE ended_at IS NULL AND slice_id IN (SELECT id FROM searchmill.slices WHERE job = $1)`,
        [job.name],
      );
    }
  }
}

describe('a warehouse of 1.0.0', () => {
  it('is upgraded in place while readers read and a worker loads, and boards say what is not filled yet', async () => {
    const migrating: { isOver: boolean } = { isOver: false };
    const reading = (async (): Promise<number> => {
      let reads = 0;
      for (; !migrating.isOver; reads += 1)
        await pool.query('SELECT count(*) FROM search.keyword_rankings; SELECT * FROM searchmill.coverage');
      return reads;
    })();
    const other = jobOf({ dataset: RANKINGS, accountId: 104, since: WEEKS[0] });
    const loading = (async (): Promise<void> => {
      await recordJob(pool, other, WEEKS[2]);
      for (const week of WEEKS) await untilLoaded(other, week);
    })();
    expect(await migrate(new Secret(database.url))).toContain('0008_facts');
    migrating.isOver = true;
    await loading;
    expect(await reading).toBeGreaterThan(0);

    expect(await levelOf(101, 'visibility')).toEqual(WEEKS.map((week) => ({ week, level: null, reason: 'being summarised' })));
    // Names and sentiments of later weeks are stored in the same rounds.
    for (let round = 0; round < 3; round += 1) await storeReports(pool);
    expect(await levelOf(101, 'visibility')).toEqual(WEEKS.map((week) => ({ week, level: '10.00', reason: null })));
    expect(await levelOf(101, 'mention_rate')).toEqual(WEEKS.map((week) => ({ week, level: '100.00', reason: null })));
    expect((await levelOf(103, 'visibility')).at(-1)).toMatchObject({
      week: WEEKS[2],
      level: null,
      reason: expect.stringContaining('held'),
    });
    expect((await checkReports(pool, {})).differences).toEqual([]);
    expect((await pool.query('SELECT text FROM searchmill.annotations')).rows).toEqual([{ text: 'robots.txt' }]);
    expect((await pool.query('SELECT count(*)::integer AS count FROM public.my_searches')).rows).toEqual([{ count: 9 * 3 + 9 - 3 }]);
    expect((await pool.query('SELECT max(standard_10) AS most FROM public.my_sites')).rows).toEqual([{ most: 3 }]);
  });

  it('has the same views and functions as a new one, but for those that something of the users depends on', async () => {
    await pool.query('CREATE VIEW public.my_pair AS SELECT search_reports.change_reading(1, ARRAY[1, 2], 3, ARRAY[3, 4]) AS reading');
    await migrate(new Secret(database.url));
    const fresh = await createEmptyDatabase();
    await migrate(new Secret(fresh.url));
    const freshPool = createPool(new Secret(fresh.url), { applicationName: 'test', max: 1 });
    const named = `SELECT p.oid::regprocedure::text AS name FROM pg_proc p WHERE pronamespace = 'search_reports'::regnamespace
                   UNION ALL SELECT oid::regclass::text FROM pg_class WHERE relnamespace = 'search_reports'::regnamespace ORDER BY 1`;
    const [upgraded, made] = [await pool.query<{ name: string }>(named), await freshPool.query<{ name: string }>(named)];
    await freshPool.end();
    await fresh.drop();
    const names = (rows: readonly { name: string }[]): string[] =>
      rows.map(({ name }) => name).filter((name) => !name.includes('change_reading'));
    expect(names(upgraded.rows)).toEqual(names(made.rows));
  });

  it('keeps the settings of accounts, which processes of 1.0.0 go on to read and write', async () => {
    // Of users: a view on a table of the ledger, and a right.
    const role = `test_bob_${randomBytes(4).toString('hex')}`;
    await pool.query(`CREATE ROLE ${role}; GRANT SELECT ON searchmill.competitors TO ${role}`);
    await pool.query(`CREATE VIEW public.my_domains WITH (security_barrier) AS
                      SELECT domain FROM searchmill.own_domains WHERE account_id IN (SELECT account_id FROM searchmill.aliases)`);
    await pool.query("INSERT INTO searchmill.competitors (account_id, domain) VALUES (102, 'rival.example')");
    const read = async (sql: string): Promise<unknown[]> => (await pool.query({ text: sql, rowMode: 'array' })).rows;
    const settings = (account: number): Promise<unknown[]> =>
      read(`SELECT setting, kind, value, meaning FROM searchmill.account_settings WHERE account_id = ${account} ORDER BY 1, 2, 3`);

    await migrate(new Secret(database.url));
    expect(await settings(101)).toEqual([
      ['aliases', 'engine', 'chatgpt', 'ChatGPT'],
      ['own_domains', 'configured', 'acme.example', null],
    ]);
    expect(await settings(102)).toEqual([
      ['competitors', '', 'rival.example', null],
      ['own_domains', 'configured', 'acme.example', null],
    ]);
    expect(await read('TABLE public.my_domains')).toEqual([['acme.example']]);
    expect(
      await read(`SELECT has_table_privilege('${role}', 'searchmill.competitors', 'SELECT'), reloptions
                    FROM pg_class WHERE oid = 'public.my_domains'::regclass`),
    ).toEqual([[true, ['security_barrier=true']]]);

    // As 1.0.0 does.
    const ofOld = [
      "DELETE FROM searchmill.own_domains WHERE account_id = 102 AND source = 'configured' AND domain <> ALL ('{acme.example,new.example}')",
      `INSERT INTO searchmill.own_domains (account_id, source, domain)
       SELECT 102, 'configured', domain FROM unnest('{acme.example,new.example}'::text[]) AS domain ON CONFLICT DO NOTHING`,
      "DELETE FROM searchmill.competitors WHERE account_id = 102 AND domain <> ALL ('{other.example}')",
      "INSERT INTO searchmill.competitors (account_id, domain) SELECT 102, unnest('{other.example}'::text[]) ON CONFLICT DO NOTHING",
      'DELETE FROM searchmill.aliases WHERE account_id = 102',
      `INSERT INTO searchmill.aliases (account_id, kind, spelling, meaning)
       SELECT 102, kind, spelling, meaning FROM unnest('{locode}'::text[], '{UK}'::text[], '{GB}'::text[]) AS a (kind, spelling, meaning)`,
    ];
    for (const statement of ofOld) await pool.query(`SET ROLE searchmill_writer; ${statement}; RESET ROLE`);
    expect(await settings(102)).toEqual([
      ['aliases', 'locode', 'UK', 'GB'],
      ['competitors', '', 'other.example', null],
      ['own_domains', 'configured', 'acme.example', null],
      ['own_domains', 'configured', 'new.example', null],
    ]);
    expect(await settings(101)).toHaveLength(2);
    expect(await read('SELECT domain FROM searchmill.own_domains WHERE account_id = 102 ORDER BY 1')).toEqual(
      await read('SELECT domain FROM search_reports.own_domains WHERE account_id = 102 ORDER BY 1'),
    );
    await pool.query(`DROP VIEW public.my_domains; DROP OWNED BY ${role}; DROP ROLE ${role}`);
  });

  it('is filled to the end after its filling is killed in the middle', async () => {
    await migrate(new Secret(database.url));
    const marked = async (): Promise<number> =>
      Number((await pool.query<{ count: string }>('SELECT count(*) FROM searchmill.stale_weeks')).rows[0]?.count);
    const all = await marked();
    expect(all).toBeGreaterThan(0);
    await ensureBuilt();
    const rebuild = spawn(process.execPath, [MAIN, 'reports', 'rebuild'], {
      env: { ...process.env, DATABASE_URL: database.url },
      stdio: 'ignore',
    });
    const ended = new Promise((resolve) => rebuild.once('exit', resolve));
    await until('some weeks to be stored', async () => (await marked()) < all || rebuild.exitCode !== null);
    rebuild.kill('SIGKILL');
    await ended;
    for (let round = 0; round < 3; round += 1) await storeReports(pool);
    expect(await marked()).toBe(0);
    expect(await levelOf(102, 'visibility')).toEqual(WEEKS.map((week) => ({ week, level: '10.00', reason: null })));
    expect((await checkReports(pool, {})).differences).toEqual([]);
  });
});

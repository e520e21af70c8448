// The dbt package, run by dbt itself on a warehouse whose weeks have several states: as the owner of its tables and as the login that "searchmill login" makes.
// What its marts and metrics give is compared with the levels of boards.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareText } from '../../src/core/compare-text.ts';
import { readMeasures } from '../../src/dashboards/measures.ts';
import { makeLogin } from '../../src/postgres/logins.ts';
import { useBoards } from '../support/boards.ts';
import { asLogin } from '../support/database-access.ts';
import { markSummarising, type Unpublished, unpublish } from '../support/unpublished-weeks.ts';
import { DBT_VERSIONS } from './versions.ts';

const ACCOUNT = '12345';
const PACKAGE = fileURLToPath(new URL('../../dbt', import.meta.url));
/** A model of a user's own, which stands in the project beside the package. */
const RECIPE = 'dbt_top_places';
const RECIPES = fileURLToPath(new URL('../../docs/recipes/', import.meta.url));
const PROGRAMS = process.env.TEST_DBT ?? '';
const [UNPUBLISHED, SUMMARISING] = ['2026-10-25', '2026-11-01'];
const SCHEMAS = { owner: 'dbt_owner', analyst: 'dbt_analyst' } as const;
type Role = keyof typeof SCHEMAS;

const loaded = useBoards('since: 2026-10-18, weeks_per_query: 1', [
  'keyword_rankings',
  'ai_search_response',
  'ai_search_brands',
  'ai_search_citations',
  'ai_search_sentiments',
]);
const login = `test_dbt_${randomBytes(4).toString('hex')}`;
let unpublished: Unpublished;
let folder = '';

/** One target of profiles.yml. JSON is YAML. */
function outputOf(url: string, schema: string): object {
  const { hostname, port, username, password, pathname } = new URL(url);
  const [user, secret, dbname] = [username, password, pathname.slice(1)].map(decodeURIComponent);
  return { type: 'postgres', host: hostname, port: Number(port), user, password: secret, dbname, schema, threads: 2 };
}

beforeAll(async () => {
  const { stack } = loaded;
  const { pool, databaseUrl } = stack;
  const password = await makeLogin(pool, login, { accountIds: undefined, statementTimeoutSeconds: 60, isPasswordNew: true });
  await pool.query(`CREATE SCHEMA ${SCHEMAS.analyst} AUTHORIZATION ${login}`);
  unpublished = await unpublish(pool, `job IN ('ai-search-brands', 'ai-search-citations') AND window_start = '${UNPUBLISHED}'`);
  await markSummarising(pool, ACCOUNT, SUMMARISING);

  folder = await mkdtemp(join(tmpdir(), 'searchmill-dbt-'));
  const files = {
    'dbt_project.yml': { name: 'shop', version: '1.0.0', 'config-version': 2, profile: 'shop' },
    'packages.yml': { packages: [{ local: PACKAGE }] },
    'profiles.yml': {
      shop: {
        target: 'owner',
        outputs: {
          owner: outputOf(databaseUrl, SCHEMAS.owner),
          analyst: outputOf(asLogin(databaseUrl, login, password?.reveal()), SCHEMAS.analyst),
        },
      },
    },
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), JSON.stringify(content));
  await mkdir(join(folder, 'models'));
  await copyFile(join(RECIPES, `${RECIPE}.sql`), join(folder, 'models', `${RECIPE}.sql`));
  for (const version of DBT_VERSIONS) expect(await run(version, 'dbt', ['deps'])).toMatchObject({ code: 0 });
});
afterAll(async () => {
  const { stack } = loaded;
  await unpublished.restore();
  await stack?.pool.query(`DROP OWNED BY ${login}; DROP ROLE ${login}`);
  if (folder) await rm(folder, { recursive: true });
});

type Version = (typeof DBT_VERSIONS)[number];
type Run = Readonly<{ code: number; out: string }>;

/** Runs a program of a version in the project; `target` has the files that dbt writes. */
function run({ dbt }: Version, program: 'dbt' | 'mf', args: readonly string[]): Promise<Run> {
  return new Promise((resolve) => {
    const env = {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      DBT_SEND_ANONYMOUS_USAGE_STATS: 'false',
      DBT_PROFILES_DIR: folder,
      DBT_PROJECT_DIR: folder,
      DBT_USE_COLORS: 'false',
    };
    const given = { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 };
    execFile(join(PROGRAMS, dbt, 'bin', program), [...args], given, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 1, out: stdout + stderr });
    });
  });
}

/** Tests look at all rows of the sandbox, whatever the day of the test. */
const VARS = ['--vars', '{searchmill_tested_days: 36500}'];

async function resultsOf(file: 'run_results' | 'sources'): Promise<Record<string, unknown>[]> {
  return (JSON.parse(await readFile(join(folder, 'target', `${file}.json`), 'utf8')) as { results: Record<string, unknown>[] }).results;
}

async function levelsOf(measure: string, by: string | null, kind: string | null): Promise<Map<string, number | null>> {
  const { rows } = await loaded.stack.pool.query<{ key: string; value: number | null }>(
    `SELECT week || ' ' || line AS key, level::double precision AS value
       FROM search_reports.levels($1, $2, search_reports.all_of($3, $4), NULL) WHERE level IS NOT NULL`,
    [measure, by, ACCOUNT, kind],
  );
  return new Map(rows.map(({ key, value }) => [key, value]));
}

/** What the marts of a role give, as an analyst would sum it. */
async function expectMartsEqualBoards(role: Role): Promise<void> {
  for (const { name, of, unit } of readMeasures()) {
    const kind = of === 'prompts' ? 'unbranded' : null;
    const { rows } = await loaded.stack.pool.query<{ week: string; level: number | null }>(
      `SELECT week::text, sum(${name}_part) / nullif(sum(${name}_whole), 0) AS level FROM ${SCHEMAS[role]}.searchmill_${of}
        WHERE account_id = $1 AND ($2::text IS NULL OR to_jsonb(searchmill_${of}) ->> 'prompt_type' = $2) GROUP BY week`,
      [ACCOUNT, kind],
    );
    const found = rows.flatMap(({ week, level }) => (level === null ? [] : [[`${week} `, (unit === '%' ? 100 : 1) * level] as const]));
    const shown = await levelsOf(name, null, kind);
    expect([name, found.map(([key]) => key).sort()]).toEqual([name, [...shown.keys()].sort()]);
    for (const [key, level] of found) expect(level, `${name} ${key}`).toBeCloseTo(shown.get(key) ?? Number.NaN, 9);
  }
}

describe.each(DBT_VERSIONS)('dbt $dbt', (version) => {
  it.each(['owner', 'analyst'] as const)(
    'builds the package as %s without an error or a warning, and its marts equal the boards',
    async (role) => {
      const { code, out } = await run(version, 'dbt', ['build', '--target', role, '--full-refresh', ...VARS]);
      expect(code, out).toBe(0);
      const statuses = new Set((await resultsOf('run_results')).map(({ status }) => status));
      expect([...statuses].sort()).toEqual(['no-op', 'pass', 'success']);
      expect(out.match(/^.*(?:\[WARNING\]|deprecat).*$/gim) ?? []).toEqual([]);
      await expectMartsEqualBoards(role);
    },
  );

  it('tells how fresh each dataset is, without a right to the ledger', async () => {
    const { out } = await run(version, 'dbt', ['source', 'freshness', '--target', 'analyst', ...VARS]);
    const fresh = await resultsOf('sources');
    expect(fresh, out).toHaveLength(7);
    expect(fresh.filter(({ status }) => !['pass', 'warn', 'error'].includes(String(status)))).toEqual([]);
    const newest = fresh.find(({ unique_id }) => String(unique_id).endsWith('ai_search_response'));
    expect(String(newest?.max_loaded_at)).toMatch(/^2026-11-15T/);
  });

  it('gives metrics of the semantic layer that equal the boards', async () => {
    for (const { metric, by, entity, kind } of [
      { metric: 'visibility', by: 'device', entity: 'tracked_search', kind: null },
      { metric: 'mention_rate', by: 'assistant', entity: 'tracked_prompt', kind: 'unbranded' },
    ]) {
      const where = [
        `{{ Dimension('${entity}__account_id') }} = ${ACCOUNT}`,
        ...(kind === null ? [] : [`{{ Dimension('${entity}__prompt_type') }} = '${kind}'`]),
      ].join(' AND ');
      const file = join(folder, `${metric}.csv`);
      const query = ['query', '--metrics', `searchmill_${metric}`, '--group-by', `metric_time__day,${entity}__${by}`];
      const { code, out } = await run(version, 'mf', [...query, '--where', where, '--csv', file]);
      expect(code, out).toBe(0);
      const [, ...lines] = (await readFile(file, 'utf8')).trim().split(/\r?\n/);
      const found = lines.map((line) => line.split(',')).filter(([, , value]) => value !== '' && value !== 'nan' && value !== 'None');
      const shown = await levelsOf(metric, by, kind);
      expect(found.map(([day = '', line]) => `${day.slice(0, 10)} ${line}`).sort()).toEqual([...shown.keys()].sort());
      for (const [day = '', line, value] of found)
        expect(100 * Number(value), `${metric} ${day} ${line}`).toBeCloseTo(shown.get(`${day.slice(0, 10)} ${line}`) ?? Number.NaN, 9);
    }
  });
});

const newest = DBT_VERSIONS[DBT_VERSIONS.length - 1] as Version;

it('replaces the weeks whose state has changed, and no others', async () => {
  const { pool } = loaded.stack;
  const table = `${SCHEMAS.owner}.searchmill_searches`;
  const versions = async (): Promise<Map<string, string>> => {
    const { rows } = await pool.query<{ week: string; xmin: string }>(
      `SELECT week::text, string_agg(DISTINCT xmin::text, ' ') AS xmin FROM ${table} WHERE account_id = $1 GROUP BY week`,
      [ACCOUNT],
    );
    return new Map(rows.map(({ week, xmin }) => [week, xmin]));
  };
  const before = await versions();
  await pool.query('DELETE FROM searchmill.stale_weeks WHERE account_id = $1', [ACCOUNT]);
  const { code, out } = await run(newest, 'dbt', ['run', '--target', 'owner', '--select', 'searchmill_searches', ...VARS]);
  expect(code, out).toBe(0);
  const after = await versions();
  expect([...after].filter(([week, xmin]) => before.get(week) !== xmin).map(([week]) => week)).toEqual([SUMMARISING]);
  await expectMartsEqualBoards('owner');
});

it('the recipe of docs/events.md brings the weeks behind its cursor, and all after a restore', async () => {
  const { pool } = loaded.stack;
  const table = `${SCHEMAS.owner}.${RECIPE}`;
  const build = async (): Promise<void> => {
    const { code, out } = await run(newest, 'dbt', ['run', '--target', 'owner', '--select', RECIPE]);
    expect(code, out).toBe(0);
  };
  const writers = async (): Promise<Map<string, string>> => {
    const { rows } = await pool.query<{ week: string; xmin: string }>(
      `SELECT account_id || ' ' || week AS week, string_agg(DISTINCT xmin::text, ' ') AS xmin FROM ${table} GROUP BY 1`,
    );
    return new Map(rows.map(({ week, xmin }) => [week, xmin]));
  };
  const expectWhole = async (): Promise<void> => {
    const { rows: built } = await pool.query(
      `SELECT week::text, site, results::integer FROM ${table} WHERE account_id = $1 AND site IS NOT NULL ORDER BY 1, 2`,
      [ACCOUNT],
    );
    const { rows: stored } = await pool.query(
      `SELECT search_reports.week_of(time_period_start)::text AS week, root_domain AS site, count(*)::integer AS results
         FROM search.keyword_rankings WHERE account_id = $1 AND rank_standard <= 3 GROUP BY 1, 2 ORDER BY 1, 2`,
      [ACCOUNT],
    );
    expect(built.length).toBeGreaterThan(0);
    expect(built).toEqual(stored);
  };
  await build();
  await expectWhole();
  const before = await writers();
  // As if the newest change had not come yet.
  const { rows: lost } = await pool.query<{ week: string }>(
    `DELETE FROM ${table} WHERE cursor = (SELECT max(cursor) FROM ${table}) RETURNING account_id || ' ' || week AS week`,
  );
  await build();
  await expectWhole();
  const after = await writers();
  const replaced = [...after].filter(([week, xmin]) => before.get(week) !== xmin).map(([week]) => week);
  expect(replaced).toEqual([...new Set(lost.map(({ week }) => week))]);
  await pool.query('UPDATE searchmill.ledger SET id = gen_random_uuid()');
  await build();
  await expectWhole();
  expect([...(await writers())].filter(([week, xmin]) => after.get(week) === xmin)).toEqual([]);
});

it('tests coverage where dbt may read the ledger, and makes a documentation', async () => {
  const vars = ['--vars', '{searchmill_tested_days: 36500, searchmill_reads_ledger: true}'];
  const { code, out } = await run(newest, 'dbt', [
    'test',
    '--target',
    'owner',
    '--select',
    'source:searchmill.searchmill.coverage',
    ...vars,
  ]);
  expect(code, out).toBe(0);
  expect((await resultsOf('run_results')).map(({ status }) => String(status)).sort(compareText)).toEqual(['pass', 'pass', 'warn']);
  expect(await run(newest, 'dbt', ['docs', 'generate', '--target', 'analyst', ...VARS])).toMatchObject({ code: 0 });
  const { sources } = JSON.parse(await readFile(join(folder, 'target', 'catalog.json'), 'utf8')) as { sources: object };
  const described = ['search.keyword_rankings', 'search_reports.points', 'search_reports.measure_visibility'];
  expect(Object.keys(sources)).toEqual(expect.arrayContaining(described.map((name) => `source.searchmill.${name}`)));
});

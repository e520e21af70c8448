// A user who may create something in a schema that others look names up in must not run code as them: our functions are bound to the
// functions and operators of the catalogue, for every caller.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { createPool, type Pool } from '../../../src/postgres/pool.ts';
import { insertOwnDomains } from '../../support/account-settings.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';

const WEEK = '2026-11-01';
const OURS = "('searchmill', 'search', 'search_reports', 'searchmill_staging')";
/** Better fits for the arguments of our functions than those of the catalogue, which take any array or any value. */
const SHADOWS = [
  'unnest(text[]) RETURNS SETOF text',
  'unnest(date[]) RETURNS SETOF date',
  'format(text, text) RETURNS text',
  'format(text, text, text) RETURNS text',
  'format(text, text, regclass) RETURNS text',
  'format(text, date, text) RETURNS text',
  'format(text, regclass) RETURNS text',
  'array_agg(text) RETURNS text[]',
];
const CALLS = [
  `searchmill.row_key('a', 'b')`,
  `searchmill.list_items('a, b')`,
  `search_reports.week_of('${WEEK}')`,
  `(SELECT count(*) FROM search_reports.weeks_in_tables())`,
  `search_reports.mark_weeks('keyword_rankings', 1, '{${WEEK}}')`,
  `search_reports.own_patterns(1)`,
  `search_reports.is_own('blog.acme.example', 'acme.example', search_reports.own_patterns(1))`,
  `search_reports.web_property_name(1, 1, '{${WEEK}}')`,
  `search_reports.some_of('{a,b,c,d,e}')`,
  `(SELECT count(*) FROM search_reports.compute_search_facts(1, '${WEEK}'))`,
  `(SELECT count(*) FROM search_reports.compute_ai_spellings(1, '${WEEK}'))`,
  `(SELECT count(*) FROM search_reports.stored_tables())`,
  `search_reports.define_views('server')`,
];

let database: TestDatabase;
let pool: Pool;
const mallory = `searchmill_test_${randomBytes(6).toString('hex')}`;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(new Secret(database.url), { applicationName: 'test', max: 1, settings: { search_path: '"$user", public' } });
  await pool.query(`SELECT searchmill.ensure_partition('keyword_rankings', '${WEEK}')`);
  await insertOwnDomains(pool, 1, 'acme.example');
});
afterAll(async () => {
  await pool.query(`DROP OWNED BY ${mallory}; DROP ROLE ${mallory}`);
  await pool.end();
  await database.drop();
});

it('every function of Searchmill binds its names when it is made, or looks them up in the catalogue only', async () => {
  const { rows } = await pool.query(`
    SELECT oid::regprocedure::text AS function FROM pg_proc
     WHERE pronamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN ${OURS})
       AND prosqlbody IS NULL AND NOT coalesce('search_path=pg_catalog, pg_temp' = ANY (proconfig), false)`);
  expect(rows).toEqual([]);
});

it('functions that somebody else creates in schema public are not run by callers of ours', async () => {
  const ask = async (): Promise<unknown[]> => {
    const answers: unknown[] = [];
    for (const call of CALLS) answers.push([call, (await pool.query<{ answer: unknown }>(`SELECT ${call} AS answer`)).rows[0]?.answer]);
    return answers;
  };
  const before = await ask();
  await pool.query(`CREATE ROLE ${mallory}; GRANT CREATE ON SCHEMA public TO ${mallory}; SET ROLE ${mallory}`);
  for (const shadow of SHADOWS) {
    await pool.query(`CREATE FUNCTION public.${shadow} LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'runs as %', current_user; END $$`);
  }
  await pool.query(`
    CREATE FUNCTION public.join(integer, text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'runs as %', current_user; END $$;
    CREATE OPERATOR public.|| (LEFTARG = integer, RIGHTARG = text, FUNCTION = public.join);
    RESET ROLE`);
  // Proof that an unbound name would find the functions made above.
  await expect(pool.query(`SELECT format('%s', 'a'::text)`)).rejects.toThrow(/runs as /);
  await expect(pool.query(`SELECT 1 || ':'::text`)).rejects.toThrow(/runs as /);
  expect(await ask()).toEqual(before);
});

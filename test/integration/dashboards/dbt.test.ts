// dbt/sources.yml against a database with rows: its columns and types are there, its tests find nothing, and its freshness is that of the newest
// week that is published. What dbt makes of a test is built here as its documentation has it.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Job } from '../../../src/config/settings.ts';
import { type Window, windowOfWeeks } from '../../../src/core/weeks.ts';
import { DATASETS } from '../../../src/datasets/index.ts';
import { jobOf, useLedger, WEEK } from '../../support/ledger.ts';
import { loadWindow } from '../../support/window-steps.ts';
import { wireRow } from '../../support/wire-rows.ts';

const FOLDER = new URL('../../../dbt/', import.meta.url);

type Arguments = Readonly<{ columns?: string[]; values?: string[]; to?: string; field?: string }>;
type DataTest = string | Readonly<Record<string, Readonly<{ arguments?: Arguments; config?: Readonly<{ where?: string }> }>>>;
type Table = Readonly<{
  name: string;
  description?: string;
  config?: Readonly<{ loaded_at_query: string }>;
  data_tests?: readonly DataTest[];
  columns: readonly Readonly<{ name: string; description: string; data_type: string; data_tests?: readonly DataTest[] }>[];
}>;

const ledger = useLedger();
const { sources, exposures } = parse(readFileSync(new URL('sources.yml', FOLDER), 'utf8')) as {
  sources: { name: string; tables: Table[] }[];
  exposures: { name: string; depends_on: string[] }[];
};
const tables = sources.flatMap(({ name: schema, tables: of }) => of.map((table) => ({ ...table, schema })));
const dataTests = tables.flatMap(({ schema, name, columns, data_tests = [] }) => [
  ...data_tests.map((test) => ({ path: `${schema}.${name}`, column: '', test })),
  ...columns.flatMap((column) => (column.data_tests ?? []).map((test) => ({ path: `${schema}.${name}`, column: column.name, test }))),
]);
const uniqueRows =
  /\{% test .*?%\}\n(?<sql>.+)\n\{% endtest/s.exec(readFileSync(new URL('unique_rows.sql', FOLDER), 'utf8'))?.groups?.sql ?? '';

/** The statement of a test. It passes where there are no rows. */
function statementOf({ path, column, test }: (typeof dataTests)[number]): string {
  const [[kind, { arguments: given = {}, config = {} }] = ['', {}]] = Object.entries(typeof test === 'string' ? { [test]: {} } : test);
  const model = config.where === undefined ? path : `(SELECT * FROM ${path} WHERE ${config.where}) AS filtered`;
  const { columns = [], values = [], to = '', field = '' } = given;
  if (kind === 'not_null') return `SELECT FROM ${model} WHERE ${column} IS NULL`;
  if (kind === 'accepted_values')
    return `SELECT ${column} FROM ${model} GROUP BY ${column} HAVING ${column} NOT IN (${values.map((value) => `'${value}'`).join(', ')})`;
  if (kind === 'relationships') {
    const parent = to.replace(/^source\('(\w+)', '(\w+)'\)$/, '$1.$2');
    return `SELECT FROM (SELECT ${column} AS child FROM ${model}) AS c LEFT JOIN ${parent} p ON p.${field} = c.child WHERE c.child IS NOT NULL AND p.${field} IS NULL`;
  }
  if (kind === 'unique_rows')
    return uniqueRows.replaceAll("{{ columns | join(', ') }}", columns.join(', ')).replaceAll('{{ model }}', model);
  throw new Error(`a test of a kind that is not known: ${JSON.stringify(test)}`);
}

const isFresh = async (): Promise<(Date | null)[]> => {
  const found = tables.flatMap(({ config }) => (config ? [config.loaded_at_query] : []));
  return Promise.all(found.map(async (sql) => (await ledger.pool.query<{ min: Date | null }>(sql)).rows[0]?.min ?? null));
};

it.each(tables)('$schema.$name has the columns and types that are described', async ({ schema, name, columns, description }) => {
  const { fields } = await ledger.pool.query(`SELECT * FROM ${schema}.${name} LIMIT 0`);
  const { rows } = await ledger.pool.query<{ type: string }>(
    'SELECT format_type(oid, NULL) AS type FROM unnest($1::oid[]) WITH ORDINALITY AS t (oid, n) ORDER BY n',
    [fields.map(({ dataTypeID }) => dataTypeID)],
  );
  expect(columns.map((column) => [column.name, column.data_type])).toEqual(fields.map((field, n) => [field.name, rows[n]?.type]));
  expect([description, ...columns.map((column) => column.description)].filter((text) => !text)).toEqual([]);
});

it('names only sources that exist in what depends on them', () => {
  const known = tables.map(({ schema, name }) => `source('${schema}', '${name}')`);
  expect(exposures.length).toBeGreaterThan(0);
  for (const { depends_on } of exposures) expect(known).toEqual(expect.arrayContaining(depends_on));
});

describe('with rows of all datasets', () => {
  it('is fresh up to the newest week that every job has published, and not where a job lacks it or has it held', async () => {
    const dayAfter = async ({ start }: Window): Promise<Date | undefined> =>
      (await ledger.pool.query<{ day: Date }>('SELECT ($1::date + 7)::timestamptz AS day', [start])).rows[0]?.day;
    const load = (job: Job, week: Window) => loadWindow(ledger.pool, job, [wireRow(job, {}, week.start)], week);
    const changeLast = (state: string, endedAt: string) =>
      ledger.pool.query(
        `UPDATE searchmill.executions SET state = '${state}', ended_at = ${endedAt} WHERE id = (SELECT max(id) FROM searchmill.executions)`,
      );
    const next = windowOfWeeks('2026-11-15', 1);
    const jobs = DATASETS.map((dataset) => jobOf({ dataset }));
    const [first] = jobs;
    if (!first) throw new Error('there are no datasets');

    expect(await isFresh()).toEqual(DATASETS.map(() => null));
    for (const job of jobs) await load(job, WEEK);
    const [ended, nextEnded] = [await dayAfter(WEEK), await dayAfter(next)];
    expect(await isFresh()).toEqual(DATASETS.map(() => ended));
    await load(first, next);
    expect((await isFresh())[0]).toEqual(nextEnded);
    await changeLast('held', 'NULL');
    expect((await isFresh())[0]).toEqual(ended);
    await changeLast('published', 'clock_timestamp()');
    expect((await isFresh())[0]).toEqual(nextEnded);
    await load(jobOf({ dataset: first.dataset }), WEEK);
    expect((await isFresh())[0]).toEqual(ended);
  });

  it.each(dataTests.map((each) => ({ ...each, sql: statementOf(each) })))('finds nothing wrong by $path.$column: $sql', async ({ sql }) => {
    expect((await ledger.pool.query(sql)).rows).toEqual([]);
  });

  it('finds what is wrong', async () => {
    const [state] = dataTests.filter(({ test }) => JSON.stringify(test).includes('every_expected_week'));
    if (!state) throw new Error('there is no such test');
    await ledger.pool.query("UPDATE searchmill.jobs SET expected_through = '2026-11-22', since = '2026-11-08'");
    expect((await ledger.pool.query(statementOf(state))).rows).toEqual([{ state: 'missing' }]);
    const twice = statementOf({
      path: '(VALUES (1, 2), (1, 2)) AS t (a, b)',
      column: '',
      test: { unique_rows: { arguments: { columns: ['a', 'b'] } } },
    });
    expect((await ledger.pool.query(twice)).rows).toHaveLength(1);
  });
});

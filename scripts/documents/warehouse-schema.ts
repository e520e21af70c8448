// The tables of schema search and the views with their lists as arrays, generated from the definitions in src/datasets: migrations, and one file of
// views that is applied whenever it changes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Column, Dataset } from '../../src/datasets/dataset.ts';
import { DATASETS } from '../../src/datasets/index.ts';
import { MIGRATIONS, readFrozen, readMigrations } from '../frozen-migrations.ts';
import { literal, quote } from './sql-literals.ts';

/** The migration with the tables of the first release. */
const FIRST = '0006_warehouse.sql';

const GENERATED = '-- Generated from src/datasets by "npm run generate".';

/** Columns of the primary key, present in every row. */
const REQUIRED = new Set(['account_id', 'time_period_start']);

/** Searchmill's own columns, at the end of every table. */
export const OWN_COLUMNS = [
  {
    name: '_key',
    type: 'uuid NOT NULL',
    comment: 'Row key: first 128 bits of SHA-256 over the identity columns, as searchmill.row_key makes it.',
  },
  {
    name: '_occurrence',
    type: 'integer NOT NULL',
    comment: 'Number among rows with the same key, from 1: exact duplicates the service sends are all kept.',
  },
  { name: '_slice', type: 'bigint NOT NULL', comment: 'Slice (searchmill.slices) that wrote the row last.' },
  { name: '_loaded_at', type: 'timestamptz NOT NULL', comment: 'When the row was first published.' },
  { name: '_changed_at', type: 'timestamptz NOT NULL', comment: 'When the row was last changed.' },
  { name: '_extra', type: 'jsonb', comment: 'Columns the service sent that this table does not have.' },
] as const;

type Generated = Readonly<{ path: string; content: () => string }>;

/**
 * The migrations that create the tables. What a release has frozen stays: a dataset that is defined later gets a migration of its own, with the
 * next number, such as `0008_ai_search_ads.sql`. Throws if a released table lacks a column of its definition.
 */
export function warehouseMigrations(folder = MIGRATIONS, frozen = readFrozen(), datasets: readonly Dataset[] = DATASETS): Generated[] {
  if (!(FIRST in frozen)) return [{ path: `migrations/${FIRST}`, content: () => tablesOf(datasets) }];
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
  const files = Object.keys(readMigrations(folder));
  const [released, all] = [Object.keys(frozen), files].map((some) => some.map(read).join('')) as [string, string];
  for (const { name, columns } of datasets.filter((dataset) => released.includes(beginOf(dataset)))) {
    const lacking = columns
      .filter((column) => !all.includes(`COMMENT ON COLUMN search.${name}.${column.name} IS`))
      .map((column) => column.name);
    if (lacking.length > 0)
      throw new Error(`search.${name} was released without ${lacking.join(', ')}: write a migration that adds and describes the column`);
  }
  return datasets
    .filter((dataset) => !released.includes(beginOf(dataset)))
    .map((dataset) => {
      const known = files.find((file) => file.slice(5) === `${dataset.name}.sql`);
      const file = known ?? `${String(Number(files.at(-1)?.slice(0, 4)) + 1).padStart(4, '0')}_${dataset.name}.sql`;
      if (!known) files.push(file);
      return { path: `migrations/${file}`, content: () => tablesOf([dataset]) };
    });
}

const beginOf = ({ name }: Pick<Dataset, 'name'>): string => `CREATE TABLE search.${name} (`;

function tablesOf(datasets: readonly Dataset[]): string {
  return `-- The warehouse: tables that mirror the service's rows, in its order, under its names, with real types, then Searchmill's own columns,
-- each starting with "_". Range-partitioned by month of time_period_start; partitions are made when the first row of a month is about to
-- be published.
${GENERATED}
-- Guarantees: (account_id, time_period_start, _key, _occurrence) is unique, so publishing an answer again changes nothing.
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction.
${datasets.map((dataset) => `\n${tableOf(dataset)}`).join('')}`;
}

function tableOf({ name, grain, columns }: Dataset): string {
  const all: { name: string; type: string; comment: string }[] = [
    ...columns.map((column) => ({ ...column, type: `${column.pg}${REQUIRED.has(column.name) ? ' NOT NULL' : ''}` })),
    ...OWN_COLUMNS,
  ];
  const width = Math.max(...all.map((column) => column.name.length));
  return `${beginOf({ name })}
${all.map((column) => `  ${column.name.padEnd(width)} ${column.type},`).join('\n')}
  PRIMARY KEY (account_id, time_period_start, _key, _occurrence)
) PARTITION BY RANGE (time_period_start);
COMMENT ON TABLE search.${name} IS ${quote(grain)};
${all.map((column) => `COMMENT ON COLUMN search.${name}.${column.name} IS ${quote(column.comment)};\n`).join('')}`;
}

/** The views, and the summaries that each dataset feeds. */
export function datasetDefinitions(): string {
  const summarised = DATASETS.filter(({ subjects }) => subjects.length > 0);
  return `-- Derived from the definitions of datasets: which summaries are made from each, and views on the
-- tables of schema search with lists as arrays.
-- If the items of a list cannot be told apart, there is no array.
${GENERATED}

CREATE OR REPLACE FUNCTION search_reports.summarised_datasets() RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '{${summarised.map(({ name }) => name).join(',')}}'::text[];
COMMENT ON FUNCTION search_reports.summarised_datasets IS 'The datasets that summaries are made from.';

CREATE OR REPLACE FUNCTION search_reports.subjects_of(dataset text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE dataset ${summarised
    .map(({ name, subjects }) => `WHEN '${name}' THEN '{${subjects.join(',')}}'`)
    .join('\n                          ')}
                          ELSE '{}' END::text[];
COMMENT ON FUNCTION search_reports.subjects_of IS
  'The subjects whose summaries are made from a dataset. src/reports/summaries.ts lists them.';

CREATE OR REPLACE FUNCTION searchmill.columns_of_arrays(dataset text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE dataset
  ${DATASETS.map((dataset) => `WHEN '${dataset.name}' THEN ARRAY[\n${columnsOfView(dataset)}]`).join('\n  ')}
END;
COMMENT ON FUNCTION searchmill.columns_of_arrays IS 'What this release selects from a table for the view with its lists as arrays.';

${DEFINE_ARRAYS}${DATASETS.map((dataset) => `\n${viewOf(dataset)}`).join('')}`;
}

/** Promoted columns (40_promotions.sql) follow those of the release. A release that knows one of them itself names it among its own. */
const DEFINE_ARRAYS = `CREATE OR REPLACE FUNCTION searchmill.define_arrays(dataset text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  of_view  text := format('search.%I', dataset || '_arrays');
  columns  text[] := searchmill.columns_of_arrays(dataset);
  all_of   text[] := columns || ARRAY(SELECT quote_ident(p.column_name) FROM searchmill.promotions p
                                       WHERE p.dataset = define_arrays.dataset
                                         AND NOT EXISTS (SELECT FROM unnest(columns) c WHERE c ~ ('(^| )' || p.column_name || '$'))
                                       ORDER BY p.promoted_at, p.column_name);
  named    text[] := ARRAY(SELECT substring(c FROM '([^ ]+)$') FROM unnest(all_of) WITH ORDINALITY AS u(c, at) ORDER BY at);
  remarks  text[] := '{}';
  remark   text;
BEGIN
  -- Postgres only adds columns to a view. Where one is gone, the view is made anew, with its rights and comments.
  IF EXISTS (SELECT FROM pg_attribute a
              WHERE a.attrelid = to_regclass(of_view) AND quote_ident(a.attname) IS DISTINCT FROM named[a.attnum]) THEN
    remarks := searchmill.comments_on(ARRAY[of_view::regclass]) || ARRAY(
      SELECT format('GRANT %s ON %s TO %s%s', g.privilege_type, of_view,
                    CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(g.grantee)) END,
                    CASE WHEN g.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END)
        FROM pg_class c CROSS JOIN LATERAL aclexplode(c.relacl) AS g
       WHERE c.oid = of_view::regclass AND g.grantee <> c.relowner);
    EXECUTE format('DROP VIEW %s', of_view);
  END IF;
  -- From Postgres 15 on, the rights and policies of the tables apply to readers of the views.
  EXECUTE format('CREATE OR REPLACE VIEW %s %s AS SELECT %s FROM search.%I', of_view,
                 CASE WHEN current_setting('server_version_num')::integer >= 150000 THEN 'WITH (security_invoker = true)' ELSE '' END,
                 array_to_string(all_of, ', '), dataset);
  FOREACH remark IN ARRAY remarks LOOP
    BEGIN
      EXECUTE remark;
    EXCEPTION WHEN undefined_column THEN
      -- Of the column that is gone.
    END;
  END LOOP;
  FOR remark IN
    SELECT format('COMMENT ON COLUMN %s.%I IS %L', of_view, p.column_name,
                  col_description(format('search.%I', define_arrays.dataset)::regclass, a.attnum))
      FROM searchmill.promotions p
      JOIN pg_attribute a ON a.attrelid = format('search.%I', p.dataset)::regclass AND a.attname = p.column_name AND NOT a.attisdropped
     WHERE p.dataset = define_arrays.dataset
  LOOP
    EXECUTE remark;
  END LOOP;
END
$$;
COMMENT ON FUNCTION searchmill.define_arrays IS 'Makes the view of a table with its lists as arrays, of the columns of this release and '
  'the promoted ones.';
`;

type ArrayColumn = Readonly<{ expression: string; comment: string }>;

const arraysOf = (dataset: Dataset): ReadonlyMap<string, ArrayColumn> =>
  new Map(dataset.columns.filter(({ items }) => items).map((column) => [column.name, arrayOf(dataset, column)]));

function columnsOfView(dataset: Dataset): string {
  const arrays = arraysOf(dataset);
  const texts = dataset.columns.map(({ name }) => {
    const array = arrays.get(name);
    return array ? `$$${array.expression} AS ${name}$$` : `'${name}'`;
  });
  return texts.map((text) => `    ${text}`).join(',\n');
}

function viewOf(dataset: Dataset): string {
  const { name } = dataset;
  const arrays = arraysOf(dataset);
  const lists = [...arrays.keys()];
  return `SELECT searchmill.define_arrays('${name}');
COMMENT ON VIEW search.${name}_arrays IS
  ${literal(`search.${name} with ${lists.join(' and ')} as ${lists.length > 1 ? 'arrays' : 'an array'}.`)};
${[...arrays].map(([column, { comment }]) => `COMMENT ON COLUMN search.${name}_arrays.${column} IS\n  ${literal(comment)};\n`).join('')}`;
}

function arrayOf({ columns }: Dataset, { name, items }: Column): ArrayColumn {
  const list = `searchmill.list_items(${name})`;
  const what = name.replace(/^(\w+)_group_(?:ids|names)$/, '$1 groups');
  if (items === 'integer') {
    return {
      expression: `CASE WHEN ${name} ~ '^(\\s*|\\s*[0-9]{1,18}(\\s*,\\s*[0-9]{1,18})*\\s*)$'
            THEN ${list}::bigint[] END`,
      comment: `Identifiers of ${what}; NULL if the text is not a list of integers.`,
    };
  }
  const ids = name.replace(/_names$/, '_ids');
  if (ids === name || !columns.some((column) => column.name === ids)) {
    return {
      expression: list,
      comment: `Names of ${what} without blanks around them. There are no identifiers to compare them with, so a name that contains a comma becomes several items.`,
    };
  }
  return {
    expression: `CASE WHEN cardinality(${list}) IN (0, cardinality(searchmill.list_items(${ids})))
            THEN ${list} END`,
    comment: `Names of ${what} without blanks around them; NULL if their number differs from that of the identifiers: then a name contains a comma, and the names cannot be told apart.`,
  };
}

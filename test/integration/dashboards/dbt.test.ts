// dbt/sources.yml names the tables and columns that there are, and its freshness is a statement that runs.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { useLedger } from '../../support/ledger.ts';

type Table = { name: string; description?: string; config?: { loaded_at_query: string }; columns: { name: string; description: string }[] };

const ledger = useLedger();
const { sources } = parse(readFileSync(new URL('../../../dbt/sources.yml', import.meta.url), 'utf8')) as {
  sources: { name: string; tables: Table[] }[];
};

it.each(sources.flatMap(({ name: schema, tables }) => tables.map((table) => ({ ...table, schema }))))(
  '$schema.$name has the columns that are described',
  async ({ schema, name, columns }) => {
    const { rows } = await ledger.pool.query(
      'SELECT column_name AS name FROM information_schema.columns WHERE table_schema = $1 AND table_name = $2',
      [schema, name],
    );
    expect(new Set(columns.map((column) => column.name))).toEqual(new Set(rows.map((row) => row.name)));
    expect(columns.filter(({ description }) => !description)).toEqual([]);
  },
);

it('has every dataset and every summary, and asks the ledger how fresh a dataset is', async () => {
  const { rows } = await ledger.pool.query(
    `SELECT table_schema || '.' || table_name AS name FROM information_schema.tables
      WHERE (table_schema = 'search' AND table_type = 'BASE TABLE' AND table_name !~ '_\\d{4}_\\d\\d$')
         OR (table_schema = 'search_reports' AND table_type = 'VIEW' AND table_name NOT IN ('live_weeks', 'marked_weeks', 'accounts_of_login'))`,
  );
  const named = sources.flatMap(({ name, tables }) => tables.map((table) => `${name}.${table.name}`));
  expect(new Set(named)).toEqual(new Set(rows.map(({ name }) => name)));
  for (const { config } of sources[0]?.tables ?? []) expect((await ledger.pool.query(config?.loaded_at_query ?? '')).rows).toHaveLength(1);
});

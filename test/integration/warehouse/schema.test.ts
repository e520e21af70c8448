import { describe, expect, it } from 'vitest';
import { DATASETS } from '../../../src/datasets/index.ts';
import { inTransaction } from '../../../src/postgres/transaction.ts';
import { useLedger } from '../../support/ledger.ts';

// Rows are put in by hand here.
const ledger = useLedger({ keepsInvariants: false });

const OWN_COLUMNS = [
  { name: '_key', type: 'uuid', isNullable: 'NO' },
  { name: '_occurrence', type: 'integer', isNullable: 'NO' },
  { name: '_slice', type: 'bigint', isNullable: 'NO' },
  { name: '_loaded_at', type: 'timestamp with time zone', isNullable: 'NO' },
  { name: '_changed_at', type: 'timestamp with time zone', isNullable: 'NO' },
  { name: '_extra', type: 'jsonb', isNullable: 'YES' },
];

describe.each(DATASETS.map((dataset) => [dataset.name, dataset] as const))('search.%s', (name, dataset) => {
  it('has the columns of its dataset in order, then Searchmill\u2019s own', async () => {
    const { rows } = await ledger.pool.query(
      `SELECT column_name AS name, data_type AS type, is_nullable AS "isNullable"
         FROM information_schema.columns WHERE table_schema = 'search' AND table_name = $1 ORDER BY ordinal_position`,
      [name],
    );
    const required = ['account_id', 'time_period_start'];
    const own = dataset.columns.map((column) => ({
      name: column.name,
      type: column.pg as string,
      isNullable: required.includes(column.name) ? 'NO' : 'YES',
    }));
    expect(rows).toEqual([...own, ...OWN_COLUMNS]);
  });

  it('is described as its dataset is', async () => {
    const { rows } = await ledger.pool.query<{ name: string; comment: string }>(
      `SELECT a.attname AS name, col_description(a.attrelid, a.attnum) AS comment
         FROM pg_attribute a WHERE a.attrelid = $1::regclass AND a.attnum > 0 ORDER BY a.attnum`,
      [`search.${name}`],
    );
    expect(rows.slice(0, dataset.columns.length)).toEqual(
      dataset.columns.map((column) => ({ name: column.name, comment: column.comment })),
    );
    const table = await ledger.pool.query('SELECT obj_description($1::regclass) AS comment', [`search.${name}`]);
    expect(table.rows).toEqual([{ comment: dataset.grain }]);
  });

  it('is found by account and time first, and partitioned by time', async () => {
    const { rows } = await ledger.pool.query(
      `SELECT pg_get_constraintdef(c.oid) AS key, pg_get_partkeydef(c.conrelid) AS partitions
         FROM pg_constraint c WHERE c.conrelid = $1::regclass AND c.contype = 'p'`,
      [`search.${name}`],
    );
    expect(rows).toEqual([
      { key: 'PRIMARY KEY (account_id, time_period_start, _key, _occurrence)', partitions: 'RANGE (time_period_start)' },
    ]);
  });

  it('has a view that offers its lists as arrays, whatever the lists hold', async () => {
    const lists = dataset.columns.filter(({ items }) => items);
    expect(lists.length).toBeGreaterThan(0);
    await ledger.pool.query('SELECT searchmill.ensure_partition($1, $2)', [name, '2026-11-01']);
    const values = [
      '1,22,333',
      '',
      null,
      '7',
      '1,,2',
      ' 1',
      '1, 2',
      'x,y',
      '99999999999999999999,1',
      '0'.repeat(40),
      ',',
      '-5',
      '9223372036854775807',
    ];
    for (const [i, value] of values.entries()) {
      const names = [
        'account_id',
        'time_period_start',
        '_key',
        '_occurrence',
        '_slice',
        '_loaded_at',
        '_changed_at',
        ...lists.map((list) => list.name),
      ];
      await ledger.pool.query(
        `INSERT INTO search.${name} (${names.join(', ')})
         VALUES ($1, '2026-11-08', gen_random_uuid(), 1, 1, now(), now()${lists.map(() => ', $2').join('')})`,
        [i, value],
      );
    }
    for (const { name: list, items } of lists) {
      const { rows } = await ledger.pool.query<{ list: string[] | null }>(
        `SELECT ${list}::text[] AS list FROM search.${name}_arrays ORDER BY account_id`,
      );
      const isIds = items === 'integer';
      expect(rows.map((row) => row.list)).toEqual(
        values.map((value) => {
          if (value === null) return null;
          const parts = value === '' ? [] : value.split(',').map((part) => part.trim());
          if (!isIds) return parts;
          // What is not a list of identifiers, or holds one beyond int8, has no array; the text is in the table.
          return parts.every((part) => /^\d{1,18}$/.test(part)) ? parts : null;
        }),
      );
    }
  });

  it('has the same columns in its view, without Searchmill\u2019s own', async () => {
    const { rows } = await ledger.pool.query<{ name: string }>(
      `SELECT column_name AS name FROM information_schema.columns WHERE table_schema = 'search' AND table_name = $1 ORDER BY ordinal_position`,
      [`${name}_arrays`],
    );
    expect(rows.map((row) => row.name)).toEqual(dataset.columns.map((column) => column.name));
  });
});

describe.each(['keyword_rankings', 'highest_ranking_url_per_keyword'])('the groups of a keyword in the view of search.%s', (name) => {
  it.each<[string | null, string | null, readonly string[] | null, readonly string[] | null]>([
    ['1,2', 'Shoes,Men', ['1', '2'], ['Shoes', 'Men']],
    ['1, 2', ' Shoes , Men\t', ['1', '2'], ['Shoes', 'Men']],
    ['1', 'Shoes, Men', ['1'], null],
    ['1,2,3', 'Shoes,Men', ['1', '2', '3'], null],
    ['x,y', 'Shoes,Men', null, ['Shoes', 'Men']],
    [null, 'Shoes,Men', null, null],
    ['', 'Shoes', [], null],
    ['', '', [], []],
    [' ', ' ', [], []],
    [null, null, null, null],
    [null, '', null, []],
    ['1', null, ['1'], null],
  ])('with identifiers %j and names %j has no name that is made up', async (ids, names, idItems, nameItems) => {
    const { rows } = await inTransaction(ledger.pool, async (client) => {
      await client.query('SELECT searchmill.ensure_partition($1, $2)', [name, '2026-11-01']);
      await client.query(`DELETE FROM search.${name}`);
      await client.query(
        `INSERT INTO search.${name} (account_id, time_period_start, _key, _occurrence, _slice, _loaded_at, _changed_at, keyword_group_ids, keyword_group_names)
         VALUES (1, '2026-11-08', gen_random_uuid(), 1, 1, now(), now(), $1, $2)`,
        [ids, names],
      );
      return client.query(`SELECT keyword_group_ids::text[] AS ids, keyword_group_names AS names FROM search.${name}_arrays`);
    });
    expect(rows).toEqual([{ ids: idItems, names: nameItems }]);
  });
});

describe('what a BI tool shows', () => {
  it('says of every array what it holds, and when it is not there', async () => {
    const { rows } = await ledger.pool.query<{ comment: string | null }>(
      `SELECT col_description(attrelid, attnum) AS comment FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid
        WHERE relnamespace = 'search'::regnamespace AND relkind = 'v' AND atttypid IN ('text[]'::regtype, 'bigint[]'::regtype)`,
    );
    expect(rows).toHaveLength(DATASETS.flatMap(({ columns }) => columns.filter(({ items }) => items)).length);
    for (const { comment } of rows) expect(comment).toMatch(/^(?:Identifiers|Names) of /);
  });

  it('is a comment on every schema, and on every table, view and column in it', async () => {
    const { rows } = await ledger.pool.query<{ what: string }>(
      `WITH relations AS (
         SELECT c.oid, c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
          WHERE n.nspname ~ '^search' AND c.relkind IN ('r', 'p', 'v', 'm') AND NOT c.relispartition)
       SELECT nspname AS what FROM pg_namespace WHERE nspname ~ '^search' AND obj_description(oid, 'pg_namespace') IS NULL
       UNION ALL
       SELECT name FROM relations WHERE obj_description(oid, 'pg_class') IS NULL
       UNION ALL
       SELECT name || '.' || a.attname
         FROM relations JOIN pg_attribute a ON a.attrelid = oid
        WHERE a.attnum > 0 AND NOT a.attisdropped AND col_description(a.attrelid, a.attnum) IS NULL
       ORDER BY 1`,
    );
    expect(rows.map(({ what }) => what)).toEqual([]);
  });

  it('is a table for each dataset and no other in schema search', async () => {
    const { rows } = await ledger.pool.query<{ relname: string }>(
      "SELECT relname FROM pg_class WHERE relnamespace = 'search'::regnamespace AND relkind = 'p' ORDER BY 1",
    );
    expect(new Set(rows.map(({ relname }) => relname))).toEqual(new Set(DATASETS.map(({ name }) => name)));
  });
});

it('no view reads tables of schema search with others: the others stay on the coordinator of a Citus cluster, which then refuses changes of the first', async () => {
  const { rows } = await ledger.pool.query(
    `WITH RECURSIVE reading AS (
       SELECT r.ev_class AS view, d.refobjid AS relation
         FROM pg_depend d JOIN pg_rewrite r ON r.oid = d.objid
        WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> r.ev_class
     ), whole AS (
       SELECT view, relation FROM reading
        UNION SELECT w.view, r.relation FROM whole w JOIN reading r ON r.view = w.relation)
     SELECT view::regclass::text AS view
       FROM whole JOIN pg_class c ON c.oid = relation AND c.relkind IN ('r', 'p') AND c.relnamespace >= 16384
      GROUP BY view
     HAVING bool_or(c.relnamespace = 'search'::regnamespace) AND bool_or(c.relnamespace <> 'search'::regnamespace)`,
  );
  expect(rows).toEqual([]);
});

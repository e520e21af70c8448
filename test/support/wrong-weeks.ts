// What the views of search_reports show against what report-figures.ts computes from the tables.
import type { Pool } from '../../src/postgres/pool.ts';
import type { Cell, Database } from './fact-rows.ts';
import { expectedFigures } from './report-figures.ts';

/** Columns that are not compared: made from others, as the name of a search. */
const LEFT_OUT = new Set(['account_id', 'week', 'search_key', 'prompt_key', 'units_key']);

async function shownRows(db: Database, summary: string, accountId: number, week: string): Promise<string[]> {
  const { rows: columns } = await db.query<{ name: string; type: string }>(
    'SELECT attname AS name, atttypid::regtype::text AS type FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 ORDER BY attnum',
    [`search_reports.${summary}`],
  );
  const list = columns
    .filter(({ name }) => !LEFT_OUT.has(name))
    .map(
      ({ name, type }) =>
        `${type.endsWith('[]') ? `to_json("${name}")` : type === 'numeric' ? `trim_scale("${name}")` : `"${name}"`}::text`,
    );
  const sql = `SELECT ${list.join(', ')} FROM search_reports.${summary} WHERE account_id = $1 AND week = $2`;
  const { rows } = await db.query<Cell[]>({ text: sql, values: [accountId, week], rowMode: 'array' });
  return rows.map((row) => JSON.stringify(row)).sort();
}

/** A week of an account in which a view shows something else than the tables give; `shown` and `expected` say what, at most three rows each. */
export type WrongWeek = Readonly<{
  summary: string;
  accountId: number;
  week: string;
  shown: readonly string[];
  expected: readonly string[];
}>;

/**
 * Compares all views with the tables, for the given accounts and weeks, as of one moment. A week that is marked must show nothing where it is not live, and on a cluster.
 * `pool` is asked in one transaction.
 */
export async function findWrongWeeks(pool: Pool, accounts: readonly number[], weeks: readonly string[]): Promise<WrongWeek[]> {
  const client = await pool.connect();
  const wrong: WrongWeek[] = [];
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const { rows: left } = await client.query<{ unit: string }>(
      "SELECT subject || ' ' || account_id || ' ' || week AS unit FROM searchmill.stale_weeks WHERE NOT (is_live AND search_reports.reads_marked_weeks())",
    );
    const isLeftOut = new Set(left.map(({ unit }) => unit));
    for (const accountId of accounts) {
      for (const week of weeks) {
        for (const [subject, figures] of Object.entries(await expectedFigures(client, accountId, week))) {
          for (const [summary, rows] of Object.entries(figures)) {
            const expected = isLeftOut.has(`${subject} ${accountId} ${week}`) ? [] : rows.map((row) => JSON.stringify(row)).sort();
            const shown = await shownRows(client, summary, accountId, week);
            if (JSON.stringify(shown) === JSON.stringify(expected)) continue;
            const apart = (of: readonly string[], others: readonly string[]): string[] =>
              of.filter((row) => !others.includes(row)).slice(0, 3);
            wrong.push({ summary, accountId, week, shown: apart(shown, expected), expected: apart(expected, shown) });
          }
        }
      }
    }
  } finally {
    await client.query('ROLLBACK').catch(() => undefined);
    client.release();
  }
  return wrong;
}

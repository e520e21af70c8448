// Texts of a megabyte: cut in the database for pages, whole in the CSV.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { createPanelPool, inSnapshot, type PanelResult, readRows, runPanel } from '../../../src/dashboards/run-panels.ts';
import type { Client, Pool } from '../../../src/postgres/pool.ts';
import { panelFile, serveDashboards, type TestDashboards } from '../../support/dashboards.ts';
import { createTestDatabase, type TestDatabase } from '../../support/test-database.ts';

let database: TestDatabase;
let pool: Pool;
let served: TestDashboards | undefined;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPanelPool(new Secret(database.url));
});
afterEach(async () => {
  await served?.close();
  served = undefined;
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const run = async (sql: string, maxRows?: number): Promise<PanelResult> => {
  const result = await inSnapshot(pool, (client) => runPanel(client, { sql }, { account: '1' }, maxRows));
  if ('failure' in result) throw new Error(result.failure);
  return result;
};
/** How many bytes the server sends for a piece of work. */
async function bytesOf(work: (client: Client) => Promise<unknown>): Promise<number> {
  return inSnapshot(pool, async (client) => {
    const { stream } = (client as unknown as { connection: { stream: { bytesRead: number } } }).connection;
    const before = stream.bytesRead;
    await work(client);
    return stream.bytesRead - before;
  });
}

it('are cut where they are read, in every column that is shown as text, and say where the whole is', async () => {
  const sql = `SELECT n, repeat('é', 1000000) AS text, array_fill(repeat('x', 100000), ARRAY[10]) AS list,
                      jsonb_build_object('a', repeat('y', 1000000)) AS json FROM generate_series(1, 20) AS n ORDER BY n`;
  const bytes = await bytesOf(async (client) => {
    const { rows, isCut } = (await runPanel(client, { sql }, {})) as PanelResult;
    expect([rows.length, isCut]).toEqual([20, false]);
    for (const [n, ...texts] of rows) {
      expect(n).toMatch(/^\d+$/);
      for (const text of texts) expect(text).toMatch(/^.{8000}… \(cut here; the CSV has all of it\)$/su);
    }
  });
  expect(bytes).toBeLessThan(2_000_000);
});

it('leave the rest of a panel as it is: order, columns of one name, types, nulls, and texts that are just as long', async () => {
  const sql = `-- a comment
    SELECT n AS same, 'text ' || n AS same, NULL::text AS nothing, now()::date AS day, n % 2 = 0 AS even, repeat('🙂', 8000) AS whole,
           :account::text AS account
      FROM generate_series(1, 3000) AS n ORDER BY n % 7, n DESC; -- another`;
  const { columns, rows, isCut } = await run(sql.replace('; -- another', ''), 20);
  expect(columns.map(({ name, kind }) => [name, kind])).toEqual([
    ['same', 'number'],
    ['same', 'text'],
    ['nothing', 'text'],
    ['day', 'date'],
    ['even', 'boolean'],
    ['whole', 'text'],
    ['account', 'text'],
  ]);
  expect([rows.length > 0, isCut]).toEqual([true, true]);
  expect(rows.map(([n]) => n)).toEqual(rows.map((_, at) => String(2996 + 0 - 7 * at)));
  expect(rows[0]).toEqual(['2996', 'text 2996', null, expect.stringMatching(/^\d{4}-/), 't', '🙂'.repeat(8000), '1']);
});

it('make a page show fewer rows, which says so', async () => {
  const sql = "SELECT n, repeat('x', 8000) AS a, repeat('y', 8000) AS b FROM generate_series(1, 2000) AS n ORDER BY n";
  const { rows, isCut } = await run(sql);
  expect(isCut).toBe(true);
  expect(rows.length).toBeGreaterThan(50);
  expect(rows.length).toBeLessThan(200);
  expect((await run('SELECT n FROM generate_series(1, 2000) AS n')).rows).toHaveLength(2_000);
});

it('are read a few rows at a time, so that a batch has about as much of them as of short ones', async () => {
  const read = async (sql: string): Promise<number[]> =>
    inSnapshot(pool, async (client) => {
      const counts: number[] = [];
      for await (const { rows } of readRows(client, { sql }, {})) counts.push(rows.length);
      return counts;
    });
  expect(await read("SELECT repeat('x', 500000) FROM generate_series(1, 13)")).toEqual([8, 2, 2, 1]);
  expect(await read('SELECT n FROM generate_series(1, 4000) AS n')).toEqual([8, 2000, 1992]);
});

it('are on the page in part and behind its link to the CSV as a whole', async () => {
  const text = `SELECT 1 AS n, 'begin ' || repeat('x', 1000000) || ' end' AS text`;
  served = await serveDashboards(database.url, { panels: { long: panelFile(text) } });
  const page = await (await fetch(`${served.url}/boards/test`)).text();
  expect(page).toContain('cut here; the CSV has all of it');
  expect(page.length).toBeLessThan(50_000);
  const csv = await (await fetch(`${served.url}/boards/test/long.csv`)).text();
  expect(csv).toContain(`begin ${'x'.repeat(1_000_000)} end`);
});

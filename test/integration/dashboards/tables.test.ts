// Tables of panels without JavaScript: what the address says of their order, changes with their signs, and a panel on a page of its own.
import { afterEach, expect, it } from 'vitest';
import { panelFile, serveDashboards, type TestDashboards } from '../../support/dashboards.ts';
import { useLedger } from '../../support/ledger.ts';

const ledger = useLedger();
let served: TestDashboards | undefined;
afterEach(async () => {
  await served?.close();
  served = undefined;
});

async function read(path: string, panels: Readonly<Record<string, string>>): Promise<string> {
  served ??= await serveDashboards(ledger.url, { panels });
  const response = await fetch(served.url + path);
  expect(response.status).toBe(200);
  return response.text();
}

const MOVES = panelFile(
  `SELECT 'row ' || n AS query, n - 15 AS effect, 'DESKTOP' AS device, (:country::text[])[1] AS country FROM generate_series(1, 40) AS n ORDER BY n DESC`,
  { Title: 'Moves', Changes: 'effect', Beside: 'effect, Winners, Losers', Variables: 'country' },
);
const figuresOf = (html: string): number[] => [...html.matchAll(/<data value="([^"]*)"/g)].map(([, value]) => Number(value));

it('winners stand beside losers, the largest of each first, with signs, and no colour where nothing tells that it is more than noise', async () => {
  const html = await read('/boards/test', { moves: MOVES });
  const [, winners = '', losers = ''] = html.split('class="side"');
  expect(winners).toMatch(/^>Winners</);
  expect(losers).toMatch(/^>Losers</);
  expect(figuresOf(winners)).toEqual(Array.from({ length: 25 }, (_, n) => 25 - n));
  expect(figuresOf(losers)).toEqual(Array.from({ length: 14 }, (_, n) => n - 14));
  expect(winners).toMatch(/<td [^>]*class="number"[^>]*><data value="25">\+25</);
  expect(losers).toMatch(/<td [^>]*class="number"[^>]*><data value="-14">\u221214</);
});

it('a column with one value in every row is shown once above the table, and stays in the CSV', async () => {
  const html = await read('/boards/test?country=1', { moves: MOVES });
  expect(html).toMatch(/In every row:.*Device <bdi>Desktop<.*Country <bdi>1</);
  expect(html).not.toContain('data-column="device"');
  expect(await read('/boards/test/moves.csv?country=1', {})).toContain('row 40,25,DESKTOP,1');
});

it('web properties are named as in the choice, sorted and found by their names; one without a name, and the CSV, have the number', async () => {
  const sql = "SELECT 'row ' || n AS query, n AS web_property FROM generate_series(1, 3) AS n WHERE (:web_property::text[]) IS NULL";
  const panels = { rows: panelFile(sql, { Title: 'Rows', Variables: 'web_property' }) };
  const propertiesOf = (html: string) => [...html.matchAll(/data-heading="Web property"><bdi>([^<]*)</g)].map(([, name]) => name);
  expect(propertiesOf(await read('/boards/test?sort.rows=-web_property', panels))).toEqual(['label of 2', 'label of 1', '3']);
  expect(propertiesOf(await read('/boards/test?find.rows=of+2', panels))).toEqual(['label of 2']);
  expect(await read('/boards/test/rows.csv', panels)).toMatch(/row 1,1\s+row 2,2\s+row 3,3/);
});

it('an address sorts and searches, keeps what is chosen, and links to the first rows and to all', async () => {
  const sql = "SELECT 'row ' || n AS query, (n * 7) % 40 AS amount, (:country::text[])[1] AS country FROM generate_series(1, 40) AS n";
  const panels = { list: panelFile(sql, { Title: 'List', Variables: 'country' }) };
  const shown = (html: string): string => html.replace(/<tbody class="rest"[\s\S]*?<\/tbody>/, '');
  const usual = await read('/boards/test?country=2', panels);
  expect(figuresOf(shown(usual))).toHaveLength(25);
  expect(usual).toMatch(/<a href="\/boards\/test\/list\?country=2" data-rest[^>]*>All 40 rows/);
  expect(usual).toContain('href="/boards/test?country=2&amp;sort.list=-amount#list"');
  expect(usual).toMatch(/<form class="find"[^>]*action="\/boards\/test#list"[^>]*><input [^>]*name="country"/);
  expect(figuresOf(await read('/boards/test/list?country=2', panels))).toHaveLength(40);
  const sorted = await read('/boards/test?country=2&sort.list=-amount&find.list=ROW+1', panels);
  expect(figuresOf(sorted)).toEqual([39, 37, 32, 30, 25, 18, 13, 11, 7, 6, 4]);
  expect(sorted).toContain('aria-sort="descending"');
  expect(sorted).toContain('href="/boards/test?country=2&amp;sort.list=amount#list"');
  expect(await read('/boards/test?find.list=nothing', panels)).toContain('No row has this text.');
});

it('a panel has a page of its own, with its own choices and the way back', async () => {
  const panels = { moves: MOVES, other: panelFile('SELECT :account::bigint AS account', { Title: 'Other', Variables: 'account' }) };
  const html = await read('/boards/test/moves?country=2', panels);
  expect(html).toMatch(/<h1[^>]*>Moves</);
  expect(html.match(/<section id=/g)).toHaveLength(1);
  expect(html).toContain('name="country"');
  expect(html).not.toContain('name="account"');
  expect(html).toContain('href="/boards/test?country=2#moves"');
  expect((await fetch(`${served?.url}/boards/test/nothing`)).status).toBe(404);
});

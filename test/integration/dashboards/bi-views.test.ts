// What tools of others read: search_reports.points and search_reports.measure_*, by the statements that such tools write, against the levels of boards.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { type Measure, readMeasures } from '../../../src/dashboards/measures.ts';
import { createPool, type Pool } from '../../../src/postgres/pool.ts';
import { useBoards } from '../../support/boards.ts';
import { asLogin } from '../../support/database-access.ts';
import { markSummarising, type Unpublished, unpublish } from '../../support/unpublished-weeks.ts';

const ACCOUNT = '12345';
const loaded = useBoards(
  'since: 2026-10-18, weeks_per_query: 1, own_brands: [Brightpeak, Peakhire], rival_brands: [Northtrail, Alpenwerk]',
  ['keyword_rankings', 'ai_search_response', 'ai_search_brands', 'ai_search_citations', 'ai_search_sentiments'],
);
const suffix = randomBytes(4).toString('hex');
const analystLogin = `test_bi_analyst_${suffix}`;
const accountLogin = `test_bi_account_${suffix}`;
const HELD = '2026-10-25';
const SUMMARISING = '2026-11-01';

let analyst: Pool;
let oneAccount: Pool;
let unpublished: Unpublished;

beforeAll(async () => {
  const { stack } = loaded;
  await stack.pool.query(`CREATE ROLE ${analystLogin} LOGIN PASSWORD 'test' IN ROLE searchmill_analyst`);
  await stack.pool.query(`CREATE ROLE ${accountLogin} LOGIN PASSWORD 'test' IN ROLE searchmill_account`);
  // A week that is not published of what prompts are measured by, and one that is being summarised, for searches.
  const held = `job IN ('ai-search-brands', 'ai-search-citations', 'ai-search-sentiments') AND window_start = '${HELD}'`;
  unpublished = await unpublish(stack.pool, held);
  expect(unpublished.count).toBe(3);
  await markSummarising(stack.pool, ACCOUNT, SUMMARISING);
  const open = (login: string): Pool => createPool(new Secret(asLogin(stack.databaseUrl, login)), { applicationName: 'test bi', max: 2 });
  analyst = open(analystLogin);
  oneAccount = open(accountLogin);
});
afterAll(async () => {
  await analyst?.end();
  await oneAccount?.end();
  await unpublished.restore();
  await loaded.stack?.pool.query(`DROP ROLE ${analystLogin}; DROP ROLE ${accountLogin}`);
});

type Point = Readonly<{ week: string; line: string; value: number | null; reason: string | null }>;

/** As boards show it. */
async function levelsOf(measure: string, by: string | null, kind: string | null, isShared = false): Promise<Point[]> {
  const { rows } = await loaded.stack.pool.query<Point>(
    `SELECT week::text, line, level::double precision AS value, reason
       FROM search_reports.levels($1, $2, search_reports.all_of($3, $4), NULL, $5) ORDER BY week, line COLLATE "C"`,
    [measure, by, ACCOUNT, kind, isShared],
  );
  return rows;
}

/** The chart of each tool: one line over the weeks; then one line for each value of a column. */
const TOOLS: Readonly<Record<string, (view: string, column: string | null, chosen: string) => string>> = {
  Superset: (view, column, chosen) => `
    SELECT DATE_TRUNC('day', week)::date::text AS week, ${column === null ? '' : `"${column}" AS line,`} sum(part) / nullif(sum(whole), 0) AS value
      FROM search_reports.${view}
     WHERE week >= TO_DATE('2026-01-04', 'YYYY-MM-DD') AND week < TO_DATE('2027-01-03', 'YYYY-MM-DD') AND (account_id = ${ACCOUNT}${chosen})
     GROUP BY DATE_TRUNC('day', week)${column === null ? '' : `, "${column}"`} ORDER BY value DESC LIMIT 50000`,
  Metabase: (view, column, chosen) => `
    SELECT CAST("source"."week" AS date)::text AS week, ${column === null ? '' : `"source"."${column}" AS line,`}
           CAST(SUM("source"."part") AS DOUBLE PRECISION) / NULLIF(CAST(SUM("source"."whole") AS DOUBLE PRECISION), 0.0) AS value
      FROM (SELECT * FROM "search_reports"."${view}" WHERE "account_id" = ${ACCOUNT}${chosen}) AS "source"
     GROUP BY CAST("source"."week" AS date)${column === null ? '' : `, "source"."${column}"`} ORDER BY 1 ASC`,
  Grafana: (view, column, chosen) => `
    SELECT min(week)::text AS week, floor(extract(epoch FROM week) / 604800) * 604800 AS "time", ${column === null ? '' : `${column} AS line,`}
           sum(part) / nullif(sum(whole), 0) AS value
      FROM search_reports.${view}
     WHERE week BETWEEN '2026-01-04T00:00:00Z' AND '2027-01-03T00:00:00Z' AND account_id IN ('${ACCOUNT}')${chosen}
     GROUP BY "time"${column === null ? '' : ', line'} ORDER BY "time"`,
};
const COLUMNS: Readonly<Record<Measure['of'], string>> = { searches: 'device', prompts: 'assistant' };

describe.each(readMeasures())('$name', ({ name, of, unit }) => {
  const kind = of === 'prompts' ? 'unbranded' : null;
  const scale = unit === '%' ? 100 : 1;

  it.each(Object.entries(TOOLS))('is in %s what boards show, and a gap where they have one', async (_, write) => {
    for (const column of [null, COLUMNS[of]]) {
      const { rows } = await analyst.query<Point>(write(`measure_${name}`, column, kind === null ? '' : ` AND prompt_type IN ('${kind}')`));
      const found = new Map(rows.map(({ week, line, value }) => [`${week} ${line ?? ''}`, value]));
      const shown = await levelsOf(name, column, kind);
      expect(shown.some(({ value }) => value !== null)).toBe(true);
      for (const { week, line, value } of shown) {
        const drawn = found.get(`${week} ${line}`) ?? null;
        if (value === null) expect([week, line, drawn]).toEqual([week, line, null]);
        else expect(scale * (drawn ?? Number.NaN), `${week} ${line}`).toBeCloseTo(value, 9);
      }
      // And nothing where boards show nothing.
      const known = new Set(shown.map(({ week, line }) => `${week} ${line}`));
      expect([...found].filter(([key, value]) => value !== null && !known.has(key))).toEqual([]);
    }
  });

  it('has one row of a week at least, with a reason wherever it has no whole', async () => {
    const { rows } = await analyst.query<{ week: string; unsaid: boolean; zeros: boolean }>(
      `SELECT week::text, bool_or((whole IS NULL OR part IS NULL) AND reason IS NULL) AS unsaid,
              bool_or(part IS NOT NULL AND whole IS NULL) AS zeros
         FROM search_reports.measure_${name} WHERE account_id = $1 GROUP BY week ORDER BY week`,
      [ACCOUNT],
    );
    expect(rows.map(({ week }) => week)).toEqual(['2026-10-18', HELD, SUMMARISING, '2026-11-08']);
    expect(rows.map(({ unsaid, zeros }) => [unsaid, zeros])).toEqual(rows.map(() => [false, false]));
  });
});

describe('points', () => {
  type Drawn = Point & Readonly<{ measure: string; grouped_by: string; prompt_type: string | null; is_shared: boolean }>;
  const DRAWN = `SELECT p.measure, p.grouped_by, g.prompt_type, g.is_shared, p.week::text, p.line, p.value, p.reason, p.account_name, p.web_property_name
                   FROM search_reports.points p JOIN search_reports.point_groupings g USING (measure, grouped_by)
                  WHERE p.account_id = $1 ORDER BY p.week, p.line COLLATE "C"`;

  it('are the levels of boards by every grouping, with a reason where there is none', async () => {
    const { rows } = await analyst.query<Drawn & { account_name: string; web_property_name: string | null }>(DRAWN, [ACCOUNT]);
    const nameOf = ({ measure, grouped_by }: Drawn): string => `${measure} by ${grouped_by}`;
    const { rows: declared } = await analyst.query<{ name: string }>(
      "SELECT measure || ' by ' || grouped_by AS name FROM search_reports.point_groupings",
    );
    expect([...new Set(rows.map(nameOf))].sort()).toEqual(declared.map(({ name }) => name).sort());
    for (const { name } of declared) {
      const points = rows.filter((row) => nameOf(row) === name);
      const [{ measure, grouped_by, prompt_type, is_shared } = rows[0] as Drawn] = points;
      const by = grouped_by === 'all' ? null : grouped_by;
      const shown = (await levelsOf(measure, by, prompt_type, is_shared)).filter(({ value }) => value !== null);
      expect(shown.length).toBeGreaterThan(0);
      const lines = points.filter(({ value }) => value !== null);
      expect(lines.map(({ week, line, value }) => [week, line, value?.toFixed(9)])).toEqual(
        shown.map(({ week, line, value }) => [week, line === '' ? 'all' : line, value?.toFixed(9)]),
      );
      expect(points.filter(({ value, reason }) => value === null && !reason)).toEqual([]);
    }
    expect(
      rows.filter(({ measure, grouped_by, week }) => measure === 'mention_rate' && grouped_by === 'all' && week === HELD),
    ).toMatchObject([{ value: null, reason: expect.stringContaining('brands') }]);
    expect(new Set(rows.map(({ account_name }) => account_name)).size).toBe(1);
    expect(rows.filter((row) => row.grouped_by === 'web_property_id' && row.value !== null && !row.web_property_name)).toEqual([]);
  });

  it('of one week are those of all weeks', async () => {
    const ask = (condition: string): Promise<{ rows: object[] }> =>
      analyst.query(
        `SELECT * FROM search_reports.points
                      WHERE account_id = $1 AND measure = 'visibility' AND grouped_by = 'device' AND week ${condition} '2026-11-08'
                      ORDER BY week DESC, line LIMIT 2`,
        [ACCOUNT],
      );
    const { rows } = await ask('=');
    expect(rows).toHaveLength(2);
    expect(rows).toEqual((await ask('<=')).rows);
  });

  it('and measures are those of the account that a login sees', async () => {
    const count = async (view: string): Promise<number> =>
      Number((await oneAccount.query<{ count: string }>(`SELECT count(*) FROM search_reports.${view}`)).rows[0]?.count);
    const views = ["points WHERE measure = 'mention_rate'", 'measure_visibility', 'measure_mention_rate', 'web_properties'];
    for (const view of views) expect([view, await count(view)]).toEqual([view, 0]);
    await loaded.stack.pool.query('INSERT INTO searchmill.account_logins (login, account_id) VALUES ($1, $2)', [accountLogin, ACCOUNT]);
    for (const view of views) expect(await count(view)).toBeGreaterThan(0);
  });

  it('have no column that clients get as text of any precision', async () => {
    const { rows } = await analyst.query(
      `SELECT table_name, column_name FROM information_schema.columns
        WHERE table_schema = 'search_reports' AND (table_name = 'points' OR table_name LIKE 'measure%') AND data_type = 'numeric'`,
    );
    expect(rows).toEqual([]);
  });
});

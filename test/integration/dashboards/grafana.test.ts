// The statements of the dashboards for Grafana, with their variables filled in as Grafana does it, against a migrated database.
import { readFileSync } from 'node:fs';
import type { CustomTypesConfig } from 'pg';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ALL, DAYS, grafanaDashboard, LAST, withTemplateVariables } from '../../../scripts/dashboards/grafana.ts';
import { readBoards } from '../../../src/dashboards/boards.ts';
import { inSnapshot } from '../../../src/dashboards/run-panels.ts';
import { isManyName, type Values } from '../../../src/dashboards/variables.ts';
import { addNote, readAnnotations } from '../../../src/ledger/annotations.ts';
import { useBoards } from '../../support/boards.ts';
import { asksOf, type PanelRow, USUAL } from '../../support/panels.ts';

const boards = useBoards('since: 2026-10-18, weeks_per_query: 2', [
  'keyword_rankings',
  'ai_search_response',
  'ai_search_brands',
  'ai_search_citations',
  'ai_search_sentiments',
]);
const VALUES: Values = { ...USUAL, branded: 'unbranded', measure: 'visibility' };

/** Writes values as the format "percentencode" does, several as `{a,b}`; "all" is put in as it is. */
function expand(sql: string, values: Values): string {
  return sql.replaceAll(/\$\{(\w+):percentencode\}/g, (_, name: keyof Values) => {
    const value = values[name] ?? null;
    if (value === null) return ALL;
    const text = typeof value === 'string' ? value : `{${value.map(offered).join(',')}}`;
    return encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  });
}

/** A value as a variable of several offers it: see "offers several values so that commas inside a value do not split it". */
const offered = (value: string): string => value.replaceAll(/[%,{}]/g, (sign) => encodeURIComponent(sign));

/** Values as the text that Postgres sends, as the pages read them. */
const types = { getTypeParser: () => (text: string) => text } as unknown as CustomTypesConfig;

async function run(sql: string, values: Values): Promise<PanelRow[]> {
  return inSnapshot(boards.panels, async (client) => (await client.query<PanelRow>({ text: expand(sql, values), types })).rows);
}

/** Without one a week of an assistant has a row for each prompt, in any order. */
async function firstPrompt(): Promise<string> {
  const { rows } = await boards.stack.pool.query<{ prompt: string }>('SELECT min(prompt) AS prompt FROM search.ai_search_response');
  return rows[0]?.prompt ?? '';
}

describe.each(readBoards())('board $name', (board) => {
  const { panels = [], templating, annotations } = grafanaDashboard(board);
  const { list: [annotation] = [] } = annotations;
  const { rawSql: annotationsSql = '' } = (annotation?.target ?? {}) as { rawSql?: string };

  it('marks what the pages mark', async () => {
    await addNote(boards.stack.pool, { accountId: '12345', day: '2026-11-03', text: board.name }, { name: 'ann' });
    const datasets = new Set(board.panels.flatMap((panel) => panel.datasets));
    const marked = (await readAnnotations(boards.stack.pool, '12345')).filter(({ dataset }) => dataset === null || datasets.has(dataset));
    const rows = await run(annotationsSql, VALUES);
    const isOfAll = board.variables.every(({ name }) => name !== 'account');
    expect(rows.map(({ text }) => text)).toEqual(expect.arrayContaining(marked.map(({ text }) => expect.stringContaining(text))));
    expect(rows).toContainEqual({
      time: '2026-11-01 00:00:00+00',
      text: `${isOfAll ? 'account 12345: ' : ''}${board.name}: ann`,
      tags: 'note',
    });
  });

  it.each(board.panels)('$name has the rows of the panel', async (panel) => {
    const values = board.variables.some(({ name }) => name === 'prompt') ? { ...VALUES, prompt: await firstPrompt() } : VALUES;
    const asked = await asksOf(() => boards.panels, board.name, { isWhole: true })(panel.name, values);
    // Calls of the last minute get fewer while the test runs.
    const steady = (rows: typeof asked) => rows.map(({ last_minute, percent_used, ...row }) => row);
    expect(steady(await run(withTemplateVariables(panel.sql), values))).toEqual(steady(asked));
    const target = panels.find(({ title }) => title === panel.title) as unknown as { targets: { rawSql: string }[] };
    const newest = asked.map((row) => row[panel.x ?? ''] ?? '').reduce((latest, week) => (week > latest ? week : latest), '');
    const drawn = panel.chart === 'tiles' ? asked.filter((row) => row[panel.x ?? ''] === newest) : asked;
    expect(await run(target.targets[0]?.rawSql ?? '', values)).toHaveLength(drawn.length);
  });

  it('leaves only variables of its own for Grafana to fill in', () => {
    const names = (templating.list ?? []).map(({ name }) => name);
    for (const [, braced = ''] of annotationsSql.matchAll(/\$\{?(\w*)/g)) expect(names).toContain(braced);
    // `$'` ends a pattern of SQL; `${` without a name would be a mistake.
    for (const [, braced, bare = ''] of JSON.stringify(panels).matchAll(/\$(?:\{(\w*)|(\w+))/g)) expect(names).toContain(braced ?? bare);
    expect(JSON.stringify(panels)).not.toContain('[[');
  });

  it('offers the choices of the variables', async () => {
    for (const { type, query, definition } of templating.list ?? []) {
      if (type !== 'query') continue;
      // Text: what is an object is no query to a Grafana before 13.
      expect(query).toBeTypeOf('string');
      expect(definition).toBe(query);
      const rows = await run(String(query), VALUES);
      if (String(query).includes('__value')) expect(Object.keys(rows[0] ?? { __value: 1, __text: 1 })).toEqual(['__value', '__text']);
    }
  });

  it('draws a frame that holds every week it asks for', async () => {
    const frame = templating.list?.find(({ name }) => name === 'frame');
    for (const weeks of ['4', '26']) {
      const [found] = await run(String(frame?.query), { ...VALUES, weeks });
      const begins = `current_date - 7 * ${Object.values(found ?? {})[0]}`;
      for (const [index, panel] of panels.entries()) {
        if (panel.type !== 'timeseries') continue;
        expect(panel).toMatchObject({ timeFrom: '$' + '{frame}w' });
        const { sql, x } = board.panels[index] ?? {};
        const outside = `SELECT ${x} FROM (${withTemplateVariables(sql ?? '')}) AS panel WHERE ${x} < ${begins}`;
        expect(await run(outside, { ...VALUES, weeks }), panel.title).toEqual([]);
      }
    }
  });

  it('has weeks from left to right in matrices, and days without a time', async () => {
    for (const [index, panel] of panels.entries()) {
      const { chart } = board.panels[index] ?? {};
      const { targets } = panel as unknown as { targets: { rawSql: string }[] };
      const sql = targets[0]?.rawSql ?? '';
      if (chart === 'heatmap' || chart === 'calendar') {
        const columns = [...new Set((await run(sql, VALUES)).map((row) => String(Object.values(row)[0])))];
        expect(columns).toEqual(columns.toSorted());
      }
      if (chart !== 'table' && chart !== 'tiles') continue;
      const { fields } = await inSnapshot(boards.panels, (client) => client.query({ text: expand(sql, VALUES), types }));
      const days = fields.filter(({ dataTypeID }) => dataTypeID === 1082).map(({ name }) => name);
      const formatted = fields.map(({ name }) => name).filter((name) => new RegExp(DAYS).test(name));
      expect(formatted, panel.title).toEqual(days);
    }
  });
});

it('shows the newest week in a tile, or its reason, and never an older week in its place', async () => {
  const home = readBoards().find(({ name }) => name === 'home');
  const tile = home?.panels.find(({ chart }) => chart === 'tiles');
  if (!home || !tile) throw new Error('no tile');
  const sql = `SELECT * FROM (VALUES (date '2026-11-01', 9.8, 1.2, date '2026-10-25', 'more', NULL, NULL),
                                     ('2026-11-08', NULL, NULL, NULL, NULL, NULL, 'held (rankings)'))
                   AS weeks (week, figure, change, compared_with, reading, uncompared, reason)`;
  const { panels = [] } = grafanaDashboard({ ...home, panels: [{ ...tile, sql }] });
  const [panel] = panels as unknown as { type: string; targets: { rawSql: string }[] }[];
  expect(await run(panel?.targets[0]?.rawSql ?? '', VALUES)).toEqual([
    { week: '2026-11-08', figure: null, change: null, compared_with: null, reading: null, uncompared: null, reason: 'held (rankings)' },
  ]);
  // A stat would look for a value that is not null.
  expect(panel?.type).toBe('table');
});

it.each(readBoards())('$name: no panel takes the last value that is not null for the newest', (board) => {
  for (const panel of grafanaDashboard(board).panels ?? [])
    if ((panel as { type: string }).type === 'stat') expect(panel).toMatchObject({ options: { reduceOptions: LAST } });
});

it('takes a value with a quote as a value', async () => {
  const sql = withTemplateVariables('SELECT :topic::text AS topic, :weeks::integer AS weeks');
  const hostile = "O'Neill'); DROP TABLE search.keyword_rankings; --\\";
  expect(await run(sql, { topic: hostile, weeks: '3' })).toEqual([{ topic: hostile, weeks: '3' }]);
  expect(await run(sql, { topic: null, weeks: '' })).toEqual([{ topic: null, weeks: '13' }]);
});

const STRANGE = ['$x(', '$__timeFilter(x)', '100 %', '%41', 'a\nb', 'Zürich – 東京 🙂', "O'Neill'); --", '{a,b}', 'a, b', '\\', '{', '}'];

it.each(STRANGE)('takes the value %j as it is', async (topic) => {
  const sql = withTemplateVariables('SELECT :topic::text AS topic');
  // What Grafana's server would take for a macro.
  expect(expand(sql, { topic })).not.toMatch(/\$\w+\(/);
  expect(await run(sql, { topic })).toEqual([{ topic }]);
});

it('takes several values as they are, in any number', async () => {
  const sql = withTemplateVariables('SELECT array_to_json(:engine::text[]) AS engines');
  for (const engine of [STRANGE, ...STRANGE.map((value) => [value])]) {
    expect(expand(sql, { engine })).not.toMatch(/\$\w+\(/);
    expect(JSON.parse((await run(sql, { engine }))[0]?.engines ?? '')).toEqual(engine);
  }
  expect(await run(sql, { engine: null })).toEqual([{ engines: null }]);
  // As an address names one, without a list around it.
  const one = sql.replaceAll(/\$\{(\w+):percentencode\}/g, 'GOOGLE');
  expect(await run(one, {})).toEqual([{ engines: '["GOOGLE"]' }]);
});

it('offers several values so that commas inside a value do not split it', async () => {
  const [board] = readBoards().filter(({ name }) => name === 'rankings');
  const list = board ? (grafanaDashboard(board).templating.list ?? []) : [];
  for (const { name, multi, includeAll, query } of list.filter(({ name }) => isManyName(name))) {
    expect({ multi, includeAll }, name).toEqual({ multi: true, includeAll: true });
    const [, written = ''] = /^SELECT (.*) AS __value/.exec(String(query)) ?? [];
    const values = STRANGE.map((value) => `'${value.replaceAll("'", "''")}'`).join(', ');
    expect(await run(`SELECT ${written} AS value FROM unnest(ARRAY[${values}]) AS value`, {})).toEqual(
      STRANGE.map((value) => ({ value: offered(value) })),
    );
  }
  expect(list.filter(({ name }) => isManyName(name))).not.toHaveLength(0);
});

it.each(['-1', '0', 'abc', '9999', '1.5'])('takes %s weeks for the default', async (weeks) => {
  expect(await run(withTemplateVariables('SELECT :weeks::integer AS weeks'), { weeks })).toEqual([{ weeks: '13' }]);
});

describe('what Grafana is provisioned with', () => {
  const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
  const { services } = parse(read('compose.yaml')) as {
    services: Record<'grafana' | 'grafana-reader', { environment: Record<string, string>; volumes: string[]; command: string[] }>;
  };
  const source = parse(read('dashboards/grafana/provisioning/datasources/searchmill.yaml')).datasources[0] as { type: string };
  const provider = parse(read('dashboards/grafana/provisioning/dashboards/searchmill.yaml')).providers[0] as { options: { path: string } };

  it('is the data source that the dashboards name, with what compose.yaml sets', () => {
    expect(source).toMatchObject({ type: 'grafana-postgresql-datasource' });
    // A Grafana with another default would not start.
    expect(source).not.toHaveProperty('isDefault');
    for (const board of readBoards()) {
      // A variable whose choices are the data sources of this type.
      const [variable] = (grafanaDashboard(board).templating.list ?? []).filter(({ type }) => type === 'datasource');
      expect(variable).toMatchObject({ name: 'datasource', query: source.type });
    }
    const wanted = new Set([...JSON.stringify(source).matchAll(/\$(\w+)/g)].map(([, name]) => name));
    expect(Object.keys(services.grafana.environment)).toEqual(expect.arrayContaining([...wanted]));
  });

  it('is mounted where Grafana looks for it', () => {
    const mounts = Object.fromEntries(services.grafana.volumes.map((volume) => volume.split(':').slice(0, 2).toReversed()));
    expect(mounts[provider.options.path]).toBe('./dashboards/grafana');
    expect(mounts['/etc/grafana/provisioning']).toBe('./dashboards/grafana/provisioning');
  });

  it('is a login that may read, and read only', async () => {
    const script = services['grafana-reader'].command[0] ?? '';
    const [, statements = ''] = /<<'SQL'\n(.*?)SQL/s.exec(script) ?? [];
    const sql = statements
      .replace(/^\\getenv.*\n/m, '')
      .replace(/^SELECT '(CREATE ROLE \w+)'.*\\gexec$/m, '$1;')
      .replaceAll(":'password'", "'x'");
    const client = await boards.stack.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query(sql);
      await client.query('SET LOCAL ROLE searchmill_grafana');
      await client.query('SELECT FROM search_reports.weeks');
      await expect(client.query('DELETE FROM searchmill.account_settings')).rejects.toThrow(/permission denied/);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });
});

// The statements of the dashboards for Grafana, with their variables filled in as Grafana does it, against a migrated database.
import { readFileSync } from 'node:fs';
import type { CustomTypesConfig } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ALL, grafanaDashboard, withTemplateVariables } from '../../../scripts/dashboards/grafana.ts';
import { Secret } from '../../../src/core/secret.ts';
import { readBoards } from '../../../src/dashboards/boards.ts';
import { createPanelPool, inSnapshot, type Values } from '../../../src/dashboards/run-panels.ts';
import type { Pool } from '../../../src/warehouse/pool.ts';
import { asksOf, type PanelRow } from '../../support/panels.ts';
import { createSimulatedClock } from '../../support/simulated-clock.ts';
import { createTestStack, type TestStack } from '../../support/test-stack.ts';
import { until } from '../../support/wait.ts';

const JOBS = `
connections:
  main: { base_url: "\${SANDBOX_URL}", auth: { token: stack-token }, limits: hard }
defaults:
  account_id: 12345
  since: 2026-10-18
  weeks_per_query: 2
jobs:
  - { name: rankings, dataset: keyword_rankings, filters: { includeMsv: true } }
  - { name: answers, dataset: ai_search_response }
  - { name: brands, dataset: ai_search_brands }
  - { name: citations, dataset: ai_search_citations }
  - { name: sentiments, dataset: ai_search_sentiments }
`;
const VALUES: Values = {
  account: '12345',
  web_property: null,
  engine: null,
  country: null,
  device: null,
  assistant: null,
  branded: 'unbranded',
  weeks: '13',
  top_n: '10',
  weighted: 'true',
  rank: 'standard',
};

let stack: TestStack;
let pool: Pool;

beforeAll(async () => {
  const clock = createSimulatedClock('2026-11-16T12:00:00Z');
  stack = await createTestStack({ queue: { kind: 'postgres', redisUrl: undefined }, jobs: JOBS, clock, sandbox: { size: 'tiny' } });
  await stack.start();
  await stack.settle();
  await until('the summaries', async () => (await stack.read('SELECT FROM search_reports.stale_weeks LIMIT 1')).length === 0);
  pool = createPanelPool(new Secret(stack.databaseUrl));
});

afterAll(async () => {
  await pool?.end();
  await stack?.close();
});

/** Quotes as the format "sqlstring" does; "all" is put in as it is. */
function expand(sql: string, values: Values): string {
  return sql.replaceAll(/\$\{(\w+):sqlstring\}/g, (_, name: keyof Values) => {
    const value = values[name] ?? null;
    return value === null ? ALL : `'${value.replaceAll("'", "''")}'`;
  });
}

/** Values as the text that Postgres sends, as the pages read them. */
const types = { getTypeParser: () => (text: string) => text } as unknown as CustomTypesConfig;

async function run(sql: string, values: Values): Promise<PanelRow[]> {
  return inSnapshot(pool, async (client) => (await client.query<PanelRow>({ text: expand(sql, values), types })).rows);
}

describe.each(readBoards())('board $name', (board) => {
  const { panels = [], templating } = grafanaDashboard(board);

  it.each(board.panels)('$name has the rows of the panel', async (panel) => {
    const asked = await asksOf(() => pool, board.name)(panel.name, VALUES);
    expect(await run(withTemplateVariables(panel.sql), VALUES)).toEqual(asked);
    const target = panels.find(({ title }) => title === panel.title) as unknown as { targets: { rawSql: string }[] };
    expect(await run(target.targets[0]?.rawSql ?? '', VALUES)).toHaveLength(asked.length);
  });

  it('leaves nothing for Grafana to fill in but its own variables', () => {
    const names = (templating.list ?? []).map(({ name }) => name);
    for (const [, name = ''] of JSON.stringify(panels).matchAll(/\$\{?(\w*)/g)) expect(names).toContain(name);
    expect(JSON.stringify(panels)).not.toContain('[[');
  });

  it('offers the choices of the variables', async () => {
    for (const variable of templating.list ?? []) {
      const { rawSql } = (typeof variable.query === 'object' ? variable.query : {}) as { rawSql?: string };
      if (rawSql) expect(Object.keys((await run(rawSql, VALUES))[0] ?? { __value: 1, __text: 1 })).toEqual(['__value', '__text']);
    }
  });
});

it('takes a value with a quote as a value', async () => {
  const sql = withTemplateVariables('SELECT :country::text AS country, :weeks::integer AS weeks');
  const hostile = "O'Neill'); DROP TABLE search.keyword_rankings; --\\";
  expect(await run(sql, { country: hostile, weeks: '3' })).toEqual([{ country: hostile, weeks: '3' }]);
  expect(await run(sql, { country: null, weeks: '' })).toEqual([{ country: null, weeks: null }]);
});

describe('what Grafana is provisioned with', () => {
  const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
  const { services } = parse(read('compose.yaml')) as {
    services: Record<'grafana' | 'grafana-reader', { environment: Record<string, string>; volumes: string[]; command: string[] }>;
  };
  const source = parse(read('dashboards/grafana/provisioning/datasources/searchmill.yaml')).datasources[0] as { type: string };
  const provider = parse(read('dashboards/grafana/provisioning/dashboards/searchmill.yaml')).providers[0] as { options: { path: string } };

  it('is the data source that the dashboards name, with what compose.yaml sets', () => {
    expect(source).toMatchObject({ type: 'grafana-postgresql-datasource', isDefault: true });
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
    const client = await stack.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query(sql);
      await client.query('SET LOCAL ROLE searchmill_grafana');
      await client.query('SELECT FROM search_reports.weeks');
      await expect(client.query('DELETE FROM search_reports.own_domains')).rejects.toThrow(/permission denied/);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });
});

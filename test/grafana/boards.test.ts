// What the client of a Grafana does with each dashboard file: it asks for the choices of variables, puts them into statements, draws a frame and
// turns rows into a matrix. Statements are run by a reader in a real Postgres.
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withTemplateVariables } from '../../scripts/dashboards/grafana.ts';
import { Secret } from '../../src/core/secret.ts';
import { addNote } from '../../src/ledger/annotations.ts';
import { createPool, type Pool } from '../../src/postgres/pool.ts';
import { useBoards } from '../support/boards.ts';
import { asLogin } from '../support/database-access.ts';
import { until } from '../support/wait.ts';
import { type DataSource, type Frame, type GrafanaParts, loadGrafanaParts, type SceneVariable } from './client-parts.ts';
import { GRAFANA_VERSIONS } from './versions.ts';

const loaded = useBoards('since: 2026-10-18, weeks_per_query: 4', [
  'keyword_rankings',
  'ai_search_response',
  'ai_search_brands',
  'ai_search_citations',
  'ai_search_sentiments',
  'ai_search_fan_out',
]);
const FOLDER = new URL('../../dashboards/grafana/', import.meta.url);
const POSTGRES = 'grafana-postgresql-datasource';
/** Means something to Grafana, to its server's macros and to SQL. */
const HOSTILE = `it's $x( \${weeks} $__timeFilter(a) ; -- %`;
/** Of time stamps. */
const TIMESTAMPTZ = 1184;

/** Of several values; each means something to a list. */
const SEVERAL = [HOSTILE, 'a, b', '{c}', '100 %25'];

type Model = Readonly<{
  type: string;
  name: string;
  query: string;
  multi?: boolean;
  current?: Readonly<{ text: string; value: string }>;
}>;
type Panel = Readonly<{
  title: string;
  timeFrom?: string;
  transformations?: readonly object[];
  targets: readonly Readonly<{ rawSql: string }>[];
}>;
type Dashboard = Readonly<{
  templating: Readonly<{ list: readonly Model[] }>;
  panels: readonly Panel[];
  annotations: Readonly<{ list: readonly Readonly<{ target: Readonly<{ rawSql: string }> }>[] }>;
}>;

const boards = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json'))
  .map((file) => ({ file, board: JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Dashboard }))
  // Operations asks Prometheus.
  .filter(({ board }) => board.templating.list[0]?.query === POSTGRES);

function boardOf(name: string): Dashboard {
  const found = boards.find(({ file }) => file === name);
  if (!found) throw new Error(`no ${name}`);
  return found.board;
}

/** A value as it is offered where several may be chosen. */
const offered = (value: string): string => value.replaceAll(/[%,{}]/g, (sign) => encodeURIComponent(sign));

const login = `test_grafana_${randomBytes(4).toString('hex')}`;
let reader: Pool;

beforeAll(async () => {
  const { stack } = loaded;
  await addNote(stack.pool, { accountId: '12345', day: '2026-11-03', text: 'a new shop' }, { name: 'ann' });
  await stack.pool.query(
    `CREATE ROLE ${login} LOGIN PASSWORD 'test' IN ROLE searchmill_reader; ALTER ROLE ${login} SET search_path = pg_catalog`,
  );
  reader = createPool(new Secret(asLogin(stack.databaseUrl, login)), { applicationName: 'test grafana', max: 4 });
});
afterAll(async () => {
  await reader?.end();
  await loaded.stack?.pool.query(`DROP ROLE ${login}`);
});

type Answer = Readonly<{ columns: readonly Readonly<{ name: string; isTime: boolean }>[]; rows: readonly unknown[][] }>;

async function ask(sql: string): Promise<Answer> {
  const { fields, rows } = await reader.query<unknown[]>({ text: sql, rowMode: 'array' });
  return { columns: fields.map(({ name, dataTypeID }) => ({ name, isTime: dataTypeID === TIMESTAMPTZ })), rows };
}

describe.each(GRAFANA_VERSIONS)('Grafana $grafana', ({ grafana }) => {
  let parts: GrafanaParts;
  /** As Grafana's data source for Postgres does it: text only, columns __text and __value, else all values. */
  const source: DataSource = {
    uid: 'postgres',
    type: POSTGRES,
    name: 'Postgres',
    getRef: () => ({ uid: 'postgres', type: POSTGRES }),
    async metricFindQuery(query, { scopedVars }) {
      if (typeof query !== 'string') throw new Error(`a query that is no text: ${JSON.stringify(query)}`);
      const { columns, rows } = await ask(parts.scenes.sceneGraph.interpolate(scopedVars.__sceneObject.value.valueOf(), query));
      const [text, value] = ['__text', '__value'].map((name) => columns.findIndex((column) => column.name === name));
      if (text === undefined || value === undefined || text < 0 || value < 0) return rows.flat().map((each) => ({ text: String(each) }));
      return rows.map((row) => ({ text: String(row[text]), value: String(row[value]) }));
    },
  };
  beforeAll(() => {
    parts = loadGrafanaParts(process.env.TEST_GRAFANA ?? '', grafana, source);
  });

  /** The board as it is when all its variables have been asked for. */
  async function open({ templating }: Dashboard) {
    const { QueryVariable, CustomVariable, DataSourceVariable, SceneVariableSet, EmbeddedScene, SceneFlexLayout } = parts.scenes;
    const variables = templating.list.map((model): SceneVariable => {
      const state = { ...model, ...model.current, type: model.type };
      if (model.type === 'datasource') return new DataSourceVariable({ ...state, pluginId: model.query });
      return model.type === 'query' ? new QueryVariable(state) : new CustomVariable(state);
    });
    const set = new SceneVariableSet({ variables });
    const scene = new EmbeddedScene({ $variables: set, body: new SceneFlexLayout({ children: [] }) });
    const close = scene.activate();
    const settle = () => until('the variables', () => variables.every((each) => !set.isVariableLoadingOrWaitingToUpdate(each)));
    await settle();
    return { variables, close, settle, fill: (text: string) => parts.scenes.sceneGraph.interpolate(scene, text) };
  }

  const statements = ({ panels, annotations }: Dashboard) => [
    ...panels.map(({ title, targets }) => ({ title, sql: targets[0]?.rawSql ?? '' })),
    ...annotations.list.map(({ target }) => ({ title: 'annotations', sql: target.rawSql })),
  ];

  describe.each(boards)('$file', ({ board }) => {
    it('has choices for its variables, without a mistake', async () => {
      const { variables, close } = await open(board);
      for (const { state } of variables) expect(state.error, state.name).toBeFalsy();
      const named = (name: string) => variables.find(({ state }) => state.name === name);
      const isOfAccount = board.templating.list.some(({ name }) => name === 'account');
      if (isOfAccount) expect(named('account')?.getValue()).toBe('12345');
      if (board.templating.list.some(({ name }) => name === 'frame')) expect(named('frame')?.getValue()).toMatch(/^\d+$/);
      close();
    });

    it('has statements that a reader may run, and whose rows Grafana can turn', async () => {
      const { fill, close } = await open(board);
      for (const { sql } of statements(board)) await ask(fill(sql));
      for (const { target } of board.annotations.list) {
        const { columns, rows } = await ask(fill(target.rawSql));
        expect(columns[0]).toEqual({ name: 'time', isTime: true });
        expect(rows.map(([, text]) => text)).toContainEqual(expect.stringContaining('a new shop'));
      }
      for (const { title, targets, transformations = [] } of board.panels) {
        if (transformations.length === 0) continue;
        const [frame] = await transformed(transformations, await ask(fill(targets[0]?.rawSql ?? '')));
        const [, ...columns] = frame?.fields.map(({ name }) => name) ?? [];
        expect(columns, title).not.toEqual([]);
        // Weeks, from left to right.
        expect(columns, title).toEqual(columns.toSorted());
      }
      close();
    });

    it('draws a frame that holds every row', async () => {
      const { fill, close } = await open(board);
      const { rangeUtil, dateMath } = parts.data;
      for (const { title, timeFrom, targets } of board.panels) {
        if (timeFrom === undefined) continue;
        const frame = fill(timeFrom);
        expect(rangeUtil.describeTextRange(frame).invalid, `${title}: ${frame}`).toBeFalsy();
        const { columns, rows } = await ask(fill(targets[0]?.rawSql ?? ''));
        expect(columns[0], title).toEqual({ name: 'time', isTime: true });
        const begins = dateMath.parse(`now-${frame}`)?.valueOf() ?? Number.NaN;
        for (const [time] of rows) expect((time as Date).getTime(), title).toBeGreaterThanOrEqual(begins);
      }
      close();
    });

    it('takes any text of a variable as a value', async () => {
      const { variables, fill, close } = await open(board);
      for (const [index, { type, name }] of board.templating.list.entries()) {
        if (type !== 'query' || name === 'account' || name === 'frame') continue;
        variables[index]?.changeValueTo(HOSTILE, HOSTILE);
        for (const { title, sql } of statements(board)) {
          const filled = fill(sql);
          expect(filled, title).not.toContain('$x(');
          expect(filled, title).not.toContain('$__timeFilter(');
        }
      }
      close();
    });
  });

  it('follows the weeks that are chosen', async () => {
    const { variables, settle, fill, close } = await open(boardOf('rankings.json'));
    const weeks = variables.find(({ state }) => state.name === 'weeks');
    const asked = () => ask(fill(withTemplateVariables('SELECT :weeks::integer')));
    const frames: number[] = [];
    for (const chosen of ['4', '26', '52']) {
      weeks?.changeValueTo(chosen, chosen);
      await settle();
      expect((await asked()).rows).toEqual([[Number(chosen)]]);
      frames.push(Number(fill('$' + '{frame}')) - Number(chosen));
    }
    // Each frame is longer than its weeks by the same.
    expect(frames[0]).toBeGreaterThan(0);
    expect(new Set(frames).size).toBe(1);
    close();
  });

  it('passes on several values, one, or all, unchanged', async () => {
    const { variables, fill, close } = await open(boardOf('rankings.json'));
    const engine = variables.find(({ state }) => state.name === 'engine');
    const chosen = async () => (await ask(fill(withTemplateVariables('SELECT array_to_json(:engine::text[])')))).rows;
    expect(await chosen()).toEqual([[null]]);
    for (const values of [SEVERAL, ...SEVERAL.map((value) => [value])]) {
      engine?.changeValueTo(values.map(offered), values);
      expect(await chosen()).toEqual([[values]]);
    }
    close();
  });

  async function transformed(transformations: readonly object[], { columns, rows }: Answer): Promise<Frame[]> {
    const fields = columns.map(({ name, isTime }, index) => ({
      name,
      type: isTime ? 'time' : typeof rows[0]?.[index] === 'number' ? 'number' : 'string',
      config: {},
      values: rows.map((row) => row[index]),
    }));
    const frame = parts.data.toDataFrame({ fields });
    return new Promise((next, error) => parts.data.transformDataFrame(transformations, [frame]).subscribe({ next, error }));
  }
});

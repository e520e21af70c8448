// dashboards/grafana/<board>.json: the boards for Grafana, from the panels' own files.
import type { Dataquery } from '@grafana/grafana-foundation-sdk/cog';
import type { Dashboard, Panel as GrafanaPanel, VariableModel } from '@grafana/grafana-foundation-sdk/dashboard';
import type { Board, BoardVariable } from '../../src/dashboards/boards.ts';
import type { Chart, Panel } from '../../src/dashboards/panel-file.ts';
import { replaceParameters } from '../../src/warehouse/named-parameters.ts';

const WIDTH = 24;
const HEIGHT = 10;
/** A variable, not an input: inputs are not filled in when a dashboard is provisioned. */
const DATASOURCE = { type: 'grafana-postgresql-datasource', uid: `\${datasource}` };
/** What Grafana puts in the place of "all". */
export const ALL = 'NULL';

/** A statement whose variables Grafana fills in: each value as quoted text, so that no value is read as SQL; "all" and nothing as NULL. */
export function withTemplateVariables(sql: string): string {
  const bare = sql.replaceAll(/^--.*\n/gm, '').trim();
  return replaceParameters(bare, (name) => `nullif(nullif(\${${name}:sqlstring}, '${ALL}'), '')`);
}

type Drawn = Readonly<{ type: string; format: 'table' | 'time_series' }>;
const DRAWN: Readonly<Record<Chart, Drawn>> = {
  line: { type: 'timeseries', format: 'time_series' },
  stacked: { type: 'timeseries', format: 'time_series' },
  bar: { type: 'barchart', format: 'table' },
  heatmap: { type: 'table', format: 'table' },
  calendar: { type: 'table', format: 'table' },
  number: { type: 'stat', format: 'table' },
  table: { type: 'table', format: 'table' },
};

/** The columns that the chart shows, of the panel's own rows. */
function statementOf({ sql, chart, x = '', y, series }: Panel): string {
  const inner = withTemplateVariables(sql);
  if (chart === 'table') return inner;
  const shown = {
    line: [`${x}::timestamp AT TIME ZONE 'UTC' AS time`, ...(series ? [`${series}::text AS metric`] : []), ...y],
    stacked: [`${x}::timestamp AT TIME ZONE 'UTC' AS time`, ...(series ? [`${series}::text AS metric`] : []), ...y],
    bar: [`${x}::text`, ...y],
    heatmap: [`${x}::text`, `${series}::text`, ...y],
    calendar: [`${x}::text`, `${series}::text`, ...y],
    number: y,
  }[chart];
  const order = DRAWN[chart].format === 'time_series' ? '\n ORDER BY 1' : '';
  return `SELECT ${shown.join(', ')}\n  FROM (\n${inner}\n) AS panel${order}`;
}

const COLOURS = { published: 'green', running: 'blue', held: 'orange', failed: 'red', missing: 'yellow' };

function fieldDefaults({ chart, unit }: Panel): Readonly<Record<string, unknown>> {
  const shown = unit === '%' ? { unit: 'percent', min: 0 } : unit ? { unit: `suffix: ${unit}` } : {};
  if (chart === 'line') return { ...shown, custom: { drawStyle: 'line', showPoints: 'always', spanNulls: false } };
  if (chart === 'stacked') {
    return { ...shown, custom: { drawStyle: 'bars', fillOpacity: 80, stacking: { mode: 'normal', group: 'A' } } };
  }
  const cell = { cellOptions: { type: 'color-background' } };
  if (chart === 'heatmap') return { ...shown, color: { mode: 'continuous-BlPu' }, custom: cell };
  if (chart === 'calendar') {
    const options = Object.fromEntries(Object.entries(COLOURS).map(([state, color], index) => [state, { color, index }]));
    return { custom: cell, mappings: [{ type: 'value', options }] };
  }
  return shown;
}

function panelOf(panel: Panel, at: number): GrafanaPanel {
  const { title, question, note, computed, chart, x, y, series } = panel;
  const { type, format } = DRAWN[chart];
  const isMatrix = chart === 'heatmap' || chart === 'calendar';
  return {
    id: at + 1,
    type,
    title,
    description: [question, note, `How this is computed: ${computed}`].filter(Boolean).join('\n\n'),
    datasource: DATASOURCE,
    gridPos: { x: 0, y: at * HEIGHT, w: WIDTH, h: HEIGHT },
    targets: [
      {
        refId: 'A',
        datasource: DATASOURCE,
        editorMode: 'code',
        rawQuery: true,
        format,
        rawSql: statementOf(panel),
      } as unknown as Dataquery,
    ],
    fieldConfig: { defaults: fieldDefaults(panel), overrides: [] },
    ...(isMatrix && {
      transformations: [{ id: 'groupingToMatrix', options: { columnField: x, rowField: series, valueField: y[0], emptyValue: 'null' } }],
    }),
  } as GrafanaPanel;
}

function variableOf(variable: BoardVariable): VariableModel {
  const { name, label, choice, allLabel, default: value, optionsSql } = variable;
  const all = allLabel !== undefined && { includeAll: true, allValue: ALL };
  const current = value === null ? { current: { text: 'All', value: '$__all' } } : {};
  if (choice.kind === 'query') {
    const options = withTemplateVariables(optionsSql ?? '');
    const rawSql = `SELECT value::text AS __value, label AS __text\n  FROM (\n${options}\n) AS options`;
    const query = { refId: name, datasource: DATASOURCE, editorMode: 'code', rawQuery: true, format: 'table', rawSql };
    return {
      type: 'query',
      name,
      label,
      datasource: DATASOURCE,
      query,
      refresh: 1,
      sort: 0,
      multi: false,
      ...all,
      ...current,
    } as VariableModel;
  }
  if (choice.kind === 'fixed') {
    const query = choice.options.map((option) => `${option.label} : ${option.value}`).join(', ');
    const chosen = choice.options.find((option) => option.value === value);
    const first = chosen ? { current: { text: chosen.label, value: chosen.value } } : current;
    return { type: 'custom', name, label, query, multi: false, ...all, ...first } as VariableModel;
  }
  const text = String(value);
  return { type: 'textbox', name, label, query: text, current: { text, value: text } } as VariableModel;
}

export function grafanaDashboard(board: Board): Dashboard {
  const datasource = { type: 'datasource', name: 'datasource', label: 'Data source', query: DATASOURCE.type, refresh: 1 };
  return {
    uid: `searchmill-${board.name}`,
    title: `Searchmill: ${board.title}`,
    description: board.question,
    tags: ['searchmill'],
    timezone: 'utc',
    editable: true,
    schemaVersion: 41,
    // Panels choose their weeks by the variable; this is the frame in which Grafana draws them.
    time: { from: 'now-15w', to: 'now' },
    templating: { list: [datasource as VariableModel, ...board.variables.map(variableOf)] },
    annotations: { list: [] },
    panels: board.panels.map(panelOf),
  };
}

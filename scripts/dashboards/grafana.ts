// dashboards/grafana/<board>.json: the boards for Grafana, generated from the panels' own files.
import type { Dataquery } from '@grafana/grafana-foundation-sdk/cog';
import type { ReduceDataOptions } from '@grafana/grafana-foundation-sdk/common';
import type { Dashboard, Panel as GrafanaPanel, VariableModel } from '@grafana/grafana-foundation-sdk/dashboard';
import type { Board, BoardVariable } from '../../src/dashboards/boards.ts';
import type { Chart, Panel } from '../../src/dashboards/panel-file.ts';
import { isManyName, isVariableName, VARIABLES } from '../../src/dashboards/variables.ts';
import { replaceParameters } from '../../src/postgres/named-parameters.ts';

const WIDTH = 24;
const HEIGHT = 10;
/** Height of a heading and one row. */
const TILE_HEIGHT = 4;
/** A hidden variable: how far back panels are drawn, in weeks. */
const FRAME = 'frame';
/** A variable, not an input, because Grafana does not fill in inputs when a dashboard is provisioned. */
const DATASOURCE = { type: 'grafana-postgresql-datasource', uid: `\${datasource}` };
/** Choices in addition to the board's default. */
const WEEKS = [4, 13, 26, 52];
/** The value that Grafana substitutes for "all". */
export const ALL = 'NULL';

/**
 * A statement whose variables Grafana fills in; "all" and nothing become NULL. Values are percent-encoded in transit, so that they are never read
 * as SQL and Grafana's server finds no macro in them: it takes every `$name(` of a statement for a macro, even in quoted text. Several values come
 * as `{a,b}`; the commas within each offered value are percent-encoded. A number out of range becomes the default.
 */
export function withTemplateVariables(sql: string): string {
  const bare = sql.replaceAll(/^--.*\n/gm, '').trim();
  return replaceParameters(bare, (name) => {
    const value = `nullif(nullif(search_reports.percent_decoded('\${${name}:percentencode}'), '${ALL}'), '')`;
    if (isManyName(name)) return `search_reports.percent_decoded_list(${value})`;
    if (!isVariableName(name) || VARIABLES[name].choice.kind !== 'span') return value;
    return `coalesce(substring(${value} FROM '^[1-9][0-9]{0,2}$'), '${VARIABLES[name].default}')`;
  });
}

/** The SQL of a value as it is offered in a multi-value variable. */
const listItem = (column: string): string =>
  Object.entries({ '%': '%25', ',': '%2C', '{': '%7B', '}': '%7D' }).reduce(
    (written, [sign, encoded]) => `replace(${written}, '${sign}', '${encoded}')`,
    column,
  );

type Drawn = Readonly<{ type: string; format: 'table' | 'time_series' }>;
const DRAWN: Readonly<Record<Chart, Drawn>> = {
  line: { type: 'timeseries', format: 'time_series' },
  stacked: { type: 'timeseries', format: 'time_series' },
  bar: { type: 'barchart', format: 'table' },
  bridge: { type: 'barchart', format: 'table' },
  heatmap: { type: 'table', format: 'table' },
  calendar: { type: 'table', format: 'table' },
  number: { type: 'stat', format: 'table' },
  table: { type: 'table', format: 'table' },
  text: { type: 'table', format: 'table' },
  tiles: { type: 'table', format: 'table' },
  news: { type: 'table', format: 'table' },
};

const isMatrix = (chart: Chart): boolean => chart === 'heatmap' || chart === 'calendar';

/** The name of a line. Figures of different questions are separate lines: the newest has the plain name, the others name their question. */
function metricOf(sql: string, x: string, series: string): string {
  if (!/\bquestion\b/.test(sql)) return `${series}::text AS metric`;
  const newest = `first_value(question) OVER (PARTITION BY ${series} ORDER BY question IS NULL, ${x} DESC)`;
  return `concat(${series}, ' (' || nullif(question, ${newest}) || ')') AS metric`;
}

/** Columns that a tile shows besides its figure: what it is compared with, and why it is not, or why there is no figure. */
const OF_TILE = ['change', 'compared_with', 'reading', 'uncompared', 'reason'];

/** Selects the columns that the chart shows from the panel's own rows. */
function statementOf({ sql, chart, x = '', y, series }: Panel): string {
  const inner = withTemplateVariables(sql);
  const { format } = DRAWN[chart];
  if (chart === 'table' || chart === 'text' || chart === 'news') return inner;
  const shown = {
    line: [`${x}::timestamp AT TIME ZONE 'UTC' AS time`, ...(series ? [metricOf(sql, x, series)] : []), ...y],
    stacked: [`${x}::timestamp AT TIME ZONE 'UTC' AS time`, ...(series ? [metricOf(sql, x, series)] : []), ...y],
    tiles: [x, ...(series ? [series] : []), ...y, ...OF_TILE],
    bar: [`${x}::text`, ...y],
    bridge: [`${x}::text`, ...y],
    heatmap: [`${x}::text`, `${series}::text`, ...y],
    calendar: [`${x}::text`, `${series}::text`, ...y],
    number: y,
  }[chart];
  // Grafana's transformation to a matrix orders columns and rows by their first cell; this keeps the panel's row order.
  if (isMatrix(chart)) {
    const placed = `SELECT panel.*, row_number() OVER () AS place\n  FROM (\n${inner}\n) AS panel`;
    return `SELECT ${shown.join(', ')}\n  FROM (\n${placed}\n) AS placed\n ORDER BY ${x}, min(place) OVER (PARTITION BY ${series})`;
  }
  // One row per tile: the newest week, even if it has no figure; never an older one instead.
  if (chart === 'tiles') {
    const newest = `SELECT panel.*, max(${x}) OVER (${series ? `PARTITION BY ${series}` : ''}) AS newest\n  FROM (\n${inner}\n) AS panel`;
    return `SELECT ${shown.join(', ')}\n  FROM (\n${newest}\n) AS placed\n WHERE ${x} IS NOT DISTINCT FROM newest`;
  }
  // A row that explains missing data has no time.
  const order = format === 'time_series' ? `\n WHERE ${x} IS NOT NULL\n ORDER BY 1` : '';
  return `SELECT ${shown.join(', ')}\n  FROM (\n${inner}\n) AS panel${order}`;
}

/** What charts mark: people's notes and what the ledger knows, for the account and the datasets on the board. */
function annotationsSql({ panels, variables }: Board): string {
  const datasets = [...new Set(panels.flatMap((panel) => panel.datasets))].map((name) => `'${name}'`).join(', ');
  const isOfAccount = variables.some(({ name }) => name === 'account');
  // For all accounts, tracked searches are left out, because counting them is slow.
  const whose = isOfAccount ? '(account_id = :account::bigint OR account_id IS NULL)' : "kind <> 'tracked'";
  return withTemplateVariables(`SELECT week::timestamp AT TIME ZONE 'UTC' AS time,
       concat_ws(': ', ${isOfAccount ? '' : "'account ' || account_id, "}text, actor) AS text, concat_ws(',', kind, dataset) AS tags
  FROM search_reports.annotations
 WHERE ${whose} AND (dataset IS NULL OR dataset IN (${datasets}))
 ORDER BY week`);
}

function annotationsOf(board: Board): NonNullable<Dashboard['annotations']> {
  const target = {
    refId: 'Anno',
    datasource: DATASOURCE,
    editorMode: 'code',
    rawQuery: true,
    format: 'table',
    rawSql: annotationsSql(board),
  };
  const what = { name: 'What happened', enable: true, iconColor: 'orange', datasource: DATASOURCE, target };
  return { list: [what] } as unknown as NonNullable<Dashboard['annotations']>;
}

/** Columns with a day. Grafana adds a meaningless time of day to each date. */
export const DAYS = '^(week|.*_week|.*_day|compared_with)$';

/** How many weeks ago the oldest week of a board begins. Grafana draws this range; people choose weeks only. */
function frameSql(hasAccount: boolean): string {
  const newest = hasAccount
    ? `SELECT min(week) FROM (\nSELECT max(week) AS week FROM search_reports.weeks WHERE account_id = :account::bigint GROUP BY dataset\n) AS newest`
    : 'SELECT max(week) FROM searchmill.coverage';
  return withTemplateVariables(`SELECT :weeks::integer + 1 + coalesce(greatest(current_date - (\n${newest}), 0), 0) / 7`);
}

const COLOURS = { published: 'green', running: 'blue', held: 'orange', failed: 'red', missing: 'yellow' };

const unitOf = ({ unit }: Panel): string | undefined => (unit === '%' ? 'percent' : unit && `suffix: ${unit}`);

function fieldDefaults(panel: Panel): Readonly<Record<string, unknown>> {
  const { chart } = panel;
  const unit = unitOf(panel);
  // In a tile, the unit applies to the figure only.
  if (chart === 'tiles') return {};
  const shown = { ...(unit && { unit }), ...(unit === 'percent' && { min: 0 }) };
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

/** By default Grafana takes the last value that is not null. */
export const LAST: ReduceDataOptions = { calcs: ['last'] };

function panelOf(panel: Panel, at: number): GrafanaPanel {
  const { title, question, note, computed, chart, x, y, series } = panel;
  const { type, format } = DRAWN[chart];
  return {
    id: at + 1,
    type,
    title,
    description: [question, note, `How this is computed: ${computed}`].filter(Boolean).join('\n\n'),
    datasource: DATASOURCE,
    gridPos: { x: 0, y: at * HEIGHT, w: WIDTH, h: chart === 'tiles' ? TILE_HEIGHT : HEIGHT },
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
    ...(format === 'time_series' && { timeFrom: `\${${FRAME}}w`, hideTimeOverride: true }),
    fieldConfig: {
      defaults: fieldDefaults(panel),
      overrides: [
        { matcher: { id: 'byRegexp', options: `/${DAYS}/` }, properties: [{ id: 'unit', value: 'time:YYYY-MM-DD' }] },
        ...(chart === 'tiles'
          ? y.map((name) => ({ matcher: { id: 'byName', options: name }, properties: [{ id: 'unit', value: unitOf(panel) }] }))
          : []),
      ],
    },
    ...(type === 'stat' && { options: { reduceOptions: LAST } }),
    ...(isMatrix(chart) && {
      transformations: [{ id: 'groupingToMatrix', options: { columnField: x, rowField: series, valueField: y[0], emptyValue: 'null' } }],
    }),
  } as GrafanaPanel;
}

function variableOf(variable: BoardVariable): VariableModel {
  const { name, label, choice, allLabel, default: value, optionsSql, explained } = variable;
  const told = explained && { description: explained.join(' ') };
  const all = allLabel !== undefined && { includeAll: true, allValue: ALL };
  const current =
    value !== null ? {} : { current: isManyName(name) ? { text: ['All'], value: ['$__all'] } : { text: 'All', value: '$__all' } };
  if (choice.kind === 'query') {
    const options = withTemplateVariables(optionsSql ?? '');
    const isMany = isManyName(name);
    const query = `SELECT ${isMany ? listItem('value::text') : 'value::text'} AS __value, label AS __text\n  FROM (\n${options}\n) AS options`;
    return {
      type: 'query',
      name,
      label,
      ...askedOf(query),
      multi: isMany,
      ...all,
      ...current,
    } as VariableModel;
  }
  if (choice.kind === 'fixed') {
    const query = choice.options.map((option) => `${option.label} : ${option.value}`).join(', ');
    const chosen = choice.options.find((option) => option.value === value);
    const first = chosen ? { current: { text: chosen.label, value: chosen.value } } : current;
    return { type: 'custom', name, label, query, multi: false, ...told, ...all, ...first } as VariableModel;
  }
  const text = String(value);
  const offered = [...new Set([...WEEKS, Number(text)])].sort((a, b) => a - b);
  return { type: 'custom', name, label, query: offered.join(', '), multi: false, current: { text, value: text } } as VariableModel;
}

/** The query of a variable. Grafana before 13 accepts only text, and later versions accept it as well. */
function askedOf(query: string): Readonly<Record<string, unknown>> {
  return { datasource: DATASOURCE, query, definition: query, refresh: 1, sort: 0 };
}

export function grafanaDashboard(board: Board): Dashboard {
  const datasource = { type: 'datasource', name: 'datasource', label: 'Data source', query: DATASOURCE.type, refresh: 1 };
  const names = board.variables.map(({ name }) => name);
  const frame = names.includes('weeks')
    ? [{ type: 'query', name: FRAME, hide: 2, ...askedOf(frameSql(names.includes('account'))) } as VariableModel]
    : [];
  return {
    uid: `searchmill-${board.name}`,
    title: `Searchmill: ${board.title}`,
    description: board.question,
    tags: ['searchmill'],
    timezone: 'utc',
    editable: true,
    schemaVersion: 41,
    // Weeks are chosen only by their variable, and each chart has a time range that contains them.
    time: { from: 'now-15w', to: 'now' },
    timepicker: { hidden: true },
    templating: { list: [datasource as VariableModel, ...board.variables.map(variableOf), ...frame] },
    annotations: annotationsOf(board),
    panels: board.panels.map(panelOf),
  };
}

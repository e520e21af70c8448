// dashboards/grafana/operations.json: the service's state, from Prometheus and the series recorded by ops/recording.yml.
import type { Dataquery } from '@grafana/grafana-foundation-sdk/cog';
import type { Dashboard, Panel, VariableModel } from '@grafana/grafana-foundation-sdk/dashboard';
import { LAST } from './grafana.ts';

const DATASOURCE = { type: 'prometheus', uid: `\${datasource}` };
const WIDTH = 24;

type Drawn = 'stat' | 'table' | 'timeseries' | 'stacked';
type Series = Readonly<{ expr: string; legend?: string }>;
/** Panels fill a row from left to right. */
type OperationsPanel = Readonly<{
  title: string;
  question: string;
  drawn: Drawn;
  unit?: string;
  series: readonly Series[];
}>;

/** The width is in 24ths of a row. */
const sizeOf = (drawn: Drawn): { w: number; h: number } => (drawn === 'stat' ? { w: 6, h: 5 } : { w: 12, h: 8 });

/** Most urgent first. */
export const OPERATIONS_PANELS: readonly OperationsPanel[] = [
  {
    title: 'Needs you',
    question: 'How many problems wait for a person?',
    drawn: 'stat',
    series: [{ expr: 'sum(searchmill:problems:max{severity="error"}) or vector(0)' }],
  },
  {
    title: 'Published',
    question: 'Which share of the expected weeks is in the tables?',
    drawn: 'stat',
    unit: 'percentunit',
    series: [{ expr: 'searchmill:published:ratio' }],
  },
  {
    title: 'Under way',
    question: 'How many weeks are being loaded?',
    drawn: 'stat',
    series: [{ expr: 'sum(searchmill:coverage_weeks:max{state="running"})' }],
  },
  {
    title: 'Processes',
    question: 'How many run, and of which release?',
    drawn: 'stat',
    series: [{ expr: 'count by (version) (searchmill_build_info)', legend: '{{version}}' }],
  },
  {
    title: 'Problems',
    question: 'What is wrong, with which job? "searchmill status" says what to do.',
    drawn: 'table',
    series: [{ expr: 'searchmill:problems:max > 0' }],
  },
  {
    title: 'Weeks by state',
    question: 'Are all expected weeks there?',
    drawn: 'stacked',
    series: [{ expr: 'sum by (state) (searchmill:coverage_weeks:max)', legend: '{{state}}' }],
  },
  {
    title: 'Age of the newest week',
    question: 'How long ago did the newest published week begin?',
    drawn: 'timeseries',
    unit: 's',
    series: [{ expr: 'searchmill:newest_week_age_seconds:max', legend: '{{job}}' }],
  },
  {
    title: 'Loads of the last day',
    question: 'How did loads end?',
    drawn: 'stacked',
    series: [{ expr: 'sum by (outcome) (searchmill:loads_last_day:max)', legend: '{{outcome}}' }],
  },
  {
    title: 'Rows per second',
    question: 'How fast is it loading?',
    drawn: 'timeseries',
    series: [{ expr: 'searchmill:rows:rate5m', legend: '{{job}}' }],
  },
  {
    title: 'Calls in a minute',
    question: 'How much of the budget is used?',
    drawn: 'timeseries',
    series: [{ expr: 'searchmill:calls_last_minute:max', legend: '{{connection}} {{kind}}' }],
  },
  {
    title: 'Calls by outcome',
    question: 'Does the service answer?',
    drawn: 'stacked',
    unit: 'reqps',
    series: [{ expr: 'sum by (connection, outcome) (searchmill:calls:rate5m)', legend: '{{connection}} {{outcome}}' }],
  },
  {
    title: 'Time of calls (95 %)',
    question: 'How long do calls take, and wait for the budget?',
    drawn: 'timeseries',
    unit: 's',
    series: [
      { expr: 'searchmill:call_duration_seconds:p95', legend: '{{connection}} {{kind}}' },
      { expr: 'searchmill:call_wait_seconds:p95', legend: '{{connection}} {{kind}}, waiting' },
    ],
  },
  {
    title: 'Time of stages (95 %)',
    question: 'Which stage takes the time?',
    drawn: 'timeseries',
    unit: 's',
    series: [{ expr: 'searchmill:stage_duration_seconds:p95', legend: '{{stage}} {{dataset}}' }],
  },
  {
    title: 'Rows in quarantine, differences of the schema',
    question: 'Has the service changed what it sends?',
    drawn: 'timeseries',
    series: [
      { expr: 'searchmill:rows_in_quarantine:max', legend: '{{job}}: rows in quarantine' },
      { expr: 'searchmill:schema_differences:max', legend: '{{job}}: {{kind}}' },
    ],
  },
  {
    title: 'Failures of the database and the queue',
    question: 'Can Postgres and the queue be used?',
    drawn: 'timeseries',
    unit: 'cps',
    series: [{ expr: 'searchmill:failures:rate5m', legend: '{{of}}' }],
  },
  {
    title: 'Memory',
    question: 'How much does each process use?',
    drawn: 'timeseries',
    unit: 'bytes',
    series: [{ expr: 'process_resident_memory_bytes{job="searchmill"}', legend: '{{instance}}' }],
  },
];

function panelOf({ title, question, drawn, unit, series }: OperationsPanel, id: number, gridPos: Panel['gridPos']): Panel {
  const isTable = drawn === 'table';
  const stacked = { custom: { drawStyle: 'line', fillOpacity: 40, stacking: { mode: 'normal', group: 'A' } } };
  const hidden = { Time: true, Value: true, __name__: true };
  return {
    id,
    type: drawn === 'stacked' ? 'timeseries' : drawn,
    title,
    description: question,
    datasource: DATASOURCE,
    gridPos,
    targets: series.map(
      ({ expr, legend }, index) =>
        ({
          refId: String.fromCharCode('A'.charCodeAt(0) + index),
          datasource: DATASOURCE,
          editorMode: 'code',
          expr,
          ...(legend && { legendFormat: legend }),
          // The current value or nothing: the last value of a range may be an hour old.
          ...(isTable || drawn === 'stat' ? { instant: true } : { range: true }),
          ...(isTable && { format: 'table' }),
        }) as unknown as Dataquery,
    ),
    fieldConfig: { defaults: { ...(unit && { unit }), min: 0, ...(drawn === 'stacked' && stacked) }, overrides: [] },
    ...(drawn === 'stat' && { options: { reduceOptions: LAST } }),
    ...(isTable && { transformations: [{ id: 'organize', options: { excludeByName: hidden } }] }),
  } as Panel;
}

function placed(panels: readonly OperationsPanel[]): Panel[] {
  let x = 0;
  let y = 0;
  return panels.map((panel, index) => {
    const { w, h } = sizeOf(panel.drawn);
    if (x + w > WIDTH) x = 0;
    const made = panelOf(panel, index + 1, { x, y, w, h });
    x += w;
    if (x >= WIDTH) y += h;
    return made;
  });
}

export function operationsDashboard(): Dashboard {
  const datasource = { type: 'datasource', name: 'datasource', label: 'Data source', query: DATASOURCE.type, refresh: 1 };
  return {
    uid: 'searchmill-operations',
    title: 'Searchmill: Operations',
    description: 'How the service does, from Prometheus. Needs the series of ops/recording.yml.',
    tags: ['searchmill'],
    timezone: 'browser',
    editable: true,
    schemaVersion: 41,
    refresh: '30s',
    time: { from: 'now-24h', to: 'now' },
    templating: { list: [datasource as VariableModel] },
    annotations: { list: [] },
    panels: placed(OPERATIONS_PANELS),
  };
}

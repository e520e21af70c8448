// A panel is one file, dashboards/<board>/<panel>.sql: a header of "-- Key: value" lines, then one SELECT that also runs in psql.
// dashboards/README.md describes the header. Mistakes are reported with file, line and key.
import { replaceParameters } from '../postgres/named-parameters.ts';
import { expandChoices } from './choices.ts';
import { readMeasures } from './measures.ts';
import { splitHeader } from './sql-header.ts';
import { castOf, findFault, isManyName, isVariableName, THINGS, VARIABLE_NAMES, VARIABLES, type VariableName } from './variables.ts';

const CHARTS = ['line', 'bar', 'bridge', 'stacked', 'heatmap', 'calendar', 'number', 'table', 'text', 'tiles', 'news'] as const;
export type Chart = (typeof CHARTS)[number];

/** Whether the panel is shown only as a table. */
export const isTabular = ({ chart }: Pick<Panel, 'chart'>): boolean => chart === 'table' || chart === 'news';

export type Panel = Readonly<{
  board: string;
  name: string;
  title: string;
  /** The question that the panel answers. */
  question: string;
  chart: Chart;
  /** Columns of the result. A chart has an x axis and one or more y; `series` names the column that distinguishes lines. */
  x: string | undefined;
  y: readonly string[];
  series: string | undefined;
  /** Unit of the y columns. `%` is a share of 100; `place` is a rank, where less is better. */
  unit: string | undefined;
  /** Columns whose cells link to a board. */
  links: ReadonlyMap<string, BoardLink>;
  note: string | undefined;
  /** Columns with changes, shown with their sign and in colour. */
  changes: readonly string[];
  /** Splits a table into two beside each other: by the sign of `column`, with the titles `above` (positive) and `below`. */
  beside: Readonly<{ column: string; above: string; below: string }> | undefined;
  /**
   * A column of sentences, each linked to the panel that the row's column `panel` names, about what its linked columns name; without such a
   * column, to the first of these that leads somewhere. None of these columns is shown.
   */
  leads: Readonly<{ sentence: string; panel: string | undefined }> | undefined;
  /** Whether the lines are ordered classes of one scale. */
  isScale: boolean;
  /** The measure (dashboards/measures) that it shows; the board Why tells why it changed. */
  measure: string | undefined;
  /** Columns with changes, each with the measure by which the board Why explains them; of a row that is not ours, none. */
  whys: ReadonlyMap<string, string>;
  /** The panel that shows more, such as `rankings/rank-distribution?weighted=false`, with the choices that show the same figure. */
  from: string | undefined;
  /** The text shown when there are no rows. */
  empty: string | undefined;
  /** How the figures are computed, in words. */
  computed: string;
  /** Datasets that the figures come from. Their jobs' filters are shown with the panel. */
  datasets: readonly string[];
  /** Variables of the statement, with this panel's own default if it has one; null is the value "all". */
  variables: readonly Readonly<{ name: VariableName; default: string | null | undefined }>[];
  /** Panels of a board are sorted by this number, then by name. */
  order: number;
  /** The SELECT as written in the file, without a final semicolon. */
  sql: string;
}>;

/** A target board. If it is about one thing, `about` is the variable that gets the cell's value. */
export type BoardLink = Readonly<{ board: string; about: VariableName | undefined }>;

type PanelText = Readonly<{
  board: string;
  name: string;
  text: string;
  datasets: readonly string[];
  /** By board: the variable it is about; undefined for a board that is not about one thing. */
  boards: ReadonlyMap<string, VariableName | undefined>;
}>;

const KEYS = [
  'Title',
  'Question',
  'Chart',
  'X',
  'Y',
  'Series',
  'Unit',
  'Changes',
  'Beside',
  'Scale',
  'Links',
  'Leads',
  'Measure',
  'Why',
  'From',
  'Note',
  'Empty',
  'Computed',
  'Datasets',
  'Variables',
  'Order',
] as const;
type Key = (typeof KEYS)[number];
const REQUIRED: readonly Key[] = ['Title', 'Question', 'Chart', 'Computed', 'Datasets'];
/** The keys that each chart requires. */
const AXES: Readonly<Record<Chart, readonly Key[]>> = {
  line: ['X', 'Y'],
  bar: ['X', 'Y'],
  bridge: ['X', 'Y'],
  stacked: ['X', 'Y'],
  heatmap: ['X', 'Y', 'Series'],
  calendar: ['X', 'Y', 'Series'],
  number: ['Y'],
  table: [],
  text: ['Y'],
  tiles: ['X', 'Y'],
  news: ['X', 'Y'],
};
const LAST_ORDER = 1000;

/** Parses the text of a panel's file. Calls `fault(line, text)` for each mistake, and returns undefined if there is one. */
export function parsePanel(
  { board, name, text, datasets, boards }: PanelText,
  fault: (line: number, text: string) => void,
): Panel | undefined {
  let isFaultless = true;
  const tell = (line: number, problem: string): void => {
    isFaultless = false;
    fault(line, problem);
  };
  const { entries, sql: source, sqlLine } = splitHeader(text, KEYS, tell);
  const written = (key: Key): string | undefined => entries.get(key)?.value;
  const listOf = (key: Key): string[] =>
    (written(key) ?? '')
      .split(',')
      .map((each) => each.trim())
      .filter(Boolean);
  const lineOf = (key: Key): number => entries.get(key)?.line ?? 1;

  const chart = CHARTS.find((each) => each === written('Chart'));
  for (const key of REQUIRED) if (!entries.has(key)) tell(1, `${key}: is missing`);
  if (!chart && entries.has('Chart')) tell(lineOf('Chart'), `Chart: expected one of ${CHARTS.join(', ')}`);
  for (const key of chart ? AXES[chart] : []) if (!entries.has(key)) tell(1, `${key}: is missing; a ${chart} needs it`);
  const sources = written('Datasets') === 'all' ? datasets : listOf('Datasets');
  for (const dataset of sources) {
    if (!datasets.includes(dataset))
      tell(lineOf('Datasets'), `Datasets: "${dataset}" is not a dataset; they are all, ${datasets.join(', ')}`);
  }
  const [column = '', above = '', below = ''] = listOf('Beside');
  if (entries.has('Beside') && !below) tell(lineOf('Beside'), 'Beside: expected a column and two names, such as effect, Winners, Losers');
  if (entries.has('Scale') && written('Scale') !== 'ordered') tell(lineOf('Scale'), 'Scale: expected ordered');
  const measure = written('Measure');
  const measures = readMeasures().map((each) => each.name);
  if (measure !== undefined && !measures.includes(measure)) tell(lineOf('Measure'), `Measure: expected one of ${measures.join(', ')}`);
  const from = written('From');
  if (from !== undefined && !/^[a-z0-9-]+\/[a-z0-9-]+(\?\w+=\w*(&\w+=\w*)*)?$/.test(from))
    tell(lineOf('From'), 'From: expected a board and a panel, such as rankings/visibility, or rankings/visibility?weighted=false');
  const whys = new Map<string, string>();
  for (const each of listOf('Why')) {
    const [, column = '', by = ''] = /^(\w+)\s*=\s*(\w+)$/.exec(each) ?? [];
    if (measures.includes(by)) whys.set(column, by);
    else tell(lineOf('Why'), `Why: "${each}" is no column with a measure; expected a column, = and one of ${measures.join(', ')}`);
  }
  const [ledSentence = '', ledPanel] = listOf('Leads');
  const order = Number(written('Order') ?? LAST_ORDER);
  if (!Number.isSafeInteger(order)) tell(lineOf('Order'), 'Order: expected a whole number');
  const links = new Map<string, BoardLink>();
  for (const each of listOf('Links')) {
    const [, column = '', to = column] = /^(\w+)(?:\s*=\s*([\w-]+))?$/.exec(each) ?? [];
    if (boards.has(to)) links.set(column, { board: to, about: boards.get(to) });
    else tell(lineOf('Links'), `Links: "${each}" leads to no board; expected a column, = and one of ${[...boards.keys()].join(', ')}`);
  }
  const variables = listOf('Variables').flatMap((written) => parseVariable(written, (problem) => tell(lineOf('Variables'), problem)) ?? []);
  const sql = expandChoices(
    source,
    variables.map((variable) => variable.name),
  );
  checkStatement(
    sql,
    variables.map((variable) => variable.name),
    (line, problem) => tell(sqlLine + line, problem),
  );

  if (!chart || !isFaultless) return undefined;
  return {
    board,
    name,
    title: written('Title') ?? '',
    question: written('Question') ?? '',
    chart,
    x: written('X'),
    y: listOf('Y'),
    series: written('Series'),
    unit: written('Unit'),
    changes: listOf('Changes'),
    beside: entries.has('Beside') ? { column, above, below } : undefined,
    isScale: entries.has('Scale'),
    links,
    leads: entries.has('Leads') ? { sentence: ledSentence, panel: ledPanel } : undefined,
    measure,
    whys,
    from,
    note: written('Note'),
    empty: written('Empty'),
    computed: written('Computed') ?? '',
    datasets: sources,
    variables,
    order,
    sql,
  };
}

/** Parses `weeks`, `weeks = 26` or `country = all`; the default `all` is null. */
function parseVariable(written: string, tell: (problem: string) => void): Panel['variables'][number] | undefined {
  const [, name = '', value] = /^(\w+)(?:\s*=\s*(\S.*))?$/.exec(written) ?? [];
  if (!isVariableName(name)) {
    tell(`Variables: "${written}" is not a variable; they are ${VARIABLE_NAMES.join(', ')}`);
    return undefined;
  }
  const variable = VARIABLES[name];
  const mayBeAll = variable.allLabel !== undefined || THINGS.includes(name);
  const wrong = value === undefined || (value === 'all' && mayBeAll) ? undefined : findFault(variable, value);
  if (wrong) tell(`Variables: ${name} = ${value}: ${wrong}`);
  return { name, default: value === 'all' ? null : value };
}

const NOT_ALLOWED = [
  ['a second statement', /;/],
  ['a comment in /* */', /\/\*/],
  ['text in $$', /\$\w*\$/],
  ["text as E''", /\be¤/i],
  ['a numbered parameter', /\$\d/],
] as const;

/** Checks that there is one SELECT, and that its variables are all declared, used and cast. */
function checkStatement(sql: string, declared: readonly string[], tell: (line: number, problem: string) => void): void {
  const lineAt = (at: number): number => sql.slice(0, at).split('\n').length;
  if (!/^(select|with)\b/i.test(sql.replaceAll(/^\s*--.*\n/gm, '').trimStart()))
    tell(1, 'SQL: expected one SELECT, or WITH and a SELECT, after the header');
  // Blanks line comments and quoted text, so that the patterns match only code.
  const bare = sql.replaceAll(/--.*|'[^']*'|"[^"]*"/g, (token) => (token.startsWith('-') ? ' ' : '¤').repeat(token.length));
  for (const [name, pattern] of NOT_ALLOWED) {
    const at = bare.search(pattern);
    if (at >= 0) tell(lineAt(at), `SQL: ${name} is not allowed`);
  }
  const used = new Set<string>();
  replaceParameters(sql, (name, at) => {
    used.add(name);
    if (!declared.includes(name)) tell(lineAt(at), `SQL: :${name} is not among the Variables of the header`);
    else if (
      !sql.startsWith('::', at + name.length + 1) ||
      (isManyName(name) && !sql.startsWith(`::${castOf(name)}`, at + name.length + 1))
    )
      tell(lineAt(at), `SQL: :${name} needs its type, such as :${name}::${castOf(name as VariableName)}`);
    return '';
  });
  for (const name of declared.filter((each) => !used.has(each))) tell(1, `Variables: ${name} is not used by the SQL`);
}

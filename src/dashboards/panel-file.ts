// A panel is one file, dashboards/<board>/<panel>.sql: a header of "-- Key: value" lines, then one SELECT that also runs in psql.
// dashboards/README.md describes the header. Mistakes are reported with file, line and key.
import { z } from 'zod';
import { replaceParameters } from '../postgres/named-parameters.ts';
import { expandChoices } from './choices.ts';
import { readMeasures } from './measures.ts';
import { listOf, namesAmong, oneOf, parseHeader, wholeNumber } from './sql-header.ts';
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
  /** On a board of a site: the panel that sets it against us, such as `rivals/market-share`, and tells why its share changed. */
  against: string | undefined;
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

const columns = listOf((column) => column);

/** Columns, each with what it is or leads to: `column = meaning`. `read` returns the meaning, or tells that there is none. */
const columnsWith = <T>(pattern: RegExp, read: (meaning: string) => T | undefined, expected: (item: string) => string) =>
  listOf((item, tell): [string, T] | undefined => {
    const [, column = '', meaning = column] = pattern.exec(item) ?? [];
    const found = read(meaning);
    return found === undefined ? tell(expected(item)) : [column, found];
  }).transform((entries) => new Map(entries));

/** The keys of the header. */
function headerOf({ datasets, boards }: PanelText) {
  const measures = readMeasures().map((each) => each.name);
  return {
    Title: z.string(),
    Question: z.string(),
    Chart: oneOf(CHARTS),
    X: z.string().optional(),
    Y: columns.default([]),
    Series: z.string().optional(),
    Unit: z.string().optional(),
    Changes: columns.default([]),
    Beside: columns
      .refine(([, , below]) => below, 'expected a column and two names, such as effect, Winners, Losers')
      .transform(([column = '', above = '', below = '']) => ({ column, above, below }))
      .optional(),
    Scale: z.literal('ordered', { error: 'expected ordered' }).optional(),
    Links: columnsWith(
      /^(\w+)(?:\s*=\s*([\w-]+))?$/,
      (to) => (boards.has(to) ? { board: to, about: boards.get(to) } : undefined),
      (item) => `"${item}" leads to no board; expected a column, = and one of ${[...boards.keys()].join(', ')}`,
    ).default(new Map()),
    Leads: columns.transform(([sentence = '', panel]) => ({ sentence, panel })).optional(),
    Measure: oneOf(measures).optional(),
    Why: columnsWith(
      /^(\w+)\s*=\s*(\w+)$/,
      (by) => measures.find((each) => each === by),
      (item) => `"${item}" is no column with a measure; expected a column, = and one of ${measures.join(', ')}`,
    ).default(new Map()),
    From: z
      .string()
      .regex(
        /^[a-z0-9-]+\/[a-z0-9-]+(\?\w+=\w*(&\w+=\w*)*)?$/,
        'expected a board and a panel, such as rankings/visibility, or rankings/visibility?weighted=false',
      )
      .optional(),
    Against: z
      .string()
      .regex(/^[a-z0-9-]+\/[a-z0-9-]+$/, 'expected a board and a panel, such as rivals/market-share')
      .optional(),
    Note: z.string().optional(),
    Empty: z.string().optional(),
    Computed: z.string(),
    Datasets: namesAmong(['all', ...datasets], 'a dataset').transform((names) => (names.includes('all') ? [...datasets] : names)),
    Variables: listOf(parseVariable).default([]),
    Order: wholeNumber().default(LAST_ORDER),
  };
}
/** The keys that each chart requires. */
const AXES: Readonly<Record<Chart, readonly ('X' | 'Y' | 'Series')[]>> = {
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
export function parsePanel(file: PanelText, fault: (line: number, text: string) => void): Panel | undefined {
  let isFaultless = true;
  const tell = (line: number, problem: string): void => {
    isFaultless = false;
    fault(line, problem);
  };
  const { values, readable, sql: source, sqlLine } = parseHeader(file.text, headerOf(file), tell);
  const { Chart, Variables } = readable;
  for (const key of Chart ? AXES[Chart] : [])
    if (readable[key] === undefined || readable[key].length === 0) tell(1, `${key}: is missing; a ${Chart} needs it`);
  const names = Variables?.map((variable) => variable.name) ?? [];
  const sql = expandChoices(source, names);
  if (Variables) checkStatement(sql, names, (line, problem) => tell(sqlLine + line, problem));
  if (!values || !isFaultless) return undefined;
  return {
    board: file.board,
    name: file.name,
    title: values.Title,
    question: values.Question,
    chart: values.Chart,
    x: values.X,
    y: values.Y,
    series: values.Series,
    unit: values.Unit,
    changes: values.Changes,
    beside: values.Beside,
    isScale: values.Scale !== undefined,
    links: values.Links,
    leads: values.Leads,
    measure: values.Measure,
    whys: values.Why,
    against: values.Against,
    from: values.From,
    note: values.Note,
    empty: values.Empty,
    computed: values.Computed,
    datasets: values.Datasets,
    variables: values.Variables,
    order: values.Order,
    sql,
  };
}

/** Parses `weeks`, `weeks = 26` or `country = all`; the default `all` is null. */
function parseVariable(written: string, tell: (problem: string) => undefined): Panel['variables'][number] | undefined {
  const [, name = '', value] = /^(\w+)(?:\s*=\s*(\S.*))?$/.exec(written) ?? [];
  if (!isVariableName(name)) {
    return tell(`"${written}" is not a variable; they are ${VARIABLE_NAMES.join(', ')}`);
  }
  const variable = VARIABLES[name];
  const mayBeAll = variable.allLabel !== undefined || THINGS.includes(name);
  const wrong = value === undefined || (value === 'all' && mayBeAll) ? undefined : findFault(variable, value);
  return wrong ? tell(`${name} = ${value}: ${wrong}`) : { name, default: value === 'all' ? null : value };
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

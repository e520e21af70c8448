// The tools for boards: list boards and panels, run a panel, explain how its figures are computed.
import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { groupBy } from '../core/group-by.ts';
import { nameSome } from '../core/name-some.ts';
import { chooseValues } from '../dashboards/board-view.ts';
import type { Board, BoardVariable } from '../dashboards/boards.ts';
import { whyOf } from '../dashboards/links.ts';
import type { Panel } from '../dashboards/panel-file.ts';
import { type PanelResult, runPanel } from '../dashboards/run-panels.ts';
import { readSources } from '../dashboards/sources.ts';
import { isManyName, type Values } from '../dashboards/variables.ts';
import type { Client } from '../postgres/pool.ts';
import type { Asking } from './asking.ts';
import { readAccounts } from './assistants.ts';
import { type AnswerRows, type DataAnswer, dataAnswer, jsonOf, refusal } from './data-answer.ts';
import { restFrom } from './inputs.ts';
import { strictInput } from './strict-input.ts';

/** Most rows read from a panel, before those of one week are selected. */
export const READ_ROWS = 20_000;
const READ_ONLY = { readOnlyHint: true, openWorldHint: false };

/** Columns in which a panel says why a figure is missing or not comparable. */
const REASONS = ['reason', 'gap', 'notice', 'note'];
/** The bounds of a rate's interval: numbers, but not counts. */
const BOUNDS = ['low', 'high'];
/** Columns that tell how a level has changed: numbers, but not of what was counted. */
const CHANGES = ['like_for_like', 'same', 'change'];

const value = z.union([z.string().max(500), z.number()]);
export const panelFields = {
  board: z.string().max(100).describe('Name of a board, as returned by list_boards'),
  panel: z.string().max(100).describe('Name of a panel of the board'),
  variables: z
    .record(z.string().max(40), z.union([value, z.array(value).max(100)]))
    .transform((given) =>
      Object.fromEntries(Object.entries(given).map(([name, each]) => [name, Array.isArray(each) ? each.map(String) : String(each)])),
    )
    .default({})
    .describe(
      'Values by variable name, such as account or weeks; a list if several may be chosen (mayBeSeveral); variables left out have their defaults',
    ),
  rest_from: restFrom,
};
const panelInput = strictInput(panelFields);
type PanelInput = z.output<typeof panelInput>;

export function addBoardTools(server: McpServer, asking: Asking): void {
  server.registerTool(
    'list_boards',
    {
      title: 'Boards and panels',
      description:
        'Lists the accounts and the boards with the names of their panels. Call this first. With a board: its panels with their questions, and the variables that they take.',
      inputSchema: strictInput({ board: panelFields.board.optional(), rest_from: restFrom }),
      annotations: READ_ONLY,
    },
    ({ board: name, rest_from: from }) =>
      asking.answer(async (client) => {
        if (name === undefined) {
          const accounts = await readAccounts(client);
          const means = 'Each board is a page of figures about one subject; its panels are what run_panel and explain_figure take.';
          return dataAnswer({ means, link: '/boards', accounts }, { name: 'boards', all: asking.boards.map(nameBoard), from });
        }
        const board = findBoard(asking.boards, name);
        if ('isError' in board) return board;
        const { panels, ...described } = describeBoard(board);
        const means = 'The questions that the board answers, one by each panel, and the variables that choose what is counted.';
        return dataAnswer({ means, link: `/boards/${board.name}`, ...described }, { name: 'panels', all: panels, from });
      }),
  );
  server.registerTool(
    'run_panel',
    {
      title: 'Figures of a panel',
      description: `Runs one panel and returns its rows, as many as fit; isCut and omitted tell what was left out, and next how to get it: or choose fewer weeks or one value of a variable. A null figure is a gap, not a zero: its reason is in the row.`,
      inputSchema: panelInput,
      annotations: READ_ONLY,
    },
    (input) =>
      asking.answer((client) =>
        withPanel(client, asking.boards, input, async ({ panel, values, result, links }) =>
          dataAnswer(
            {
              board: panel.board,
              panel: panel.name,
              title: panel.title,
              question: panel.question,
              means: meaningOf(panel),
              unit: panel.unit ?? null,
              values,
              ...links,
            },
            rowsOf(panel, result, { all: objectsOf(result), from: input.rest_from }),
          ),
        ),
      ),
  );
  server.registerTool(
    'explain_figure',
    {
      title: 'How a figure is computed',
      description:
        'Explains how the figures of a panel are computed, what was asked of the service for them (jobs and filters), their sample size (n), and which weeks have gaps and why. Give a week to get only its rows.',
      inputSchema: strictInput({ ...panelFields, week: z.iso.date().optional().describe('The Sunday that begins the week') }),
      annotations: READ_ONLY,
    },
    ({ week, ...input }) =>
      asking.answer((client) =>
        withPanel(client, asking.boards, input, (shown) => explain(client, shown, { week, from: input.rest_from })),
      ),
  );
}

type Links = Readonly<{ link: string; why?: string }>;
type Shown = Readonly<{ panel: Panel; values: Values; result: PanelResult; links: Links }>;
type Part = Readonly<{ week: string | undefined; from: number }>;

async function explain(client: Client, { panel, values, result, links }: Shown, { week, from }: Part): Promise<DataAnswer> {
  const sources = await readSources(client, panel.datasets, values.account ?? null);
  const all = objectsOf(result);
  const rows = all.filter((row) => week === undefined || row.week === undefined || row.week === week);
  if (all.length > 0 && rows.length === 0)
    return refusal(`The panel shows no week that begins on ${week}. Weeks: ${valuesOf(all, 'week').join(', ')}.`);
  const kinds = new Map(result.columns.map(({ name, kind }) => [name, kind]));
  const shown = new Set([panel.x, panel.series, ...panel.y, ...REASONS, ...BOUNDS, ...CHANGES]);
  const counts = [...kinds].flatMap(([name, kind]) => (kind === 'number' && !shown.has(name) ? [name] : []));
  return dataAnswer(
    {
      title: panel.title,
      question: panel.question,
      means: meaningOf(panel),
      formula: panel.computed,
      unit: panel.unit ?? null,
      remark: panel.note ?? null,
      values,
      asked: sources.map(({ job, dataset, account, filters, newestWeek, publishedAt, weeksOfOtherFilters }) => ({
        job,
        dataset,
        account,
        filters,
        newestWeek,
        publishedAt,
        weeksOfOtherFilters: weeksOfOtherFilters ?? [],
      })),
      nColumns: counts,
      gaps: gapsOf(panel, rows),
      ...links,
    },
    rowsOf(panel, result, { all: rows, from }),
  );
}

type Told = Readonly<Record<string, unknown>>;

/** Each reason once, with the places it applies to. Covers all rows, even those left out of the answer. */
function gapsOf({ x = '', series = '' }: Panel, rows: readonly Told[]): readonly Told[] {
  const reasonOf = (row: Told): Told => Object.fromEntries(REASONS.flatMap((name) => (row[name] ? [[name, row[name]]] : [])));
  const byReason = groupBy(
    rows.filter((row) => REASONS.some((name) => row[name])),
    (row) => JSON.stringify(reasonOf(row)),
  );
  return [...byReason.values()].map((own) => ({
    ...reasonOf(own[0] ?? {}),
    ...Object.fromEntries([x, series].filter(Boolean).map((name) => [name, valuesOf(own, name)])),
  }));
}

const valuesOf = (rows: readonly Told[], name: string): readonly unknown[] => [...new Set(rows.flatMap((row) => row[name] ?? []))];

const MAX_NAMED = 50;

/** Rows in the order of the panel. Rows that are left out are named by their series. */
function rowsOf({ series }: Panel, { isCut }: PanelResult, { all, from }: Readonly<{ all: readonly Told[]; from: number }>): AnswerRows {
  const nameRows = (left: readonly unknown[]): string => nameSome(valuesOf(left as readonly Told[], series ?? '').map(String), MAX_NAMED);
  return { name: 'rows', all, from, isCut, ...(series && { nameRows }) };
}

/** Runs a panel and returns what `tell` makes of it, or a refusal that says why it could not be run. */
async function withPanel(
  client: Client,
  boards: readonly Board[],
  input: PanelInput,
  tell: (shown: Shown) => Promise<DataAnswer>,
): Promise<DataAnswer> {
  const board = findBoard(boards, input.board);
  if ('isError' in board) return board;
  const panel = board.panels.find(({ name }) => name === input.panel);
  if (!panel)
    return refusal(`The board ${board.name} has no panel of this name. Panels: ${board.panels.map(({ name }) => name).join(', ')}.`);
  const chosen = await readVariables(client, board, input.variables);
  if ('isError' in chosen) return chosen;
  const { values } = chosen;
  const used = Object.fromEntries(panel.variables.map(({ name }) => [name, values[name] ?? null]));
  const result = await runPanel(client, panel, values, READ_ROWS);
  return 'failure' in result
    ? refusal('The panel could not be read.', { failure: result.failure })
    : tell({ panel, values: used, result, links: linksTo(panel, board, used) });
}

/** The values of a board for variables as an assistant gives them, or a refusal that says what is wrong with these. */
export async function readVariables(
  client: Client,
  board: Board,
  given: PanelInput['variables'],
): Promise<Readonly<{ values: Values }> | Required<DataAnswer>> {
  const refuse = (text: string, facts?: Readonly<Record<string, unknown>>) => ({ isError: true, ...refusal(text, facts) });
  const names: readonly string[] = board.variables.map(({ name }) => name);
  const unknown = Object.keys(given).filter((name) => !names.includes(name));
  if (unknown.length > 0) return refuse(`The board ${board.name} has no such variable. Variables: ${names.join(', ')}.`);
  const several = Object.entries(given).flatMap(([name, value]) =>
    Array.isArray(value) && value.length > 1 && !isManyName(name) ? name : [],
  );
  if (several.length > 0) return refuse(`Only one value may be chosen for ${several.join(', ')}.`);
  const { values, faults } = await chooseValues(client, board, given);
  return faults.length > 0 ? refuse('These values cannot be used.', { faults }) : { values };
}

/** The board of this name, or a refusal that names all. */
function findBoard(boards: readonly Board[], wanted: string): Board | Required<DataAnswer> {
  const told = `There is no board of this name. Boards: ${boards.map(({ name }) => name).join(', ')}.`;
  return boards.find(({ name }) => name === wanted) ?? { isError: true, ...refusal(told) };
}

/** What figures say, in one sentence: the first of how they are computed. */
const meaningOf = ({ computed, title }: Panel): string => `${title}: ${/^.*?[.:](?=\s|$)/s.exec(computed)?.[0] ?? computed}`;

/** The paths, on the pages of Searchmill, of the panel with these values, and of why its measure changed, if it shows one. */
function linksTo({ board, name, measure }: Panel, { about }: Board, values: Values): Links {
  const query = queryOf(values);
  const link = `/boards/${board}/${name}?${query}`;
  const thing = about && values[about];
  const named = about && typeof thing === 'string' ? { name: about, value: thing } : undefined;
  return measure === undefined
    ? { link }
    : { link, why: whyOf(measure, { here: undefined, chosenFor: () => queryOf(values), about: named }) };
}

/** The values as the query of a page. */
export function queryOf(values: Values): URLSearchParams {
  return new URLSearchParams(Object.entries(values).flatMap(([name, value]) => [value ?? []].flat().map((each) => [name, each])));
}

/** Rows as objects by column, with numbers and booleans as such. */
export function objectsOf({ columns, rows }: PanelResult): Record<string, unknown>[] {
  return rows.map((row) => Object.fromEntries(columns.map(({ name, kind }, at) => [name, jsonOf(row[at] ?? null, kind)])));
}

const nameBoard = ({ name, title, question, panels }: Board) => ({ name, title, question, panels: panels.map((panel) => panel.name) });

const describeBoard = ({ name, title, question, panels, variables }: Board) => ({
  name,
  title,
  question,
  panels: panels.map((panel) => ({ name: panel.name, title: panel.title, question: panel.question, unit: panel.unit ?? null })),
  variables: variables.map(describeVariable),
});

function describeVariable({ name, label, choice, allLabel, plural, default: usual }: BoardVariable) {
  const values =
    choice.kind === 'fixed'
      ? choice.options.map(({ value }) => value)
      : choice.kind === 'span'
        ? `1 to ${choice.most}, year, or two days such as 2026-01-04..2026-06-28`
        : 'of the account';
  return {
    name,
    label,
    values,
    mayBeSeveral: plural !== undefined,
    mayBeAll: allLabel !== undefined,
    default: usual === null ? (allLabel ?? 'all') : typeof usual === 'object' ? 'the first' : usual,
  };
}

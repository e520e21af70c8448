// The boards of a folder: dashboards/<board>/board.yaml describes a board, and the .sql files beside it are its panels.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { ConfigurationError, describeError } from '../core/errors.ts';
import { packagePath } from '../core/package-folder.ts';
import { DATASETS } from '../datasets/index.ts';
import { type Panel, parsePanel } from './panel-file.ts';
import { THINGS, VARIABLE_NAMES, VARIABLES, type Variable, type VariableName } from './variables.ts';

/** The boards that come with Searchmill. */
const BOARDS_FOLDER = packagePath('dashboards');
/** Not a board: has one statement for each variable whose options are read from the database. */
const VARIABLES_FOLDER = 'variables';

export type BoardVariable = Variable &
  Readonly<{
    name: VariableName;
    optionsSql: string | undefined;
    /** True if pages offer no options: only links choose it. */
    isLinked?: boolean;
  }>;

export type Board = Readonly<{
  name: string;
  title: string;
  question: string;
  order: number;
  /** The variable that names the one thing that the board is about, if there is one. */
  about?: VariableName | undefined;
  /** Whom it is for: operators look after the loads, everybody else reads figures. */
  audience: 'analysts' | 'operators';
  panels: readonly Panel[];
  /** The variables of all its panels, in the order of the form. */
  variables: readonly BoardVariable[];
}>;

const boardSchema = z.strictObject({
  title: z.string().min(1),
  question: z.string().min(1),
  order: z.int().default(0),
  about: z.enum(VARIABLE_NAMES).optional(),
  audience: z.enum(['analysts', 'operators']).default('analysts'),
});
type About = z.infer<typeof boardSchema>;

/** Reads all boards. Throws ConfigurationError that names every mistake with its file, and in panel files with its line. */
export function readBoards(folder: string = BOARDS_FOLDER): readonly Board[] {
  const mistakes: string[] = [];
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(folder, entry.name, 'board.yaml')))
    .map((entry) => entry.name);
  const abouts = new Map(names.map((name) => [name, readAbout(folder, name, mistakes)]));
  const boards = names.flatMap((name) => readBoard({ folder, abouts }, name, mistakes) ?? []);
  if (mistakes.length > 0)
    throw new ConfigurationError(`the dashboards cannot be used:\n${mistakes.map((each) => `  ${each}`).join('\n')}`);
  return boards.sort((a, b) => a.order - b.order || (a.name < b.name ? -1 : 1));
}

/** A board with only one panel and that panel's variables. */
export function boardOf(board: Board, panel: Panel): Board {
  return { ...board, panels: [panel], variables: board.variables.filter(({ name }) => panel.variables.some((each) => each.name === name)) };
}

type Folder = Readonly<{ folder: string; abouts: ReadonlyMap<string, About | undefined> }>;

function readBoard({ folder, abouts }: Folder, name: string, mistakes: string[]): Board | undefined {
  const about = abouts.get(name);
  const boards = new Map([...abouts].map(([board, each]) => [board, each?.about]));
  const files = readdirSync(join(folder, name))
    .filter((file) => file.endsWith('.sql'))
    .sort();
  const panels = files.flatMap((file) => {
    const text = readFileSync(join(folder, name, file), 'utf8');
    const datasets = DATASETS.map((dataset) => dataset.name);
    const fault = (line: number, problem: string): void => void mistakes.push(`${name}/${file}:${line}: ${problem}`);
    return parsePanel({ board: name, name: file.slice(0, -'.sql'.length), text, datasets, boards }, fault) ?? [];
  });
  if (files.length === 0) mistakes.push(`${name}: has no panels`);
  for (const panel of panels) {
    if (about?.about && panel.variables.every((variable) => variable.name !== about.about))
      mistakes.push(`${name}/${panel.name}.sql: Variables: ${about.about} is missing, which the board is about`);
  }
  const used = VARIABLE_NAMES.filter((variable) => panels.some((panel) => panel.variables.some((each) => each.name === variable)));
  const variables = used.map((variable) => describeVariable(folder, variable, panels, mistakes));
  if (!about) return undefined;
  return {
    name,
    ...about,
    panels: panels.sort((a, b) => a.order - b.order || (a.name < b.name ? -1 : 1)),
    variables,
  };
}

function readAbout(folder: string, name: string, mistakes: string[]): About | undefined {
  try {
    const read = boardSchema.safeParse(parse(readFileSync(join(folder, name, 'board.yaml'), 'utf8')));
    if (read.success) return read.data;
    mistakes.push(...read.error.issues.map(({ path, message }) => `${name}/board.yaml: ${path.join('.')}: ${message}`));
  } catch (error) {
    mistakes.push(`${name}/board.yaml: ${describeError(error)}`);
  }
  return undefined;
}

/** A variable with the default that panels give it. Defaults of panels must agree, since a board has one form. */
function describeVariable(folder: string, name: VariableName, panels: readonly Panel[], mistakes: string[]): BoardVariable {
  const given = panels.flatMap((panel) =>
    panel.variables
      .filter((each) => each.name === name && each.default !== undefined)
      .map((each) => ({ panel, value: each.default ?? null })),
  );
  const [first] = given;
  const other = given.find(({ value }) => value !== first?.value);
  if (first && other) {
    mistakes.push(`${other.panel.board}/${other.panel.name}.sql: Variables: ${name}: ${first.panel.name}.sql has another default`);
  }
  const file = join(folder, VARIABLES_FOLDER, `${name}.sql`);
  const optionsSql = VARIABLES[name].choice.kind === 'query' && existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  if (VARIABLES[name].choice.kind === 'query' && !optionsSql) mistakes.push(`${VARIABLES_FOLDER}/${name}.sql: is missing`);
  const isLinked = THINGS.includes(name) && first?.value === null;
  return { ...VARIABLES[name], ...(first && { default: first.value }), ...(isLinked && { isLinked, allLabel: 'all' }), name, optionsSql };
}

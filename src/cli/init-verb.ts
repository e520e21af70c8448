// searchmill init: writes the files to start with, or a recipe for a way to run Searchmill or to use its tables. Existing files are not touched.
import { constants, existsSync, readdirSync, statSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Option } from 'commander';
import { compareText } from '../core/compare-text.ts';
import { ConfigurationError } from '../core/errors.ts';
import { asTyped } from '../core/own-command.ts';
import { packagePath } from '../core/package-folder.ts';
import type { Terminal } from './terminal.ts';
import { Verb } from './verb.ts';

/** Names in the package and in the folder: npm leaves out files that begin with a dot. */
const FILES: Readonly<Record<string, string>> = {
  'jobs.config.yaml': 'jobs.config.yaml',
  'env.example': '.env.example',
  'compose.yaml': 'compose.yaml',
};

type Recipe = Readonly<{
  /** Files and folders of the package, each with its name below the recipe's folder; empty for the folder itself. */
  from: Readonly<Record<string, string>>;
  next: readonly string[];
}>;

const DOCS = 'node_modules/searchmill/docs';

const RECIPES = {
  systemd: {
    from: { 'deploy/systemd': '' },
    next: [`Follow ${DOCS}/deploying.md, "systemd": where the unit, the script, the jobs file and the secrets belong.`],
  },
  compose: {
    from: { 'init/compose': '' },
    next: ['Put jobs.config.yaml and .env into the folder; "searchmill init" writes examples.', 'docker compose up --build --detach'],
  },
  kubernetes: {
    from: { 'deploy/kubernetes': '' },
    next: [`Follow ${DOCS}/deploying.md, "Kubernetes": the image, the secrets and the jobs file.`],
  },
  dbt: {
    from: { dbt: '', 'docs/recipes/dbt_top_places.sql': 'dbt_top_places.sql' },
    next: [
      'Follow README.md in that folder: the login, its schema, and the files of a project if you have none yet.',
      'dbt deps && dbt build, beside the folder.',
    ],
  },
  airflow: {
    from: { 'docs/recipes/airflow_searchmill.py': 'airflow_searchmill.py' },
    next: ['Put the file into the folder of your DAGs, and read its beginning.'],
  },
  dagster: {
    from: { 'docs/recipes/dagster_searchmill.py': 'dagster_searchmill.py' },
    next: ['Put the file among your definitions, and read its beginning.'],
  },
} as const satisfies Readonly<Record<string, Recipe>>;

type RecipeName = keyof typeof RECIPES;

/** Where a file of the package is copied to. */
type Copy = Readonly<{ from: string; to: string }>;

export function initVerb(terminal: Terminal): Verb {
  return new Verb('init')
    .description('write the files to start with: jobs.config.yaml, .env.example, compose.yaml')
    .argument('[folder]', 'where to write them; created if it does not exist', '.')
    .addOption(new Option('--with <recipe>', 'write this recipe instead, into a folder of its name').choices(Object.keys(RECIPES)))
    .more(`Overwrites nothing: if one of the files exists, none is written.

Examples:
  searchmill init
  searchmill init --with systemd`)
    .action(async (folder: string, options: { with?: RecipeName }) => {
      const recipe: Recipe | undefined = options.with && RECIPES[options.with];
      const into = options.with === undefined ? folder : join(folder, options.with);
      const copies = recipe
        ? filesOfRecipe(recipe)
        : Object.entries(FILES).map(([from, to]): Copy => ({ from: packagePath(join('init', from)), to }));
      const there = copies.map(({ to }) => to).filter((name) => existsSync(join(into, name)));
      if (there.length > 0) {
        throw new ConfigurationError(
          `${resolve(into)} already has ${there.join(', ')}, so nothing was written; choose another folder, or move them away`,
        );
      }
      for (const { from, to } of copies) {
        const path = join(into, to);
        await mkdir(dirname(path), { recursive: true });
        // A file that was created in the meantime is not overwritten.
        await copyFile(from, path, constants.COPYFILE_EXCL);
        terminal.print(`wrote ${path}`);
      }
      const steps = recipe?.next ?? [
        ...(resolve(folder) === resolve('.') ? [] : [`cd ${folder}`]),
        'Put your account and jobs into jobs.config.yaml.',
        'cp .env.example .env && chmod 600 .env, and put your token and database into it.',
        'set -a; . ./.env; set +a',
        'docker compose up -d, if you have no Postgres.',
        asTyped('searchmill migrate && searchmill check && searchmill start'),
      ];
      terminal.print(`\nNext:\n${steps.map((step, at) => `  ${at + 1}. ${step}`).join('\n')}`);
    });
}

/** Throws ConfigurationError where the package has no recipes, as in the container image. */
function filesOfRecipe({ from }: Recipe): Copy[] {
  return Object.entries(from).flatMap(([place, name]): Copy[] => {
    const path = packagePath(place);
    if (!existsSync(path)) throw new ConfigurationError(`the recipes are in the npm package, and not here: there is no ${path}`);
    if (statSync(path).isFile()) return [{ from: path, to: name }];
    const files = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((file) => statSync(join(path, file)).isFile());
    return files.toSorted(compareText).map((file) => ({ from: join(path, file), to: join(name, file) }));
  });
}

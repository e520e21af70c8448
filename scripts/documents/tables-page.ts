// docs/tables.md: the seven tables for those who query them. The service's columns come from src/datasets, Searchmill's
// own from the migrations that make and describe them.
import { readdirSync, readFileSync } from 'node:fs';
import type { Dataset } from '../../src/datasets/dataset.ts';
import { operationPath } from '../../src/datasets/dataset.ts';
import { DATASETS } from '../../src/datasets/index.ts';
import { code, page, table } from './markdown.ts';

const MIGRATIONS = new URL('../../migrations/', import.meta.url);

export function tablesPage(): string {
  return page([
    '# Tables',
    'Seven tables in the schema `search`, one per dataset, each with the columns of the service under its names and in its order. ' +
      'A week appears in a table as a whole or not at all; how complete each job is, is in the schema `searchmill`.',
    'Columns marked **key** are the identity of a row: they say which row it is, and together make its `_key`. All others are what was ' +
      'measured or how things are called, and may change when the service restates a week.',
    'Columns marked *list* hold several items separated by commas, as the service sends them. Each table with such columns has a view, ' +
      'named like the table with `_arrays` after it, that offers them as arrays: items without blanks around them, and an empty array for an ' +
      'empty text. A name may hold a comma itself. Where `keyword_group_names` are not as many as `keyword_group_ids` the array is NULL, since ' +
      'nobody can tell where names end; so it is where identifiers are no integers. `prompt_group_names` have no identifiers to be ' +
      'compared with: a name with a comma is several items there.',
    table(
      ['Table', 'Dataset', 'One row is'],
      DATASETS.map(({ name, title, grain }) => [`[\`search.${name}\`](#${name})`, title, grain]),
    ),
    ...DATASETS.flatMap(datasetBlocks),
    "## Searchmill's own columns",
    'At the end of every table. No column of the service begins with `_`.',
    table(['Column', 'Type', 'Meaning'], ownColumns()),
  ]);
}

function datasetBlocks(dataset: Dataset): string[] {
  const rows = dataset.columns.map(({ name, pg, isIdentity, items, comment }, index) => [
    String(index + 1),
    code(name),
    pg,
    [isIdentity ? '**key**' : '', items ? '*list*' : ''].filter(Boolean).join(', '),
    comment,
  ]);
  return [
    `## ${dataset.name}`,
    `${dataset.title} (${dataset.tag}). ${dataset.grain}`,
    `From ${code(`POST {base_url}${operationPath(dataset)}`)}; ${dataset.columns.length} columns.`,
    table(['#', 'Column', 'Type', '', 'Meaning'], rows),
  ];
}

/** Name, type and comment of the columns the migrations add to the first table; every table has the same. */
function ownColumns(): string[][] {
  const files = readdirSync(MIGRATIONS).sort();
  const sql = files.map((file) => readFileSync(new URL(file, MIGRATIONS), 'utf8')).join('\n');
  const [first] = DATASETS;
  // The last comment on a column holds.
  const comments = new Map<string, string>();
  for (const [, name, column = '', comment = ''] of sql.matchAll(/^COMMENT ON COLUMN search\.(\w+)\.(_\w+) IS '((?:[^']|'')*)';$/gm)) {
    if (name === first?.name) comments.set(column, comment.replaceAll("''", "'"));
  }
  return [...comments].map(([column, comment]) => {
    const type = new RegExp(`^ +${column} +(\\w+)`, 'm').exec(sql)?.[1];
    if (!type) throw new Error(`a migration comments on ${column}, but none makes it`);
    return [code(column), type, comment];
  });
}

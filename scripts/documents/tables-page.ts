// docs/tables.md: the seven tables for those who query them, and what analysts ask (questions.md).
import { readFileSync } from 'node:fs';
import type { Dataset } from '../../src/datasets/dataset.ts';
import { DATASETS } from '../../src/datasets/index.ts';
import { code, page, table } from './markdown.ts';
import { OWN_COLUMNS } from './warehouse-schema.ts';

export function tablesPage(): string {
  return page([
    '# Tables',
    'For those who query the warehouse. The schema `search` has one table per dataset, with the columns of the service under its names and ' +
      'in its order; `\\d+` in psql shows them, too. `search_reports.weeks` tells which weeks are whole, `searchmill.coverage` how far each job is.',
    'Columns in **bold** identify a row and make its `_key`. The others may change when the service restates a week.',
    'Columns marked *list* hold items separated by commas. The view `<table>_arrays` offers them as arrays: no blanks around items, an empty ' +
      'array for an empty text. A name may hold a comma: where `keyword_group_names` are not as many as `keyword_group_ids`, or ids are no ' +
      'integers, the array is NULL; in `prompt_group_names` such a name becomes several items.',
    ...DATASETS.flatMap(datasetBlocks),
    readFileSync(new URL('questions.md', import.meta.url), 'utf8').trim(),
    '## Columns',
    'The specification says no more about their meaning than this.',
    columnList(),
    "## Searchmill's own columns",
    'At the end of every table. No column of the service begins with `_`.',
    table(
      ['Column', 'Type', 'Meaning'],
      OWN_COLUMNS.map(({ name, type, comment }) => [code(name), type.replace(' NOT NULL', ''), comment]),
    ),
  ]);
}

function datasetBlocks(dataset: Dataset): string[] {
  const columns = dataset.columns.map(({ name, isIdentity }) => (isIdentity ? `**${code(name)}**` : code(name)));
  return [`## ${dataset.name}`, `${dataset.grain} ${columns.length} columns:`, columns.join(', ')];
}

/** Said of so many columns that the page says it once. */
const UNSAID = /; the specification does not say [^.]*/;

/** Every column once, with its type and meaning; twice where two datasets differ. */
function columnList(): string {
  const lines = DATASETS.flatMap(({ columns }) =>
    columns.map(({ name, pg, items, comment }) => `- ${code(name)} ${pg}${items ? ', *list*' : ''}: ${comment.replace(UNSAID, '')}`),
  );
  return [...new Set(lines)].sort().join('\n');
}

// docs/tables.md: the seven tables for people who query them, and questions that analysts ask (questions.md).
import { readFileSync } from 'node:fs';
import type { Dataset } from '../../src/datasets/dataset.ts';
import { DATASETS } from '../../src/datasets/index.ts';
import { code, page, table } from './markdown.ts';
import { OWN_COLUMNS } from './warehouse-schema.ts';

export function tablesPage(): string {
  return page([
    '# Tables',
    "For people who query the warehouse. The schema `search` has one table per dataset, with the names and the order of the service's columns; " +
      '`\\d+` in psql shows them, too. `search_reports.weeks` says which weeks are whole, `searchmill.coverage` the state of each job and week.',
    'Columns in **bold** identify a row and form its `_key`. The others may change when the service restates a week.',
    'Columns marked *list* hold items separated by commas. The view `<table>_arrays` has them as arrays: without blanks around items, and with an empty ' +
      'array for an empty text. A name may contain a comma: if the number of `keyword_group_names` differs from that of `keyword_group_ids`, or ids are not ' +
      'integers, the array is NULL; in `prompt_group_names` such a name becomes several items.',
    ...DATASETS.flatMap(datasetBlocks),
    readFileSync(new URL('questions.md', import.meta.url), 'utf8').trim(),
    '## Columns',
    'This is all that the specification says about their meaning.',
    columnList(),
    "## Searchmill's own columns",
    'They are at the end of every table. No column of the service begins with `_`.',
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

/** A remark on so many columns that the page makes it only once. */
const UNSAID = /; the specification does not say [^.]*/;

/** Every column once, with its type and meaning; twice if two datasets differ. */
function columnList(): string {
  const lines = DATASETS.flatMap(({ columns }) =>
    columns.map(({ name, pg, items, comment }) => `- ${code(name)} ${pg}${items ? ', *list*' : ''}: ${comment.replace(UNSAID, '')}`),
  );
  return [...new Set(lines)].sort().join('\n');
}

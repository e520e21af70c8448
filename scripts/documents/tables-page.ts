// docs/tables.md: the seven tables for people who query them, and questions that analysts ask (questions.md).
import { readFileSync } from 'node:fs';
import { readMeasures } from '../../src/dashboards/measures.ts';
import type { Dataset } from '../../src/datasets/dataset.ts';
import { DATASETS } from '../../src/datasets/index.ts';
import { code, page, table } from './markdown.ts';
import { viewOf } from './measure-views.ts';
import { OWN_COLUMNS } from './warehouse-schema.ts';

export function tablesPage(): string {
  return page([
    '# Tables',
    ...figureBlocks(),
    '## The seven tables',
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
    'Behind them are columns that an operator has [promoted](operations.md#promoted-columns) from keys of `_extra`: `search_reports.promoted_columns` lists those of your warehouse.',
  ]);
}

/** What most readers come for: figures, before the rows that they are made from. */
function figureBlocks(): string[] {
  return [
    '## Figures',
    'Most questions are about figures, and these need no table: the schema `search_reports` has each measure as a view to sum, and all of them as points to draw. ' +
      'Both give what the boards show, to the digit, and have no value where the rows do not tell, never 0. [In ten minutes to a chart](bi.md).',
    '**`search_reports.measure_<name>`** has one row per tracked search or prompt and week, with the columns that name and describe it, `part` and `whole`. ' +
      'Whatever you choose and group by, `sum(part) / nullif(sum(whole), 0)` is the level: times 100 in percent. Where a row does not show the measure, both are NULL ' +
      'and `reason` says why; a week without any has one such row. Choose `account_id` and `week`, so that little is read.',
    table(
      ['View', 'Rows are tracked', 'Level', 'In', 'Better'],
      readMeasures().map(({ name, title, explained, of, unit, better }) => [
        code(viewOf({ name })),
        of,
        `**${title}**: ${explained}`,
        unit === '%' ? '%' : 'places',
        better,
      ]),
    ),
    "Boards show unbranded prompts unless others are chosen: `prompt_type = 'unbranded'`. Views of searches have the first ten places by standard rank, and weigh " +
      'a search by its volume. Names of web properties are in `search_reports.web_properties`.',
    '```sql\nSELECT week, assistant, 100 * sum(part) / nullif(sum(whole), 0) AS mention_rate\n  FROM search_reports.measure_mention_rate\n' +
      " WHERE account_id = 12345 AND prompt_type = 'unbranded' AND week >= '2026-08-30'\n GROUP BY week, assistant ORDER BY week, assistant;\n```",
    '**`search_reports.points`** has one row per point of a chart: measure, account, week, what it is grouped by (`grouped_by`) and the line, its `value` with the 95 % interval ' +
      '(`low`, `high`), how many searches or prompts count (`n`), the change against the week before like for like with its `matched_share`, and the `reason` of a gap. ' +
      'Do not sum values, nor average them. Choose one `grouped_by` (`search_reports.point_groupings` lists them): each shows the same again.',
    "```sql\nSELECT week, line, value, low, high, like_for_like, reason\n  FROM search_reports.points\n WHERE account_id = 12345 AND measure = 'visibility' AND grouped_by = 'device' " +
      "AND week >= '2026-08-30'\n ORDER BY line, week;\n```",
    '`search_reports.measure_states` has a state of each measure, account and week, which is another one whenever the figures of the week may be: whoever keeps copies replaces ' +
      'the weeks whose state has changed, as the [dbt package](../dbt/README.md) does.',
  ];
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

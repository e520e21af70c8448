// migrations/repeatable/38_measure_views.sql: a view of each measure for people who sum in their own tools, from its declaration in dashboards/measures.
import { type Measure, readMeasures } from '../../src/dashboards/measures.ts';
import { literal, quote } from './sql-literals.ts';

export type UnitColumn = Readonly<{ name: string; description: string }>;

/** What names a unit and what it can be grouped by, in the order of the views. */
export const UNIT_COLUMNS: Readonly<Record<Measure['of'], readonly UnitColumn[]>> = {
  searches: [
    { name: 'unit', description: 'Names the tracked search, the same in every week. NULL in the one row of a week that has none.' },
    { name: 'web_property_id', description: 'Web property; search_reports.web_properties has its name.' },
    { name: 'keyword', description: 'The keyword.' },
    { name: 'engine', description: 'Search engine, such as GOOGLE.' },
    { name: 'country', description: 'Country code of the search engine.' },
    { name: 'language', description: 'Language code of the search engine.' },
    { name: 'locode', description: 'Location code.' },
    { name: 'device', description: 'Device, such as DESKTOP or SMARTPHONE.' },
    {
      name: 'keyword_groups',
      description: 'Names of its keyword groups. A search in several groups counts in each: do not sum over groups.',
    },
    { name: 'volume', description: 'Average monthly searches, else their approximate number; NULL without either.' },
  ],
  prompts: [
    { name: 'unit', description: 'Names the tracked prompt, the same in every week. NULL in the one row of a week that has none.' },
    { name: 'web_property_id', description: 'Web property; search_reports.web_properties has its name.' },
    { name: 'assistant', description: 'AI search engine, as aliases spell it.' },
    { name: 'country', description: 'Country: what the location code begins with, in upper case.' },
    { name: 'locode', description: 'Location code, as aliases spell it.' },
    { name: 'language', description: 'Language, as aliases spell it.' },
    { name: 'persona', description: 'Persona.' },
    { name: 'topic', description: 'Topic of the prompt in this week.' },
    { name: 'intent', description: 'Intent of the prompt in this week.' },
    { name: 'prompt', description: 'The prompt.' },
    { name: 'prompt_type', description: 'Kind of prompt in lower case. Boards show unbranded ones unless others are chosen.' },
    {
      name: 'prompt_groups',
      description: 'Names of its prompt groups. A prompt in several groups counts in each: do not sum over groups.',
    },
  ],
};

export const viewOf = ({ name }: Pick<Measure, 'name'>): string => `measure_${name}`;

/** Throws ConfigurationError for a faulty declaration. */
export function measureViewsSql(): string {
  return `-- A view of each measure for tools that sum by themselves: a row is a tracked search or prompt of a week, with its part and its whole.
-- Whatever is chosen or grouped, sum(part) / nullif(sum(whole), 0) is the level that boards show. Rows that do not show the measure have
-- neither part nor whole, and say why.
-- Generated from dashboards/measures by "npm run generate".
-- The functions of units are called for one week at a time, so that a condition on account_id and week is one on what is read.
${readMeasures().map(viewSql).join('')}${columnComments()}`;
}

function viewSql(measure: Measure): string {
  const { of, name, title, explained, unit, sql } = measure;
  const named = UNIT_COLUMNS[of].map((column) => `k.${column.name}`);
  const isDoubted = / AS doubt$/.test(sql);
  const view = `search_reports.${viewOf(measure)}`;
  const comment =
    `${title}: ${explained} ${unit === '%' ? '100 * ' : ''}sum(part) / nullif(sum(whole), 0) is the level of any choice and grouping of its rows, ` +
    `which boards show${of === 'searches' ? ' for the first ten places by standard rank, by volume' : ''}. Choose account_id and week.`;
  const isUnsure = 'k.doubt IS NOT NULL AND coalesce(k.part, 0) = 0';
  return `
CREATE OR REPLACE VIEW ${view} AS
SELECT a.account_id, w.week, ${named.slice(0, 7).join(', ')},
       ${named.slice(7).join(', ')},
       CASE WHEN w.gap IS NULL AND k.whole IS NOT NULL${
         isDoubted
           ? `
             AND NOT (${isUnsure})`
           : ''
       } THEN coalesce(k.part, 0) END AS part,
       CASE WHEN w.gap IS NULL THEN k.whole END AS whole,
       coalesce(w.gap, k.lacks,
                CASE WHEN k.whole IS NULL THEN ${quote(measure.empty)}${
                  isDoubted
                    ? `
                     WHEN ${isUnsure} THEN k.doubt`
                    : ''
                } END) AS reason
  FROM search_reports.accounts a
 CROSS JOIN LATERAL search_reports.measure_weeks(${quote(name)}, a.account_id, NULL) AS w
  LEFT JOIN LATERAL (
       SELECT u.*, m.part::double precision AS part, CASE WHEN m.lacks IS NULL THEN m.whole::double precision END AS whole, m.lacks${
         isDoubted
           ? `,
              -- A zero is certain only in a week without any doubt.
              min(m.doubt) OVER () AS doubt`
           : ''
       }
         FROM search_reports.${of}(search_reports.all_of(a.account_id), ARRAY[w.week]) AS u
        CROSS JOIN LATERAL (
        ${sql.replaceAll('\n', '\n        ')}
        ) AS m) AS k ON true
 WHERE w.week IS NOT NULL;
COMMENT ON VIEW ${view} IS
  ${literal(comment)};
`;
}

/** Views have most columns in common, so each is described once. */
function columnComments(): string {
  const own = [
    { name: 'account_id', description: 'Account.' },
    { name: 'week', description: 'Sunday that begins the week.' },
    { name: 'part', description: 'What counts for the measure; NULL where the rows do not show it.' },
    { name: 'whole', description: 'What it is a part of; NULL where the rows do not show it, so that a sum leaves them out.' },
    { name: 'reason', description: 'Why there is no part or whole; NULL if there are both.' },
  ];
  const described = (of: Measure['of']): string => {
    const views = readMeasures().filter((measure) => measure.of === of);
    const columns = [...own, ...UNIT_COLUMNS[of]].map(({ name, description }) => `             (${quote(name)}, ${literal(description)})`);
    return `    SELECT v.name, c.name AS column, c.description
      FROM unnest(${literal(`{${views.map(viewOf).join(',')}}`)}::text[]) AS v (name),
           (VALUES
${columns.join(',\n')}
           ) AS c (name, description)`;
  };
  return `
DO $$
DECLARE
  described record;
BEGIN
  FOR described IN
${described('searches')}
     UNION ALL
${described('prompts')}
  LOOP
    EXECUTE format('COMMENT ON COLUMN search_reports.%I.%I IS %L', described.name, described.column, described.description);
  END LOOP;
END
$$;
`;
}

// migrations/repeatable/27_measures.sql: the declarations of dashboards/measures as rows that functions of the database read.
import { readMeasures } from '../../src/dashboards/measures.ts';
import { literal, quote } from './sql-literals.ts';

const MEANING = `The measures: name, title, unit, whether higher or lower is better, the units that they are sums over (searches or prompts), the datasets that they need, the reason of a gap where there is nothing, what it means in a sentence, and part, whole, lacks (why a unit does not count) and doubt (why a 0 is not certain) as expressions over the columns of the units.`;

/** Throws ConfigurationError for a faulty file. */
export function measuresSql(): string {
  const rows = readMeasures().map(({ name, title, explained, unit, better, of, datasets, empty, sql }) => {
    const declared = [name, title, unit, better, of, `{${datasets.join(',')}}`, empty].map(quote).join(', ');
    return `${declared},\n ${literal(explained).replaceAll('\n  ', '\n ')},\n ${quote(/ AS doubt$/.test(sql) ? sql : `${sql},\n       NULL AS doubt`)}`;
  });
  return `-- The measures: each is a part of a whole over units, as its file in dashboards/measures declares it.
-- Generated from dashboards/measures by "npm run generate".

CREATE OR REPLACE FUNCTION search_reports.measures()
RETURNS TABLE (name text, title text, unit text, better text, units text, datasets text[], empty text, explained text, expressions text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS ${rows.length}
BEGIN ATOMIC
  SELECT m.name, m.title, m.unit, m.better, m.units, m.datasets::text[], m.empty, m.explained, m.expressions
    FROM (VALUES
${rows.map((row) => `      (${row})`.replaceAll('\n', '\n       ')).join(',\n')}
    ) AS m (name, title, unit, better, units, datasets, empty, explained, expressions);
END;
COMMENT ON FUNCTION search_reports.measures IS
  ${literal(MEANING)};
`;
}

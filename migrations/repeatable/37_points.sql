-- Points of charts for tools that draw and do not sum: each is a level of a measure as boards show it, with what belongs to it.
-- levels is called for one week and the week before it at a time, so that conditions on account_id, measure, grouped_by and week
-- are ones on what is read.

CREATE OR REPLACE VIEW search_reports.web_properties AS
SELECT a.account_id, a.account_name, p.web_property_id,
       search_reports.web_property_name(a.account_id, p.web_property_id, p.weeks) AS web_property_name
  FROM search_reports.accounts a
 CROSS JOIN LATERAL (
       SELECT nullif(c.value, '(none)')::bigint AS web_property_id, array_agg(DISTINCT c.week ORDER BY c.week DESC) AS weeks
         FROM search_reports.choices('web_property', a.account_id) AS c GROUP BY 1) AS p
 WHERE p.web_property_id IS NOT NULL;
COMMENT ON VIEW search_reports.web_properties IS 'Web properties of the newest 13 weeks of each account, with their names.';
COMMENT ON COLUMN search_reports.web_properties.account_id IS 'Account.';
COMMENT ON COLUMN search_reports.web_properties.account_name IS 'Its name in its newest rows that have one.';
COMMENT ON COLUMN search_reports.web_properties.web_property_id IS 'Web property.';
COMMENT ON COLUMN search_reports.web_properties.web_property_name IS 'Its name in its newest rows that have one; NULL if none have.';

CREATE OR REPLACE VIEW search_reports.point_groupings AS
SELECT m.name AS measure, m.title, m.unit, m.better, g.grouped_by, g.is_shared,
       -- As boards choose when nothing else is chosen.
       CASE WHEN m.units = 'prompts' AND g.grouped_by <> 'prompt_type' THEN 'unbranded' END AS prompt_type
  FROM search_reports.measures() AS m
  JOIN (SELECT 'searches' AS units, false AS is_shared,
               unnest('{all,web_property_id,engine,country,language,device,market,keyword_group}'::text[]) AS grouped_by
         UNION ALL
        SELECT 'searches', true, 'place_class'
         UNION ALL
        SELECT 'prompts', false,
               unnest('{all,web_property_id,assistant,country,language,persona,topic,intent,prompt_type,prompt_group}'::text[])) AS g
    ON g.units = m.units AND g.is_shared = (m.name = 'tracked')
 -- These are wholes, of which nothing but all is a part.
 WHERE m.name NOT IN ('first_places', 'citations');
COMMENT ON VIEW search_reports.point_groupings IS 'What search_reports.points has: the measures, and the columns of tracked searches '
  'and prompts that each is grouped by.';
COMMENT ON COLUMN search_reports.point_groupings.measure IS 'Measure.';
COMMENT ON COLUMN search_reports.point_groupings.title IS 'Its title.';
COMMENT ON COLUMN search_reports.point_groupings.unit IS 'Unit of its values: % or place.';
COMMENT ON COLUMN search_reports.point_groupings.better IS 'Whether higher or lower is better.';
COMMENT ON COLUMN search_reports.point_groupings.grouped_by IS 'What each line is one of; all: one line for everything.';
COMMENT ON COLUMN search_reports.point_groupings.is_shared IS 'Whether all lines are parts of one whole, so that they add up to 100 %.';
COMMENT ON COLUMN search_reports.point_groupings.prompt_type IS 'The kind of prompts that count; NULL for all.';

CREATE OR REPLACE VIEW search_reports.points AS
WITH lines AS NOT MATERIALIZED (
  SELECT g.measure, g.title, g.unit, g.better, a.account_id, a.account_name, w.week, g.grouped_by,
         coalesce(nullif(l.line, ''), 'all') AS line, l.level, l.low, l.high, l.units, l.like_for_like, l.matched, l.reason
    FROM search_reports.point_groupings g
   CROSS JOIN search_reports.accounts a
   CROSS JOIN LATERAL search_reports.measure_weeks(g.measure, a.account_id, NULL) AS w
   CROSS JOIN LATERAL search_reports.levels(g.measure, nullif(g.grouped_by, 'all'), search_reports.all_of(a.account_id, g.prompt_type),
                                            format('%s..%s', w.week - 7, w.week)) AS l
   WHERE l.week = w.week AND NOT g.is_shared
   UNION ALL
  -- A line of any week is one of all weeks, and 0 where it has nothing.
  SELECT g.measure, g.title, g.unit, g.better, a.account_id, a.account_name, l.week, g.grouped_by, l.line, l.level, l.low, l.high, l.units,
         l.like_for_like, l.matched, l.reason
    FROM search_reports.point_groupings g
   CROSS JOIN search_reports.accounts a
   CROSS JOIN LATERAL search_reports.levels(g.measure, g.grouped_by, search_reports.all_of(a.account_id, g.prompt_type), NULL, true) AS l
   WHERE g.is_shared AND l.week IS NOT NULL
)
SELECT l.measure, l.title, l.unit, l.better, l.account_id, l.account_name, p.web_property_id, p.web_property_name, l.week,
       l.grouped_by, l.line, l.level::double precision AS value, l.low::double precision AS low, l.high::double precision AS high,
       l.units AS n, l.like_for_like::double precision AS like_for_like, (100 * l.matched)::double precision AS matched_share,
       l.matched < 0.8 AS is_break, l.reason
  FROM lines l
  LEFT JOIN search_reports.web_properties p ON p.account_id = l.account_id AND p.web_property_id::text = l.line
 WHERE l.grouped_by = 'web_property_id'
UNION ALL
SELECT l.measure, l.title, l.unit, l.better, l.account_id, l.account_name, NULL, NULL, l.week, l.grouped_by, l.line,
       l.level::double precision, l.low::double precision, l.high::double precision, l.units,
       l.like_for_like::double precision, (100 * l.matched)::double precision, l.matched < 0.8, l.reason
  FROM lines l
 WHERE l.grouped_by <> 'web_property_id';
COMMENT ON VIEW search_reports.points IS 'One row is one point of a chart, as boards show it when nothing is chosen but the account: of '
  'the first ten places by standard '
  'rank, by volume, and of unbranded prompts. Do not sum and do not average values: search_reports.measure_* are for sums. '
  'Choose account_id, measure, grouped_by and week.';
COMMENT ON COLUMN search_reports.points.measure IS 'Measure, as search_reports.point_groupings names it.';
COMMENT ON COLUMN search_reports.points.title IS 'Title of the measure.';
COMMENT ON COLUMN search_reports.points.unit IS 'Unit of value: % or place.';
COMMENT ON COLUMN search_reports.points.better IS 'Whether higher or lower is better.';
COMMENT ON COLUMN search_reports.points.account_id IS 'Account.';
COMMENT ON COLUMN search_reports.points.account_name IS 'Its name in its newest rows that have one.';
COMMENT ON COLUMN search_reports.points.web_property_id IS 'Web property, where grouped_by is web_property_id.';
COMMENT ON COLUMN search_reports.points.web_property_name IS 'Its name in its newest rows that have one.';
COMMENT ON COLUMN search_reports.points.week IS 'Sunday that begins the week.';
COMMENT ON COLUMN search_reports.points.grouped_by IS 'What the line is one of, such as assistant; all: one line for everything. Choose '
  'one, since others show the same again.';
COMMENT ON COLUMN search_reports.points.line IS 'The line of the chart: a value of what it is grouped by, (none) without one; all for '
  'everything.';
COMMENT ON COLUMN search_reports.points.value IS 'The level of the measure. Do not sum. NULL is a gap, never 0: reason says why.';
COMMENT ON COLUMN search_reports.points.low IS 'Lower end of the 95 % interval of the value.';
COMMENT ON COLUMN search_reports.points.high IS 'Upper end of the 95 % interval of the value.';
COMMENT ON COLUMN search_reports.points.n IS 'Tracked searches or prompts that count.';
COMMENT ON COLUMN search_reports.points.like_for_like IS 'Change against the week before, over the searches or prompts that both weeks '
  'have; NULL without any.';
COMMENT ON COLUMN search_reports.points.matched_share IS 'How much of the whole these are, in percent.';
COMMENT ON COLUMN search_reports.points.is_break IS 'Whether less than 80 % are the same as the week before: a line breaks there.';
COMMENT ON COLUMN search_reports.points.reason IS 'Why there is no value; with a value, what it lacks. NULL if nothing.';

-- Whose names and sites are ours, and whether searches have volumes, decides about all weeks of an account; what kind a prompt is, rows of
-- earlier weeks. In PL/pgSQL: Citus runs each of its queries on the node that has the account.
CREATE OR REPLACE FUNCTION search_reports.figure_settings(account bigint) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  sites text := (SELECT string_agg(o.domain, ' ' ORDER BY o.domain) FROM search_reports.own_domains o
                  WHERE o.account_id = account AND o.is_counted);
  brands text := (SELECT concat_ws(' ', b.own_names, b.rival_names, b.spellings) FROM search_reports.brands b WHERE b.account_id = account);
  names text := (SELECT string_agg(n.name, ' ' ORDER BY n.name) FROM search_reports.own_brand_names n WHERE n.account_id = account);
BEGIN
  RETURN concat_ws(' ', sites, names, brands, search_reports.aliases_of(account), search_reports.has_volumes(account));
END
$$;
COMMENT ON FUNCTION search_reports.figure_settings IS
  'What figures of all weeks of an account depend on: own sites and names, names that are looked for in answers, aliases, whether '
  'searches have volumes.';

CREATE OR REPLACE VIEW search_reports.measure_states AS
WITH accounts AS MATERIALIZED (
  SELECT a.account_id, search_reports.figure_settings(a.account_id) AS settings FROM search_reports.accounts a
)
SELECT m.name AS measure, a.account_id, w.week, w.gap,
       md5(concat_ws(' ', a.settings, w.gap, w.note, max(c.ledger) OVER earlier, max(c.cursor) OVER earlier)) AS state
  FROM search_reports.measures() AS m
 CROSS JOIN accounts a
 CROSS JOIN LATERAL search_reports.measure_weeks(m.name, a.account_id, NULL) AS w
  LEFT JOIN (SELECT l.account_id, l.week, l.dataset LIKE 'ai\_search\_%' AS is_of_prompts, max(l.cursor) AS cursor, max(l.ledger) AS ledger
               FROM search_reports.changed_weeks l WHERE l.dataset = ANY (search_reports.summarised_datasets()) GROUP BY 1, 2, 3) AS c
    ON c.account_id = a.account_id AND c.week = w.week AND c.is_of_prompts = (m.units = 'prompts')
 WHERE w.week IS NOT NULL
WINDOW earlier AS (PARTITION BY m.name, a.account_id ORDER BY w.week);
COMMENT ON VIEW search_reports.measure_states IS
  'Measure x account x week: a state that is another one whenever the figures of the week may be. '
  'Whoever keeps copies of search_reports.measure_* replaces the weeks whose state has changed, and removes those that are '
  'not listed any more.';
COMMENT ON COLUMN search_reports.measure_states.measure IS 'Measure.';
COMMENT ON COLUMN search_reports.measure_states.account_id IS 'Account.';
COMMENT ON COLUMN search_reports.measure_states.week IS 'Sunday that begins the week.';
COMMENT ON COLUMN search_reports.measure_states.gap IS 'Why the week has no figure; NULL if it has one.';
COMMENT ON COLUMN search_reports.measure_states.state IS 'Differs whenever the figures may.';

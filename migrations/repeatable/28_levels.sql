-- Levels of measures by week and line, and how much of each week is the same as in the week before. docs/dashboards.md says what each
-- column means. What does not depend on the choices is planned once a session (force_generic_plan); statements over units are planned for
-- their choices each time.

CREATE OR REPLACE FUNCTION search_reports.measure_weeks(measure text, account bigint, span text) RETURNS TABLE (week date, gap text,
    note text)
LANGUAGE plpgsql STABLE ROWS 52 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
  needed text[] := (SELECT m.datasets FROM search_reports.measures() AS m WHERE m.name = measure);
  facts  text   := (SELECT CASE m.units WHEN 'prompts' THEN 'answers' ELSE 'rankings' END FROM search_reports.measures() AS m
                    WHERE m.name = measure);
BEGIN
  IF needed IS NULL THEN
    RAISE EXCEPTION 'there is no measure "%"; they are %', measure, (SELECT string_agg(m.name, ', ') FROM search_reports.measures() AS m);
  END IF;
  RETURN QUERY
  WITH unsent AS MATERIALIZED (
    -- Figures count by these columns: without them in any load of the week there are none.
    SELECT r.dataset, r.week, 'the service did not send ' || string_agg(DISTINCT u.name, ', ') AS gap
      FROM search_reports.requests r LEFT JOIN LATERAL unnest(r.unsent) AS u (name) ON true
     WHERE r.account_id = account AND r.dataset = ANY (needed)
     GROUP BY r.dataset, r.week
    HAVING bool_and(r.unsent IS NOT NULL)
  ), known AS MATERIALIZED (
    SELECT d.place, replace(replace(d.dataset, 'ai_search_', ''), '_', ' ') AS named, w.week, coalesce(w.gap, u.gap) AS gap, w.note
      FROM unnest(needed) WITH ORDINALITY AS d (dataset, place)
     CROSS JOIN LATERAL search_reports.newest_weeks(d.dataset, account, CASE d.place WHEN 1 THEN span END) AS w
      LEFT JOIN unsent u ON u.dataset = d.dataset AND u.week = w.week
  )
  SELECT f.week,
         coalesce(f.gap, CASE WHEN k.week IS NOT NULL THEN 'being summarised' END,
                  (SELECT string_agg(coalesce(o.named || ' ' || o.gap, replace(replace(d, 'ai_search_', ''), '_',
                                                                               ' ') || ' are not there'), '; ' ORDER BY p)
                     FROM unnest(needed[2:]) WITH ORDINALITY AS others (d, p) LEFT JOIN known o ON o.place = p + 1 AND o.week = f.week
                    WHERE o.week IS NULL OR o.gap IS NOT NULL)),
         nullif(concat_ws('; ', f.note, (SELECT string_agg(o.named || ' ' || o.note, '; ' ORDER BY o.place) FROM known o WHERE o.place > 1
                                         AND o.week = f.week)), '')
    FROM known f
    LEFT JOIN search_reports.marked_weeks k ON k.subject = facts AND k.account_id = account AND k.week = f.week AND NOT k.is_live
   WHERE f.place = 1;
  IF NOT FOUND THEN
    gap := search_reports.no_week(needed[1], account, span);
    RETURN NEXT;
  END IF;
END
$$;
COMMENT ON FUNCTION search_reports.measure_weeks IS 'The weeks of a measure in a span (see search_reports.span_of): gap says why a week '
  'has no figure, in any of the datasets that it needs; note what it lacks. Without any week there is one row, whose gap says why. Raises '
  'an error for an unknown measure.';

CREATE OR REPLACE FUNCTION search_reports.scale_of(measure text) RETURNS numeric
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET plan_cache_mode = force_generic_plan SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN (SELECT CASE m.unit WHEN '%' THEN 100 ELSE 1 END FROM search_reports.measures() AS m WHERE m.name = measure);
END
$$;
COMMENT ON FUNCTION search_reports.scale_of IS 'What turns a part of a whole into the unit of a measure: 100 for percent, else 1.';

-- The column of a unit that a grouping goes by, as text; a unit in several groups is one of each.
CREATE OR REPLACE FUNCTION search_reports.line_of(by text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN by IS NULL THEN $$''$$
            WHEN by = 'market' THEN $$concat_ws(', ', coalesce(lower(nullif(u.device, '') COLLATE "C"), '(none)'),
                                                coalesce(nullif(u.country, ''), '(none)'))$$
            WHEN by = 'place_class' THEN $$CASE WHEN u.place <= 1 THEN '1' WHEN u.place <= 3 THEN '2-3' WHEN u.place <= 10 THEN '4-10'
              WHEN u.place <= 20 THEN '11-20'
                                               WHEN u.place IS NOT NULL THEN 'beyond 20' WHEN u.own_results > 0 THEN 'without a place'
                                               WHEN u.last_loaded IS NOT NULL THEN 'not within ' || u.last_loaded ELSE 'absent' END$$
            WHEN by IN ('keyword_group', 'prompt_group') THEN 'l.item'
            ELSE format($$coalesce(nullif(u.%I::text, ''), '(none)')$$, by) END;
COMMENT ON FUNCTION search_reports.line_of IS 'The expression of a grouping: a column of the units, market (device and country), '
  'place_class, keyword_group or prompt_group; NULL makes one line, named by an empty text.';

-- The statement that reads the units of a measure: parameters are the choices, of search_reports.weighed, and the weeks.
CREATE OR REPLACE FUNCTION search_reports.units_statement(measure text, by text, across text DEFAULT NULL, source text DEFAULT NULL)
RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  m record;
BEGIN
  SELECT * INTO m FROM search_reports.measures() AS known WHERE known.name = measure;
  RETURN format(
    'SELECT u.week, u.unit, u.cut, %s AS line, %s AS across, %s AS cluster, m.part, CASE WHEN m.lacks IS NULL THEN m.whole END AS whole,
            m.lacks, m.doubt, %s AS units
       FROM %s AS u %s CROSS JOIN LATERAL (%s) AS m',
    search_reports.line_of(by), search_reports.line_of(across),
    CASE m.units WHEN 'searches' THEN 'coalesce(u.keyword, '''')' ELSE 'coalesce(u.prompt, '''')' END,
    CASE m.units WHEN 'searches' THEN '1' ELSE 'u.units' END, coalesce(source, search_reports.units_function(m.units) || '($1, $2)'),
    CASE WHEN by IN ('keyword_group', 'prompt_group')
         THEN format('CROSS JOIN LATERAL (SELECT DISTINCT unnest(CASE cardinality(u.%1$s) WHEN 0 THEN ARRAY[''(none)'']
                                                                 ELSE u.%1$s END) AS item) AS l', by || 's')
         ELSE '' END,
    m.expressions);
END
$$;
COMMENT ON FUNCTION search_reports.units_statement IS 'The SELECT of the units of a measure with their part and whole, by line, and by a '
  'second column (across): $1 are the choices, as search_reports.weighed gives them, $2 the weeks. source is what it reads, such as '
  'search_reports.prompts_source, where units is how many tracked prompts a row adds up.';

-- Counts are added up as what they are, and become numeric in the end, which is several times faster. Postgres does not know how many units
-- are chosen: hashing is never slow.
CREATE OR REPLACE FUNCTION search_reports.level_sums(measure text, by text, c search_reports.choices, weeks date[], shared boolean)
RETURNS TABLE (week date, line text, part numeric, whole numeric, units bigint, clusters bigint, wholes_squared float8,
               wholes_by_parts float8, parts_squared float8, cut text, kept_part numeric, kept_whole numeric, kept_part_before numeric,
               kept_whole_before numeric, lacking bigint, lacks text, doubt text)
LANGUAGE plpgsql STABLE ROWS 200 SET search_path = pg_catalog, pg_temp SET jit = off SET work_mem = '64MB' SET enable_sort = off
SET enable_mergejoin = off SET enable_nestloop = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  of_prompts boolean := (SELECT m.units = 'prompts' FROM search_reports.measures() AS m WHERE m.name = measure);
  has_periods boolean := false;
BEGIN
  -- A search may have several periods in a week; a tracked prompt has one row of facts.
  IF NOT of_prompts THEN
    EXECUTE 'SELECT EXISTS (SELECT f.week FROM search_reports.search_facts f WHERE f.account_id = $1 AND f.week = ANY ($2)
                             GROUP BY f.week HAVING min(f.period_start) <> max(f.period_start))' INTO has_periods USING c.account, weeks;
  END IF;
  RETURN QUERY EXECUTE format($query$
  WITH units AS MATERIALIZED (
    %s
  ), facts AS %s, sums AS (
    SELECT k.week, k.line, sum(k.part) AS part, sum(k.whole) AS whole, sum(k.units)::bigint AS units, count(*) AS clusters,
           sum(k.whole_size * k.whole_size) AS wholes_squared, sum(k.whole_size * k.part_size) AS wholes_by_parts,
           sum(k.part_size * k.part_size) AS parts_squared,
           max(k.cut) AS cut
      FROM (SELECT f.week, f.line, f.cluster, sum(f.part) AS part, sum(f.whole) AS whole, sum(f.units) AS units, max(f.cut) AS cut,
                   sum(f.part)::float8 AS part_size, sum(f.whole)::float8 AS whole_size
              FROM facts f GROUP BY f.week, f.line, f.cluster) AS k
     GROUP BY k.week, k.line
  ), pairs AS MATERIALIZED (
    -- Where lines share one whole, a unit may be in another line than before, and is the same.
    SELECT n.week, n.line, b.line AS line_before, sum(n.part) AS part, sum(n.whole) AS whole, sum(b.part) AS part_before,
           sum(b.whole) AS whole_before
      FROM facts n JOIN facts b ON b.unit = n.unit AND b.week = n.week - 7 %s
     GROUP BY n.week, n.line, b.line
  ), kept AS (
    SELECT t.week, t.line, sum(t.part) AS part, sum(t.whole) AS whole, sum(t.part_before) AS part_before,
           sum(t.whole_before) AS whole_before
      FROM (SELECT p.week, p.line, p.part, p.whole, 0 AS part_before, 0 AS whole_before FROM pairs p
             UNION ALL
            SELECT p.week, p.line_before, 0, 0, p.part_before, p.whole_before FROM pairs p) AS t
     GROUP BY t.week, t.line
  ), lacking AS (
    SELECT r.week, r.line, coalesce(sum(r.units) FILTER (WHERE r.lacks IS NOT NULL), 0)::bigint AS units, min(r.doubt) AS doubt,
           (array_agg(r.lacks ORDER BY r.units DESC, r.lacks) FILTER (WHERE r.lacks IS NOT NULL))[1] AS lacks
      FROM (SELECT u.week, u.line, u.lacks, sum(u.units) AS units, min(u.doubt) AS doubt FROM units u GROUP BY u.week, u.line, u.lacks) AS r
     GROUP BY r.week, r.line
  )
  SELECT coalesce(a.week, k.week), coalesce(a.line, k.line), s.part::numeric, s.whole::numeric, s.units, s.clusters,
         s.wholes_squared, s.wholes_by_parts, s.parts_squared, s.cut, k.part::numeric, k.whole::numeric, k.part_before::numeric,
         k.whole_before::numeric, a.units, a.lacks, a.doubt
    FROM lacking a
    FULL JOIN kept k ON k.week = a.week AND k.line = a.line
    LEFT JOIN sums s ON s.week = a.week AND s.line = a.line
  $query$, search_reports.units_statement(measure, by, NULL, CASE WHEN of_prompts
      THEN search_reports.prompts_source(c, ARRAY[by], weeks, ARRAY(SELECT w - 7 FROM unnest(weeks) AS w)) END),
    CASE WHEN NOT has_periods
         THEN 'NOT MATERIALIZED (SELECT u.* FROM units u WHERE u.whole IS NOT NULL)'
         ELSE 'MATERIALIZED (SELECT u.week, u.unit, u.cut, u.line, min(u.cluster) AS cluster, sum(u.part) AS part, sum(u.whole) AS whole,
                      1 AS units
                 FROM units u WHERE u.whole IS NOT NULL GROUP BY u.week, u.unit, u.cut, u.line)' END,
    -- Comparing texts takes most of the time of this join: prompts have no cut, and without a grouping there is one line.
    CASE WHEN of_prompts THEN '' ELSE 'AND b.cut = n.cut ' END || CASE WHEN by IS NULL THEN '' ELSE 'AND (b.line = n.line OR $3)' END)
    USING search_reports.weighed(c, measure), weeks, shared;
END
$$;
COMMENT ON FUNCTION search_reports.level_sums IS 'The sums that search_reports.levels is made of: those of the week, of its units that '
  'the week before has as well (kept, in either week), and how many units are left out (lacking), why, and what makes a 0 uncertain. '
  'lacking is NULL where the week has no unit of the line.';

-- shared: the lines are parts of one whole, such as classes of places. Otherwise each line has its own whole.
CREATE OR REPLACE FUNCTION search_reports.levels(measure text, by text, c search_reports.choices, span text, shared boolean DEFAULT false)
RETURNS TABLE (week date, line text, level numeric, low numeric, high numeric, part numeric, whole numeric, units bigint, clusters bigint,
               like_for_like numeric, matched numeric, reason text, question text)
LANGUAGE plpgsql STABLE ROWS 200 SET search_path = pg_catalog, pg_temp SET jit = off SET work_mem = '64MB'
SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
  scale   numeric := search_reports.scale_of(measure);
  nothing text := (SELECT m.empty FROM search_reports.measures() AS m WHERE m.name = measure);
BEGIN
  RETURN QUERY
  WITH frame AS MATERIALIZED (
    SELECT w.week, w.gap, w.note FROM search_reports.measure_weeks(measure, c.account, span) AS w WHERE w.week IS NOT NULL
  ), sums AS MATERIALIZED (
    SELECT s.* FROM search_reports.level_sums(measure, by, c, (SELECT array_agg(f.week) FROM frame f WHERE f.gap IS NULL), shared) AS s
  ), wholes AS MATERIALIZED (
    SELECT s.week, sum(s.whole) AS whole, sum(s.wholes_squared) AS squared, sum(s.kept_whole) AS kept_whole,
           sum(s.kept_whole_before) AS kept_whole_before
      FROM sums s WHERE shared GROUP BY s.week
  ), points AS (
    SELECT w.week, w.gap, w.note, l.line, s.part, coalesce(t.whole, s.whole) AS whole, s.units, s.clusters,
           coalesce(t.squared, s.wholes_squared) AS wholes_squared, s.wholes_by_parts, s.parts_squared, s.cut, s.lacks, s.lacking, s.doubt,
           coalesce(tb.whole, b.whole) AS before_whole, coalesce(s.kept_part, 0) AS kept_part,
           coalesce(t.kept_whole, s.kept_whole) AS kept_whole,
           coalesce(s.kept_part_before, 0) AS kept_part_before, coalesce(t.kept_whole_before, s.kept_whole_before) AS kept_whole_before
      FROM frame w
      LEFT JOIN (SELECT DISTINCT s.line FROM sums s WHERE s.lacking IS NOT NULL) AS l ON true
      LEFT JOIN sums s ON s.week = w.week AND s.line = l.line
      LEFT JOIN sums b ON b.week = w.week - 7 AND b.line = l.line
      LEFT JOIN wholes t ON t.week = w.week
      LEFT JOIN wholes tb ON tb.week = w.week - 7
  ), told AS (
    SELECT p.*, CASE WHEN g.no_level IS NULL THEN coalesce(p.part, 0) / p.whole END AS level, g.no_level,
           g.no_level IS NULL AND p.before_whole > 0 AS is_compared,
           p.kept_part / nullif(p.kept_whole, 0) - p.kept_part_before / nullif(p.kept_whole_before, 0) AS like_for_like,
           coalesce(least(p.kept_whole / nullif(p.whole, 0), p.kept_whole_before / nullif(p.before_whole, 0)), 0) AS matched
      FROM points p
     CROSS JOIN LATERAL (
           SELECT CASE WHEN p.gap IS NOT NULL THEN p.gap
                       WHEN p.whole IS NULL
                       THEN coalesce(p.lacks, CASE WHEN p.lacking IS NOT NULL THEN nothing END,
                                     'nothing that is chosen is there in this week')
                       WHEN p.whole = 0 THEN nothing
                       WHEN p.part = 0 AND p.doubt IS NOT NULL THEN p.doubt END AS no_level) AS g
  ), runs AS (
    SELECT t.*, t.is_compared AND t.matched < 0.8 AS is_break,
           count(*) FILTER (WHERE t.is_compared AND t.matched < 0.8) OVER (PARTITION BY t.line ORDER BY t.week) AS run,
           CASE WHEN t.level BETWEEN 0 AND 1
                THEN search_reports.rate_interval(coalesce(t.part, 0)::float8, t.whole::float8, t.wholes_squared, t.wholes_by_parts,
                                                  t.parts_squared) END AS bounds
      FROM told t
  )
  SELECT b.week, b.line, scale * b.level, b.bounds[1], b.bounds[2], CASE WHEN b.level IS NOT NULL THEN coalesce(b.part, 0) END,
         CASE WHEN b.gap IS NULL THEN b.whole END, b.units, b.clusters, CASE WHEN b.is_compared THEN scale * b.like_for_like END,
         CASE WHEN b.is_compared THEN b.matched END,
         coalesce(b.no_level, nullif(concat_ws('; ', b.note, 'of these types of results only (result_types): ' || nullif(b.cut, ''),
                                     CASE WHEN b.lacking > 0
                                          THEN format('%s of %s are left out: %s', b.lacking, b.lacking + coalesce(b.units, 0),
                                                      b.lacks) END,
                                     CASE WHEN b.is_break
                                          THEN format('only %s %% are the same as the week before', round(100 * b.matched)) END), '')),
         CASE WHEN b.level IS NOT NULL AND max(b.run) OVER (PARTITION BY b.line) > 0
              THEN 'since ' || first_value(b.week) OVER (PARTITION BY b.line, b.run ORDER BY b.week) END
    FROM runs b
   ORDER BY b.line, b.week;
  IF NOT FOUND THEN
    reason := (SELECT search_reports.no_week(m.datasets[1], c.account, span) FROM search_reports.measures() AS m WHERE m.name = measure);
    RETURN NEXT;
  END IF;
END
$$;
COMMENT ON FUNCTION search_reports.levels IS 'A measure week by week and line by line (by: see search_reports.line_of): level is part / '
  'whole (in percent, if that is the unit), over the units whose rows show it; low and high are its 95 % interval in percent; '
  'like_for_like is the change against the week before over the units that both weeks have, matched how much of the whole they are. '
  'Without a level, reason says why; else what it lacks. Without any week there is one row, whose reason says why. question differs '
  'where less than 80 % of the whole are the same as the week before: there a line breaks.';

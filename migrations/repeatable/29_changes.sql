-- Why a figure moved between two weeks: like for like over the units that both have, by units that were added, and by units that were
-- dropped. The parts of units add up to the change over any grouping, to the last digit.

-- Rounded to 15 digits, so that sums have no remainder; what rounding leaves goes to the unit with the largest part, to its by_weight.
CREATE OR REPLACE FUNCTION search_reports.contributions_by_unit(measure text, by text, c search_reports.choices, week date, before date)
RETURNS TABLE (unit uuid, cut text, cluster text, line text, line_before text, part numeric, whole numeric, part_before numeric,
               whole_before numeric,
               happened numeric, by_weight numeric)
LANGUAGE plpgsql STABLE ROWS 10000 SET search_path = pg_catalog, pg_temp SET jit = off SET work_mem = '64MB'
SET enable_sort = off SET enable_mergejoin = off SET enable_nestloop = off AS $$
BEGIN
  RETURN QUERY EXECUTE format($query$
  WITH units AS MATERIALIZED (
    SELECT u.unit, u.cut, min(u.cluster) AS cluster, max(u.line) FILTER (WHERE u.week = $3) AS line,
           max(u.line) FILTER (WHERE u.week = $4) AS line_before,
           (sum(u.part) FILTER (WHERE u.week = $3))::numeric AS part, (sum(u.whole) FILTER (WHERE u.week = $3))::numeric AS whole,
           (sum(u.part) FILTER (WHERE u.week = $4))::numeric AS part_before,
           (sum(u.whole) FILTER (WHERE u.week = $4))::numeric AS whole_before
      FROM (%s) AS u
     WHERE u.whole IS NOT NULL
     GROUP BY u.unit, u.cut
  ), totals AS MATERIALIZED (
    SELECT sum(u.whole) AS whole, sum(u.whole_before) AS whole_before,
           (sum(u.part) / nullif(sum(u.whole), 0) + sum(u.part_before) / nullif(sum(u.whole_before), 0)) / 2 AS mean,
           round(sum(u.part) / nullif(sum(u.whole), 0), 15) - round(sum(u.part_before) / nullif(sum(u.whole_before), 0), 15) AS change
      FROM units u WHERE u.whole IS NOT NULL AND u.whole_before IS NOT NULL
  ), terms AS MATERIALIZED (
    SELECT u.*, v.change,
           round((u.whole / nullif(v.whole, 0) + u.whole_before / nullif(v.whole_before, 0)) / 2 * (s.now - s.before), 15) AS happened,
           round(((s.now + s.before) / 2 - v.mean) * (u.whole / nullif(v.whole, 0) - u.whole_before / nullif(v.whole_before, 0)),
                 15) AS by_weight
      FROM units u CROSS JOIN totals v
      -- The share of a unit. One that has nothing in one of the weeks takes its share from the other.
     CROSS JOIN LATERAL (SELECT coalesce(u.part / nullif(u.whole, 0), u.part_before / nullif(u.whole_before, 0), 0) AS now,
                                coalesce(u.part_before / nullif(u.whole_before, 0), u.part / nullif(u.whole, 0), 0) AS before OFFSET 0) AS s
  ), largest AS (
    SELECT t.unit, t.cut, t.change - (SELECT sum(k.happened + k.by_weight) FROM terms k) AS remainder
      FROM terms t
     ORDER BY abs(t.happened) + abs(t.by_weight) DESC NULLS LAST, t.whole DESC NULLS LAST, t.unit, t.cut LIMIT 1
  )
  SELECT r.unit, r.cut, r.cluster, r.line, r.line_before, r.part, r.whole, r.part_before, r.whole_before,
         r.happened, r.by_weight + CASE WHEN r.unit = l.unit AND r.cut = l.cut THEN coalesce(l.remainder, 0) ELSE 0 END
    FROM terms r LEFT JOIN largest l ON true
  $query$, search_reports.units_statement(measure, by)) USING search_reports.weighed(c, measure), ARRAY[week, before], week, before;
END
$$;
COMMENT ON FUNCTION search_reports.contributions_by_unit IS 'The units of a measure in two weeks: their part and whole in each, and for '
  'units that both weeks have what they add to the change like for like, as parts of 1: happened (another share) and by_weight (another '
  'weight). The sum over all units is the change like for like, exactly.';

-- Whether the sum of contributions is more than chance, where each keyword or prompt is one observation.
CREATE OR REPLACE FUNCTION search_reports.noise_of(observations bigint, changed bigint, squares numeric, total numeric) RETURNS numeric
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN changed >= 6 AND observations > 1
            THEN search_reports.student_quantile(observations - 1)::numeric
                 * sqrt(greatest(observations::numeric / (observations - 1) * (squares - total * total / observations), 0)) END;
COMMENT ON FUNCTION search_reports.noise_of IS 'Half the 95 % interval of a change like for like: of so many keywords or prompts '
  '(observations) with the sum (total) and the sum of squares of their contributions. NULL if fewer than six changed.';

-- Each line is chosen by itself: a unit that moved to another line is dropped there and added here. With parts given, all lines share one
-- whole, and each has parts of few of its units.
CREATE OR REPLACE FUNCTION search_reports.changes_of(statement text, scale numeric, c search_reports.choices, week date, before date,
                                                     lines text[] DEFAULT NULL, parts text DEFAULT NULL)
RETURNS TABLE (line text, level numeric, level_before numeric, change numeric, like_for_like numeric, added numeric, dropped numeric,
               noise numeric, reading text, matched numeric, units bigint, units_before bigint, kept bigint, changed bigint, part numeric,
               whole numeric,
               part_before numeric, whole_before numeric, observations bigint)
LANGUAGE plpgsql STABLE ROWS 20 SET search_path = pg_catalog, pg_temp SET jit = off SET work_mem = '64MB'
SET enable_sort = off SET enable_mergejoin = off SET enable_nestloop = off AS $$
BEGIN
  RETURN QUERY EXECUTE format($query$
  WITH read AS %3$s (%1$s), units AS MATERIALIZED (
    SELECT u.unit, u.cut, u.line, min(u.cluster) AS cluster, max(u.units)::bigint AS units,
           (sum(u.part) FILTER (WHERE u.week = $3))::numeric AS part, (sum(u.whole) FILTER (WHERE u.week = $3))::numeric AS whole,
           (sum(u.part) FILTER (WHERE u.week = $4))::numeric AS part_before,
           (sum(u.whole) FILTER (WHERE u.week = $4))::numeric AS whole_before
      FROM read AS u
     WHERE u.whole IS NOT NULL
     GROUP BY u.unit, u.cut, u.line
  ), parts AS %2$s, wholes AS MATERIALIZED (
    SELECT u.line AS of_line, sum(u.whole) AS whole, sum(u.whole_before) AS whole_before,
           sum(u.whole) FILTER (WHERE u.whole_before IS NOT NULL) AS kept_whole,
           sum(u.whole_before) FILTER (WHERE u.whole IS NOT NULL) AS kept_whole_before,
           coalesce(sum(u.units) FILTER (WHERE u.whole IS NOT NULL), 0)::bigint AS units,
           coalesce(sum(u.units) FILTER (WHERE u.whole_before IS NOT NULL), 0)::bigint AS units_before,
           coalesce(sum(u.units) FILTER (WHERE u.whole + u.whole_before IS NOT NULL), 0)::bigint AS kept
      FROM units u GROUP BY u.line
  ), sums AS (
    SELECT p.line, p.of_line, sum(p.part) AS part, sum(p.part_before) AS part_before, sum(p.part) FILTER (WHERE p.is_kept) AS kept_part,
           sum(p.part_before) FILTER (WHERE p.is_kept) AS kept_part_before
      FROM parts p GROUP BY p.line, p.of_line
  ), levels AS MATERIALIZED (
    SELECT s.line, w.*, s.part, s.part_before,
           round(s.part / nullif(w.whole, 0), 15) AS level, round(s.part_before / nullif(w.whole_before, 0), 15) AS level_before,
           round(s.kept_part / nullif(w.kept_whole, 0), 15) AS kept_level,
           round(s.kept_part_before / nullif(w.kept_whole_before, 0), 15) AS kept_level_before,
           (s.kept_part / nullif(w.kept_whole, 0) + s.kept_part_before / nullif(w.kept_whole_before, 0)) / 2 AS mean
      FROM wholes w JOIN sums s USING (of_line)
  ), weights AS MATERIALIZED (
    SELECT k.of_line, k.cluster, k.whole / nullif(w.kept_whole, 0) - k.whole_before / nullif(w.kept_whole_before, 0) AS weight
      FROM (SELECT u.line AS of_line, u.cluster, sum(u.whole) AS whole, sum(u.whole_before) AS whole_before
              FROM units u WHERE u.whole IS NOT NULL AND u.whole_before IS NOT NULL GROUP BY u.line, u.cluster) AS k
      JOIN wholes w USING (of_line)
  ), weighed AS (
    SELECT w.of_line, count(*) AS observations, count(*) FILTER (WHERE w.weight <> 0) AS changed, sum(w.weight) AS total,
           sum(w.weight * w.weight) AS squares
      FROM weights w GROUP BY w.of_line
  ), clusters AS (
    -- A contribution is linear in part and whole, so that of a cluster follows from its sums.
    SELECT k.line, k.of_line, w.weight,
           round(k.part / nullif(l.kept_whole, 0) - k.part_before / nullif(l.kept_whole_before, 0) - l.mean * w.weight, 15) AS contribution
      FROM (SELECT p.line, p.of_line, p.cluster, sum(p.part) AS part, sum(p.part_before) AS part_before
              FROM parts p WHERE p.is_kept GROUP BY p.line, p.of_line, p.cluster) AS k
      JOIN levels l USING (line, of_line) JOIN weights w USING (of_line, cluster)
  ), seen AS (
    SELECT k.line, k.of_line, count(*) FILTER (WHERE k.contribution <> 0) AS changed, sum(k.contribution) AS total,
           sum(k.contribution * k.contribution) AS squares, count(*) FILTER (WHERE k.weight <> 0) AS weighed, sum(k.weight) AS weight,
           sum(k.weight * k.weight) AS weights_squared
      FROM clusters k GROUP BY k.line, k.of_line
  ), spread AS (
    -- Clusters without a part of the line contribute by their weight alone.
    SELECT l.line, w.observations,
           coalesce(k.changed, 0) + CASE WHEN l.mean <> 0 THEN w.changed - coalesce(k.weighed, 0) ELSE 0 END AS changed,
           coalesce(k.total, 0) - l.mean * (w.total - coalesce(k.weight, 0)) AS total,
           coalesce(k.squares, 0) + l.mean * l.mean * (w.squares - coalesce(k.weights_squared, 0)) AS squares
      FROM levels l JOIN weighed w USING (of_line) LEFT JOIN seen k USING (line, of_line)
  )
  SELECT v.line, $5 * v.level, $5 * v.level_before, $5 * (v.level - v.level_before), $5 * l.like_for_like,
         $5 * (v.level - v.kept_level), $5 * (v.kept_level_before - v.level_before), $5 * n.noise,
         CASE WHEN n.noise IS NULL THEN NULL WHEN abs(l.like_for_like) <= n.noise THEN 'within noise' WHEN l.like_for_like > 0 THEN 'more'
           ELSE 'less' END,
         least(v.kept_whole / nullif(v.whole, 0), v.kept_whole_before / nullif(v.whole_before, 0)), v.units, v.units_before, v.kept,
         p.changed, CASE WHEN v.whole IS NOT NULL THEN v.part END, v.whole,
         CASE WHEN v.whole_before IS NOT NULL THEN v.part_before END, v.whole_before, p.observations
    FROM levels v LEFT JOIN spread p ON p.line = v.line
   CROSS JOIN LATERAL (SELECT v.kept_level - v.kept_level_before AS like_for_like) AS l
   CROSS JOIN LATERAL (SELECT search_reports.noise_of(p.observations, p.changed, p.squares, p.total) AS noise) AS n
   ORDER BY v.line
  $query$, statement, CASE WHEN parts IS NULL
    THEN 'NOT MATERIALIZED (SELECT u.line, u.line AS of_line, u.cluster, u.part, u.part_before,
                                   u.whole + u.whole_before IS NOT NULL AS is_kept FROM units u)'
    ELSE format('MATERIALIZED (
      SELECT p.line, u.line AS of_line, u.cluster, CASE WHEN u.whole IS NOT NULL THEN p.part END AS part,
             CASE WHEN u.whole_before IS NOT NULL THEN p.part_before END AS part_before,
             u.whole + u.whole_before IS NOT NULL AS is_kept
        FROM (SELECT s.unit, s.cut, s.line, coalesce(sum(s.part) FILTER (WHERE s.week = $3), 0)::numeric AS part,
                     coalesce(sum(s.part) FILTER (WHERE s.week = $4), 0)::numeric AS part_before
                FROM (%s) AS s GROUP BY s.unit, s.cut, s.line) AS p
        JOIN units u ON u.unit = p.unit AND u.cut = p.cut
       UNION ALL
      -- A line without any part is 0.
      SELECT l, %L, NULL, 0, 0, true FROM unnest($6) AS l)', parts, '') END,
    CASE WHEN parts IS NULL THEN 'NOT MATERIALIZED' ELSE 'MATERIALIZED' END)
  USING c, ARRAY[week, before], week, before, scale, lines;
END
$$;
COMMENT ON FUNCTION search_reports.changes_of IS 'What search_reports.changes gives, of the units of a statement such as that of '
  'search_reports.units_statement; scale is 100 for percent. For lines of one whole the statement has one line, an empty text, and parts '
  'is a SELECT of week, unit, cut, line and part from its rows (read), where there is any; lines, which it has as $6, are all that are '
  'asked for.';

CREATE OR REPLACE FUNCTION search_reports.changes(measure text, by text, c search_reports.choices, week date, before date)
RETURNS TABLE (line text, level numeric, level_before numeric, change numeric, like_for_like numeric, added numeric, dropped numeric,
               noise numeric, reading text, matched numeric, units bigint, units_before bigint, kept bigint, changed bigint, part numeric,
               whole numeric,
               part_before numeric, whole_before numeric, observations bigint)
LANGUAGE plpgsql STABLE ROWS 20 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  RETURN QUERY
  SELECT * FROM search_reports.changes_of(
    search_reports.units_statement(measure, by, NULL, CASE (SELECT m.units FROM search_reports.measures() AS m WHERE m.name = measure)
      WHEN 'prompts' THEN search_reports.prompts_source(c, ARRAY[by], ARRAY[week], ARRAY[before]) END),
    search_reports.scale_of(measure), search_reports.weighed(c, measure), week, before);
END
$$;
COMMENT ON FUNCTION search_reports.changes IS 'A measure in two weeks, line by line: change = like_for_like + added + dropped, '
  'exactly. noise is half the 95 % interval of like_for_like, reading says whether it is more, less '
  'or within noise (NULL where fewer than six keywords or prompts changed). matched is how much of the whole both weeks have; units, '
  'units_before and kept how many tracked searches or prompts; changed of how many keywords or prompts anything differs, of those '
  'observed (observations).';

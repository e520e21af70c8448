-- What a tile says of a measure: each week of a span, and the newest of them compared with another week.

CREATE OR REPLACE FUNCTION search_reports.uncompared(measure text, account bigint, week date, before date) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  RETURN CASE WHEN before IS NULL THEN 'no week is chosen to compare with'
              WHEN before >= week THEN format('the week of %s is not before it', before)
              ELSE (SELECT CASE WHEN count(w.week) = 0 THEN format('the week of %s is not there', before)
                                ELSE format('the week of %s has no figure: %s', before, min(w.gap)) END
                      FROM search_reports.measure_weeks(measure, account, format('%s..%s', before, before)) AS w
                    HAVING count(w.week) = 0 OR bool_or(w.gap IS NOT NULL)) END;
END
$$;
COMMENT ON FUNCTION search_reports.uncompared IS 'Why a week of a measure cannot be compared with another; NULL if it can.';

CREATE OR REPLACE FUNCTION search_reports.tile_of(measure text, c search_reports.choices, span text, compare text)
RETURNS TABLE (week date, figure numeric, low numeric, high numeric, compared_with date, before numeric, change numeric, added numeric,
               dropped numeric, reading text, uncompared text, mean_of_four numeric, against_mean numeric, reason text, question text)
LANGUAGE plpgsql STABLE ROWS 52 SET search_path = pg_catalog, pg_temp SET jit = off SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
  digits integer := (SELECT CASE m.units WHEN 'searches' THEN 2 ELSE 1 END FROM search_reports.measures() AS m WHERE m.name = measure);
  scale  numeric := search_reports.scale_of(measure);
BEGIN
  RETURN QUERY
  WITH levels AS MATERIALIZED (
    SELECT l.*, search_reports.week_compared(l.week, compare) AS compared, l.week = max(l.week) OVER () AS is_newest
      FROM search_reports.levels(measure, NULL, c, span) AS l
  ), pair AS MATERIALIZED (
    SELECT l.week, l.compared, search_reports.uncompared(measure, c.account, l.week, l.compared) AS why
      FROM levels l WHERE l.is_newest AND l.level IS NOT NULL
  ), compared AS MATERIALIZED (
    SELECT p.week, p.compared, x.*,
           coalesce(p.why, CASE WHEN x.level_before IS NULL THEN format('the week of %s has no figure', p.compared)
                                WHEN x.kept = 0 THEN format('nothing is the same as in the week of %s', p.compared) END) AS why
      FROM pair p LEFT JOIN LATERAL search_reports.changes(measure, NULL, c, p.week, p.compared) AS x ON p.why IS NULL
  )
  SELECT l.week, round(l.level, digits), round(l.low, digits), round(l.high, digits), x.compared, round(x.level_before, digits),
         CASE WHEN x.why IS NULL THEN round(x.like_for_like, digits) END, CASE WHEN x.why IS NULL THEN round(x.added, digits) END,
         CASE WHEN x.why IS NULL THEN round(x.dropped, digits) END, CASE WHEN x.why IS NULL THEN x.reading END, x.why,
         round(m.mean, digits), round(l.level - m.mean, digits), l.reason, l.question
    FROM levels l
    LEFT JOIN compared x ON x.week = l.week
   CROSS JOIN LATERAL (
         SELECT CASE WHEN l.level IS NOT NULL AND count(*) = 4 THEN scale * sum(f.part) / sum(f.whole) END AS mean
           FROM levels f
          WHERE f.week BETWEEN l.week - 28 AND l.week - 7 AND f.level IS NOT NULL AND f.question IS NOT DISTINCT FROM l.question) AS m
   ORDER BY l.week;
END
$$;
COMMENT ON FUNCTION search_reports.tile_of IS 'A measure week by week with its 95 % interval, and of the newest week the change against '
  'another week (see search_reports.week_compared): change is like for like, added and dropped are by units that one of the weeks lacks, '
  'reading says whether it is more than chance. uncompared says why there is none. mean_of_four is the pooled mean of the four weeks '
  'before, where the line does not break.';

-- Rounded apart, parts would not add up to the rounded sum. What is left goes to those that rounding down took most from.
CREATE OR REPLACE FUNCTION search_reports.rounded_parts(parts numeric[], digits integer, total numeric DEFAULT NULL) RETURNS numeric[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (WITH scaled AS (
          SELECT p.place, p.part * power(10::numeric, digits) AS part,
                 coalesce(total, sum(p.part) OVER ()) * power(10::numeric, digits) AS total
            FROM unnest(parts) WITH ORDINALITY AS p (part, place)
        ), cut AS (
          SELECT s.place, floor(s.part) AS lowest, round(s.total) - sum(floor(s.part)) OVER () AS remaining, count(*) OVER () AS amount,
                 row_number() OVER (ORDER BY s.part - floor(s.part) DESC, s.place) AS turn
            FROM scaled s
        ), filled AS (
          SELECT c.place, c.lowest + e.each + CASE WHEN c.turn <= c.remaining - c.amount * e.each THEN 1 ELSE 0 END AS part
            FROM cut c CROSS JOIN LATERAL (SELECT floor(c.remaining / c.amount) AS each) AS e
        )
        SELECT array_agg(round(f.part / power(10::numeric, digits), digits) ORDER BY f.place) FROM filled f);
COMMENT ON FUNCTION search_reports.rounded_parts IS 'Parts of a sum rounded to so many digits, so that they add up to the rounded sum '
  '(total, else their own) exactly: by the largest remainder.';

CREATE OR REPLACE FUNCTION search_reports.contributions(
  measure text, by text, c search_reports.choices, week date, before date, most integer
) RETURNS TABLE (place bigint, line text, contribution numeric, happened numeric, by_weight numeric, units bigint)
LANGUAGE plpgsql STABLE ROWS 20 SET search_path = pg_catalog, pg_temp SET jit = off SET work_mem = '64MB' AS $$
DECLARE
  scale numeric := search_reports.scale_of(measure);
BEGIN
  RETURN QUERY EXECUTE format($query$
  WITH units AS MATERIALIZED (
    SELECT k.unit, k.cut, k.happened, k.by_weight
      FROM search_reports.contributions_by_unit($3, NULL, $1, $4, $5) AS k WHERE k.happened IS NOT NULL
  ), lines AS (
    SELECT l.line, sum(u.happened) AS happened, sum(u.by_weight) AS by_weight, count(*) AS units
      FROM units u
      JOIN (SELECT DISTINCT n.unit, n.cut, n.line FROM (%s) AS n WHERE n.whole IS NOT NULL) AS l ON l.unit = u.unit AND l.cut = u.cut
     GROUP BY l.line
  ), placed AS (
    -- Lines that add nothing are named only if all lines fit.
    SELECT l.*, CASE WHEN l.happened = 0 AND l.by_weight = 0 AND count(*) OVER () > $6 THEN $6 + 1
                     ELSE row_number() OVER (ORDER BY abs(l.happened + l.by_weight) DESC, l.happened = 0, l.line) END AS place
      FROM lines l
  )
  SELECT row_number() OVER (ORDER BY least(p.place, $6 + 1)),
         CASE WHEN min(p.place) <= $6 THEN min(p.line) WHEN count(*) = (SELECT count(*) FROM lines) THEN 'all ' || count(*)
              ELSE search_reports.others(count(*)) END,
         $7 * sum(p.happened + p.by_weight), $7 * sum(p.happened), $7 * sum(p.by_weight), sum(p.units)::bigint
    FROM placed p
   GROUP BY least(p.place, $6 + 1)
   ORDER BY 1
  $query$, search_reports.units_statement(measure, by))
  USING search_reports.weighed(c, measure), ARRAY[week], measure, week, before, most, scale;
END
$$;
COMMENT ON FUNCTION search_reports.contributions IS 'What the lines of a grouping (see search_reports.line_of) add to the change of a '
  'measure like for like, the largest first, in both directions; those after the first so many (most) are one line. They add up to the '
  'change, but for groups, where a unit counts in each of its groups.';

-- The level of the units that both weeks have is what others are measured against: a unit with this very share adds nothing.
CREATE OR REPLACE FUNCTION search_reports.exchanged(measure text, c search_reports.choices, week date, before date, most integer)
RETURNS TABLE (kind text, place bigint, line text, contribution numeric, units bigint)
LANGUAGE plpgsql STABLE ROWS 20 SET search_path = pg_catalog, pg_temp SET jit = off SET work_mem = '64MB' AS $$
DECLARE
  scale numeric := search_reports.scale_of(measure);
BEGIN
  RETURN QUERY
  WITH units AS MATERIALIZED (
    SELECT k.cluster, k.part, k.whole, k.part_before, k.whole_before
      FROM search_reports.contributions_by_unit(measure, NULL, c, exchanged.week, exchanged.before) AS k
  ), sums AS MATERIALIZED (
    SELECT nullif(sum(u.whole), 0) AS whole, nullif(sum(u.whole_before), 0) AS whole_before,
           sum(u.part) FILTER (WHERE u.whole_before IS NOT NULL)
             / nullif(sum(u.whole) FILTER (WHERE u.whole_before IS NOT NULL), 0) AS level,
           sum(u.part_before) FILTER (WHERE u.whole IS NOT NULL)
             / nullif(sum(u.whole_before) FILTER (WHERE u.whole IS NOT NULL), 0) AS level_before
      FROM units u
  ), lines AS (
    SELECT x.kind, x.cluster, scale * sum(x.amount) AS contribution, count(*) AS units
      FROM (SELECT 'added' AS kind, u.cluster, (u.part - s.level * u.whole) / s.whole AS amount
              FROM units u CROSS JOIN sums s WHERE u.whole_before IS NULL
             UNION ALL
            SELECT 'dropped', u.cluster, (s.level_before * u.whole_before - u.part_before) / s.whole_before
              FROM units u CROSS JOIN sums s WHERE u.whole IS NULL) AS x
     WHERE x.amount IS NOT NULL
     GROUP BY x.kind, x.cluster
  ), placed AS (
    SELECT l.*, row_number() OVER (PARTITION BY l.kind ORDER BY abs(l.contribution) DESC, l.cluster) AS place FROM lines l
  )
  SELECT p.kind, least(p.place, most + 1),
         CASE WHEN min(p.place) <= most THEN min(p.cluster) ELSE search_reports.others(count(*)) END,
         sum(p.contribution), sum(p.units)::bigint
    FROM placed p
   GROUP BY p.kind, least(p.place, most + 1)
   ORDER BY 1, 2;
END
$$;
COMMENT ON FUNCTION search_reports.exchanged IS 'What the keywords or prompts that only one of two weeks has add to the difference of the '
  'figures (kind: added, dropped), the largest first; those after the first so many (most) are one line. They add up to added and dropped '
  'of search_reports.changes.';

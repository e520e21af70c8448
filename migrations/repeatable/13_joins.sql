-- Whether the datasets of AI search meet where figures join them: by engine, place and language, which operations of the service spell in
-- different ways.

-- Of engines any other counts, since a series is of one engine. Of places and languages one that begins with the other: jobs may ask for
-- different places.
-- Not one SELECT: Citus runs each of its queries on the node that has the account.
CREATE OR REPLACE FUNCTION search_reports.unmet_spellings(of_account bigint, of_dataset text, of_weeks date[])
RETURNS TABLE (week date, kind text, spelling text, answers_spelling text, answers bigint, all_answers bigint)
LANGUAGE plpgsql STABLE ROWS 10 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH known AS MATERIALIZED (
    SELECT s.week, s.kind, s.spelling, s.dataset = 'ai_search_response' AS is_of_answers, s.row_count::bigint AS amount,
           search_reports.join_key(s.spelling) AS key, regexp_replace(lower(s.spelling), '[^[:alnum:]]', '', 'g') AS letters
      FROM search_reports.ai_spellings s
     WHERE s.account_id = of_account AND s.week = ANY (of_weeks) AND s.dataset IN ('ai_search_response', of_dataset) AND s.spelling <> ''
  ), unmet AS (
    SELECT k.*, sum(k.amount) FILTER (WHERE k.is_of_answers) OVER (PARTITION BY k.week, k.kind)::bigint AS whole,
           NOT EXISTS (SELECT FROM known o WHERE o.week = k.week AND o.kind = k.kind AND o.key = k.key AND o.is_of_answers <> k.is_of_answers) AS is_alone
      FROM known k
  )
  SELECT DISTINCT ON (a.week, a.kind, a.spelling) a.week, a.kind, o.spelling, a.spelling, a.amount, a.whole
    FROM unmet a JOIN unmet o ON o.week = a.week AND o.kind = a.kind AND o.is_alone AND NOT o.is_of_answers
   CROSS JOIN LATERAL (SELECT starts_with(a.letters, o.letters) OR starts_with(o.letters, a.letters) AS is_near) AS n
   WHERE a.is_alone AND a.is_of_answers AND (n.is_near OR a.kind = 'engine')
   ORDER BY a.week, a.kind, a.spelling, n.is_near DESC, o.amount DESC, o.spelling;
END
$$;
COMMENT ON FUNCTION search_reports.unmet_spellings IS 'Spellings of answers that no row of another dataset has, while that one has spellings that no answer has: each with the likeliest of these. answers: answers of the week that have it; all_answers: those that have any.';

CREATE OR REPLACE FUNCTION search_reports.alias_line(kind text, spelling text, meaning text) RETURNS text
LANGUAGE sql IMMUTABLE
RETURN format('aliases: { %s: { %s: %s } }', kind,
              CASE WHEN spelling ~ '^[A-Za-z][A-Za-z0-9_-]*$' THEN spelling ELSE to_json(spelling)::text END,
              CASE WHEN meaning ~ '^[A-Za-z][A-Za-z0-9_-]*$' THEN meaning ELSE to_json(meaning)::text END);
COMMENT ON FUNCTION search_reports.alias_line IS 'The line of jobs.config.yaml that makes two spellings one.';

CREATE OR REPLACE FUNCTION search_reports.joined_brands(of_account bigint, of_weeks date[])
RETURNS TABLE (week date, assistant text, brand_rows bigint, brand_rows_met bigint, gap text)
LANGUAGE plpgsql STABLE ROWS 50 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH engines AS MATERIALIZED (
    SELECT s.week, s.dataset = 'ai_search_response' AS is_of_answers, s.spelling, search_reports.join_key(s.spelling) AS key, s.row_count, s.met_rows
      FROM search_reports.ai_spellings s
     WHERE s.account_id = of_account AND s.week = ANY (of_weeks) AND s.kind = 'engine' AND s.dataset IN ('ai_search_response', 'ai_search_brands')
  ), unmet AS MATERIALIZED (
    SELECT * FROM search_reports.unmet_spellings(of_account, 'ai_search_brands', of_weeks)
  ), wholes AS (
    SELECT e.week, sum(e.row_count) AS brands, sum(e.met_rows) AS met FROM engines e WHERE NOT e.is_of_answers GROUP BY e.week
  )
  SELECT a.week, a.spelling, coalesce(b.brands, 0)::bigint, coalesce(b.met, 0)::bigint,
         coalesce((SELECT format('own brands have engine %s, answers have %s (if both are one: %s)', u.spelling, u.answers_spelling,
                                 search_reports.alias_line(u.kind, u.answers_spelling, u.spelling))
                     FROM unmet u WHERE u.week = a.week AND u.kind = 'engine' AND u.answers_spelling = a.spelling),
                  (SELECT format('own brands have %s %s, %s of %s answers have %s (if both are one: %s)', u.kind, u.spelling, u.answers, u.all_answers,
                                 u.answers_spelling, search_reports.alias_line(u.kind, u.answers_spelling, u.spelling))
                     FROM unmet u WHERE u.week = a.week AND u.kind <> 'engine' AND 10 * u.answers > u.all_answers
                    ORDER BY u.answers DESC, u.kind LIMIT 1),
                  CASE WHEN 10 * w.met < w.brands
                       THEN format('of %s rows of own brands only %s found an answer: do both jobs ask for the same?', w.brands, w.met) END)
    FROM engines a
    LEFT JOIN (SELECT e.week, e.key, sum(e.row_count) AS brands, sum(e.met_rows) AS met FROM engines e WHERE NOT e.is_of_answers GROUP BY e.week, e.key) b
      ON b.week = a.week AND b.key = a.key
    LEFT JOIN wholes w ON w.week = a.week
   WHERE a.is_of_answers;
END
$$;
COMMENT ON FUNCTION search_reports.joined_brands IS 'Week x assistant of answers: rows of own brands of that assistant, those of them whose answer is loaded, and why a rate of mentions would be wrong where too few are: an engine that own brands spell otherwise, a place or language of more than a tenth of the answers, or less than a tenth of own brands that found an answer.';

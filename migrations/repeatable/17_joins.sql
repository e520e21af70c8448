-- Whether the datasets of AI search match where figures join them: by engine, place and language, which operations of the service spell
-- differently.

-- Any engine without a match counts, because a line of a chart is of one engine. A place or language counts only if another spelling begins
-- with it or the other way round: jobs may ask for different places. In PL/pgSQL: Citus runs each of its queries on the node that has the
-- account.
CREATE OR REPLACE FUNCTION search_reports.unmet_spellings(of_accounts bigint[], of_datasets text[], of_weeks date[])
RETURNS TABLE (account_id bigint, week date, dataset text, kind text, spelling text, answers_spelling text, answers bigint,
               all_answers bigint)
LANGUAGE plpgsql STABLE ROWS 10 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  recorded text := 'SELECT s.account_id, s.week, s.dataset, s.kind, s.spelling, s.row_count::bigint AS amount
                      FROM search_reports.ai_spellings s
                     WHERE s.account_id = ANY ($1) AND s.week = ANY ($3)';
BEGIN
  -- A login without the right to the stored summaries may not name them.
  IF of_weeks IS NULL AND NOT has_schema_privilege('search_stored', 'usage') THEN
    RETURN;
  ELSIF of_weeks IS NULL THEN
    recorded := 'SELECT n.account_id, n.week, n.dataset, n.kind, n.spelling, n.row_count::bigint AS amount
                   FROM (SELECT s.*, dense_rank() OVER (PARTITION BY s.account_id ORDER BY s.week DESC) AS age
                         FROM search_stored.ai_spellings s
                          WHERE s.account_id = ANY ($1)) AS n
                  WHERE n.age <= 13
                    AND (n.account_id, n.week) NOT IN (SELECT m.account_id, m.week FROM searchmill.stale_weeks m
                                                       WHERE m.subject = ''answers'')';
  END IF;
  RETURN QUERY EXECUTE format($query$
  WITH recorded AS MATERIALIZED (
    %s
  ), known AS (
    SELECT r.*, search_reports.join_key(r.spelling) AS key,
           regexp_replace(lower(r.spelling COLLATE "C"), '[^[:alnum:]]', '', 'g') AS letters
      FROM recorded r
     WHERE r.spelling <> ''
  ), answered AS (
    SELECT k.*, sum(k.amount) OVER (PARTITION BY k.account_id, k.week, k.kind)::bigint AS whole FROM known k
      WHERE k.dataset = 'ai_search_response'
  ), others AS (
    SELECT k.* FROM known k
     WHERE k.dataset = ANY ($2)
       AND NOT EXISTS (SELECT FROM answered a WHERE a.account_id = k.account_id AND a.week = k.week AND a.kind = k.kind AND a.key = k.key)
  )
  SELECT DISTINCT ON (a.account_id, a.week, o.dataset, a.kind, a.spelling)
         a.account_id, a.week, o.dataset, a.kind, o.spelling, a.spelling, a.amount, a.whole
    FROM answered a JOIN others o ON o.account_id = a.account_id AND o.week = a.week AND o.kind = a.kind
   CROSS JOIN LATERAL (SELECT starts_with(a.letters, o.letters) OR starts_with(o.letters, a.letters) AS is_near) AS n
   WHERE (n.is_near OR a.kind = 'engine')
     AND NOT EXISTS (SELECT FROM known k WHERE k.account_id = a.account_id AND k.week = a.week AND k.kind = a.kind AND k.key = a.key
                                           AND k.dataset = o.dataset)
   ORDER BY a.account_id, a.week, o.dataset, a.kind, a.spelling, n.is_near DESC, o.amount DESC, o.spelling
  $query$, recorded) USING of_accounts, of_datasets, of_weeks;
END
$$;
COMMENT ON FUNCTION search_reports.unmet_spellings IS 'Spellings in answers that no row of another dataset has, while the other dataset '
  'has spellings that no answer has: each with the likeliest of these. answers: answers of the week with this spelling; all_answers: '
  'answers with any. Without weeks: from the newest 13 stored weeks of each account.';

CREATE OR REPLACE FUNCTION search_reports.alias_line(kind text, spelling text, meaning text) RETURNS text
LANGUAGE sql IMMUTABLE
RETURN format('aliases: { %s: { %s: %s } }', kind,
              CASE WHEN spelling ~ '^[A-Za-z][A-Za-z0-9_-]*$' THEN spelling ELSE to_json(spelling)::text END,
              CASE WHEN meaning ~ '^[A-Za-z][A-Za-z0-9_-]*$' THEN meaning ELSE to_json(meaning)::text END);
COMMENT ON FUNCTION search_reports.alias_line IS 'The line of jobs.config.yaml that makes two spellings one.';

CREATE OR REPLACE FUNCTION search_reports.brand_gaps(of_account bigint, of_weeks date[])
RETURNS TABLE (week date, assistant text, gap text)
LANGUAGE plpgsql STABLE ROWS 50 SET plan_cache_mode = force_custom_plan SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  strangers text;
  asked text[] := ARRAY(
    SELECT DISTINCT search_reports.folded(n.name)
      FROM search_reports.requests r CROSS JOIN jsonb_array_elements_text(r.request -> 'brand_or_product_names') AS n (name)
     WHERE r.dataset = 'ai_search_brands' AND r.account_id = of_account AND r.week = ANY (of_weeks));
  ours text[];
BEGIN
  IF asked <> '{}' THEN
    -- A caller may look at one week only, in which none of ours is named.
    ours := ARRAY(SELECT DISTINCT search_reports.folded(b.brand_or_product_name) FROM search.ai_search_brands b
                   WHERE b.account_id = of_account AND b.time_period_start >= (SELECT min(w) - 84 FROM unnest(of_weeks) AS w)
                     AND lower(b.brand_or_product_attribution COLLATE "C") = 'you'
                     AND search_reports.folded(b.brand_or_product_name) = ANY (asked));
  END IF;
  -- Without own brands nothing says which brands are ours. Rows of other brands show that brands were asked for.
  IF NOT EXISTS (SELECT 1 FROM search_reports.ai_spellings s WHERE s.account_id = of_account AND s.week = ANY (of_weeks)
                 AND s.dataset = 'ai_search_brands') THEN
    strangers := (SELECT string_agg(DISTINCT coalesce(nullif(b.brand_or_product_attribution, ''), '(none)'), ', ')
                  FROM search.ai_search_brands b
                   WHERE b.account_id = of_account AND b.time_period_start >= (SELECT min(w) FROM unnest(of_weeks) AS w));
  END IF;
  RETURN QUERY
  WITH engines AS MATERIALIZED (
    SELECT s.week, s.dataset, s.spelling, search_reports.join_key(s.spelling) AS key, s.row_count, s.met_rows
      FROM search_reports.ai_spellings s
     WHERE s.account_id = of_account AND s.week = ANY (of_weeks) AND s.kind = 'engine'
       AND s.dataset IN ('ai_search_response', 'ai_search_brands')
  ), unmet AS MATERIALIZED (
    SELECT * FROM search_reports.unmet_spellings(ARRAY[of_account], '{ai_search_brands}', of_weeks)
  ), brands AS (
    SELECT e.week, e.key, sum(e.row_count) AS joined, sum(e.met_rows) AS met FROM engines e WHERE e.dataset = 'ai_search_brands'
     GROUP BY e.week, e.key
  ), wholes AS (
    SELECT b.week, sum(b.joined) AS joined, sum(b.met) AS met FROM brands b GROUP BY b.week
  ), unnamed AS (
    SELECT r.week, 'no brand asked for by name is attributed to You: ' || string_agg(DISTINCT name, ', ') AS gap
      FROM search_reports.requests r
      LEFT JOIN LATERAL jsonb_array_elements_text(r.request -> 'brand_or_product_names') AS names (name) ON true
     WHERE asked <> '{}' AND r.dataset = 'ai_search_brands' AND r.account_id = of_account AND r.week = ANY (of_weeks)
     GROUP BY r.week
    HAVING bool_and(name IS NOT NULL AND search_reports.folded(name) <> ALL (ours))
  )
  SELECT a.week, a.spelling,
         coalesce((SELECT format('own brands have engine %s, answers have %s (if both are one: %s)', u.spelling, u.answers_spelling,
                                 search_reports.alias_line(u.kind, u.answers_spelling, u.spelling))
                     FROM unmet u WHERE u.week = a.week AND u.kind = 'engine' AND u.answers_spelling = a.spelling),
                  (SELECT format('own brands have %s %s, %s of %s answers have %s (if both are one: %s)', u.kind, u.spelling, u.answers,
                                 u.all_answers, u.answers_spelling, search_reports.alias_line(u.kind, u.answers_spelling, u.spelling))
                     FROM unmet u WHERE u.week = a.week AND u.kind <> 'engine' AND 10 * u.answers > u.all_answers
                    ORDER BY u.answers DESC, u.kind LIMIT 1),
                  CASE WHEN 10 * w.met < w.joined
                       THEN format('of %s rows of own brands only %s found an answer: do both jobs ask for the same?', w.joined, w.met)
                       WHEN strangers IS NOT NULL THEN format('no brand is attributed to You in any week, but to %s', strangers)
                       WHEN coalesce(b.joined, 0) = 0 THEN n.gap END)
    FROM engines a
    LEFT JOIN brands b ON b.week = a.week AND b.key = a.key
    LEFT JOIN wholes w ON w.week = a.week
    LEFT JOIN unnamed n ON n.week = a.week
   WHERE a.dataset = 'ai_search_response';
END
$$;
COMMENT ON FUNCTION search_reports.brand_gaps IS 'Week x assistant of answers: why a figure that joins them with rows of own brands would '
  'be wrong (gap): the engine is spelled differently, a place or language of more than a tenth of the answers has no match, less than a '
  'tenth of the rows found an answer, brands are loaded and none of them is ours, or only others were asked for by name.';

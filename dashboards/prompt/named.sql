-- Title: Whether they name us
-- Question: In how many answers to this prompt does each assistant name one of our brands, week by week?
-- Chart: line
-- X: week
-- Y: percent
-- Series: assistant
-- Unit: %
-- Note: One prompt has few answers a week: look at the number of answers before calling it a change.
-- Computed: Answers to the prompt for which ai_search_brands has a brand attributed to You, of the same assistant, place, language, persona and period, divided by
--   all answers to it. Spellings are compared as in the board AI visibility, with the aliases of the jobs file. An assistant of which brands have no row in a week is a gap.
-- Datasets: ai_search_response, ai_search_brands
-- Variables: account, prompt, assistant, country, weeks
-- Order: 20
WITH frame AS (
  SELECT a.week, a.gap, nullif(concat_ws('; ', a.note, 'brands ' || b.note), '') AS note, b.week IS NOT NULL AND b.gap IS NULL AS has_brands
    FROM search_reports.newest_weeks('ai_search_response', :account::bigint, :weeks::text) a
    LEFT JOIN search_reports.newest_weeks('ai_search_brands', :account::bigint, NULL) b ON b.week = a.week
), aliases AS MATERIALIZED (
  SELECT search_reports.aliases_of(:account::bigint) AS known
), answers AS MATERIALIZED (
  SELECT search_reports.week_of(r.time_period_start) AS week, search_reports.spelled('engine', r.ai_search_engine, k.known) AS assistant,
         concat_ws('|', r.web_property_id, r.time_period_start, search_reports.join_key(search_reports.spelled('engine', r.ai_search_engine, k.known)),
                   search_reports.join_key(search_reports.spelled('locode', r.locode, k.known)),
                   search_reports.join_key(search_reports.spelled('language', r.language, k.known)), r.persona) AS key
    FROM search.ai_search_response r CROSS JOIN aliases k
   WHERE r.account_id = :account::bigint AND r.prompt = :prompt::text
     AND r.time_period_start BETWEEN (SELECT min(week) FROM frame) AND (SELECT max(week) + 6 FROM frame)
     AND (:assistant::text IS NULL OR r.ai_search_engine = :assistant::text)
     AND (:country::text IS NULL OR search_reports.country_of(r.locode) = :country::text)
), brands AS MATERIALIZED (
  SELECT search_reports.week_of(b.time_period_start) AS week,
         search_reports.join_key(search_reports.spelled('engine', b.ai_search_engine, k.known)) AS engine,
         concat_ws('|', b.web_property_id, b.time_period_start, search_reports.join_key(search_reports.spelled('engine', b.ai_search_engine, k.known)),
                   search_reports.join_key(search_reports.spelled('locode', b.locode, k.known)),
                   search_reports.join_key(search_reports.spelled('language', b.language, k.known)), b.persona) AS key,
         b.prompt = :prompt::text AND lower(b.brand_or_product_attribution) = 'you' AS is_naming
    FROM search.ai_search_brands b CROSS JOIN aliases k
   WHERE b.account_id = :account::bigint
     AND b.time_period_start BETWEEN (SELECT min(week) FROM frame) AND (SELECT max(week) + 6 FROM frame)
), figures AS (
  SELECT a.week, a.assistant, count(*) AS answers, count(*) FILTER (WHERE a.key IN (SELECT key FROM brands WHERE is_naming)) AS naming,
         EXISTS (SELECT FROM brands b WHERE b.week = a.week AND b.engine = search_reports.join_key(a.assistant)) AS is_told
    FROM answers a
   GROUP BY a.week, a.assistant
)
SELECT f.week, n.assistant, CASE WHEN f.gap IS NULL AND f.has_brands AND g.is_told THEN round(100.0 * g.naming / g.answers, 1) END AS percent,
       CASE WHEN f.gap IS NULL AND f.has_brands AND g.is_told THEN g.naming END AS answers_naming_us, g.answers,
       CASE WHEN f.gap IS NOT NULL THEN f.gap WHEN g.answers IS NULL THEN coalesce(f.note, 'no answer') WHEN NOT f.has_brands THEN 'no brands are published'
            WHEN NOT g.is_told THEN 'no brands of this assistant in this week' ELSE f.note END AS reason
  FROM frame f CROSS JOIN (SELECT DISTINCT assistant FROM figures) n
  LEFT JOIN figures g ON g.week = f.week AND g.assistant = n.assistant
 ORDER BY n.assistant, f.week

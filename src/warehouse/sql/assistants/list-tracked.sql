-- Names that an account tracks, by kind: of one week, or of the newest published one.
-- Params: :accountId; :kind: searches, prompts, topics, assistants, engines, countries or devices; :week, its Sunday, or null; :most.
-- Result: name, rows: how many searches or answers have it; in alphabetical order. Locks: none.
-- Not null: name, rows.
WITH ranked AS (
  SELECT coalesce(:week::date, max(week)) AS week FROM search_reports.weeks
   WHERE dataset = 'keyword_rankings' AND account_id = :accountId::bigint AND is_published
), answered AS (
  SELECT coalesce(:week::date, max(week)) AS week FROM search_reports.weeks
   WHERE dataset = 'ai_search_response' AND account_id = :accountId::bigint AND is_published
), names AS (
  SELECT CASE :kind WHEN 'searches' THEN r.query WHEN 'engines' THEN r.search_engine WHEN 'countries' THEN r.country WHEN 'devices' THEN r.device END AS name
    FROM ranked w JOIN search_reports.ranking_searches r ON r.account_id = :accountId::bigint AND r.week = w.week
   WHERE :kind IN ('searches', 'engines', 'countries', 'devices')
  UNION ALL
  SELECT CASE :kind WHEN 'prompts' THEN r.prompt WHEN 'topics' THEN r.topic WHEN 'assistants' THEN r.ai_search_engine END
    FROM answered w
    JOIN search.ai_search_response r ON r.account_id = :accountId::bigint AND r.time_period_start >= w.week AND r.time_period_start < w.week + 7
   WHERE :kind IN ('prompts', 'topics', 'assistants')
)
SELECT name, count(*) AS rows FROM names WHERE name IS NOT NULL GROUP BY name ORDER BY name COLLATE "C" LIMIT :most

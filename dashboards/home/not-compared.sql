-- Title: What cannot be compared
-- Question: Which figures of this week stand beside no other week, and why?
-- Chart: table
-- Empty: All that is published can be compared.
-- Computed: The newest week with figures of each kind, as far as it is chosen, where it or the week that it is compared with is not there, lacks what is
--   asked, or answers another question.
-- Datasets: all
-- Variables: account, web_property, country, device, assistant, branded, weeks, compare
-- Order: 200
WITH kinds AS (
  SELECT 'rankings' AS figures, 1 AS place, p.week, p.reason,
         coalesce(p.refusal, search_reports.other_searches(:account::bigint, :web_property::text[], :country::text[], :device::text[], p.week, p.before)) AS refusal
    FROM search_reports.ranking_pair(:account::bigint, :web_property::text[], :country::text[], :device::text[], :weeks::text, :compare::text) AS p
  UNION ALL
  SELECT k.figures, k.place, p.week, p.reason, p.refusal
    FROM (VALUES ('mentions in answers', 2, '{ai_search_response,ai_search_brands}'::text[]), ('citations', 3, '{ai_search_citations}'), ('sentiments', 4, '{ai_search_sentiments}'))
         AS k (figures, place, datasets)
   CROSS JOIN LATERAL search_reports.ai_pair(k.datasets, :account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text, :weeks::text, :compare::text) AS p
)
SELECT figures, week, coalesce(reason, refusal) AS why
  FROM kinds
 WHERE reason IS NOT NULL OR refusal IS NOT NULL
 ORDER BY place

-- Title: Attribution mix of citations
-- Question: How are citations divided between us, competitors and everybody else?
-- Chart: stacked
-- X: week
-- Y: percent
-- Series: attribution
-- Unit: %
-- Note: Attributions that the filters of the jobs leave out are not in the whole. The page lists the filters under "Data through".
-- Computed: Citations by the attribution that the service gives them, divided by all citations loaded of the week.
-- Datasets: ai_search_citations
-- Variables: account, web_property, assistant, country, branded, weeks
-- Order: 40
WITH frame AS (
  SELECT week, gap, note FROM search_reports.newest_weeks('ai_search_citations', :account::bigint, :weeks::integer)
), figures AS (
  SELECT week, coalesce(nullif(attribution, ''), '(none)') AS attribution, sum(citations) AS citations
    FROM search_reports.ai_citation_totals
   WHERE account_id = :account::bigint AND week >= (SELECT min(week) FROM frame)
     AND (:web_property::bigint IS NULL OR web_property_id = :web_property::bigint)
     AND (:assistant::text IS NULL OR assistant = :assistant::text)
     AND (:country::text IS NULL OR country = :country::text)
     AND (:branded::text IS NULL OR prompt_type = :branded::text)
   GROUP BY 1, 2
), totals AS (
  SELECT week, sum(citations) AS citations FROM figures GROUP BY 1
)
SELECT f.week, a.attribution, round(100.0 * CASE WHEN t.week IS NOT NULL THEN coalesce(g.citations, 0) END / nullif(t.citations, 0), 1) AS percent,
       CASE WHEN t.week IS NOT NULL THEN coalesce(g.citations, 0) END AS citations,
       CASE WHEN t.week IS NULL THEN coalesce(f.gap, f.note, 'no citations') ELSE f.note END AS reason
  FROM frame f
 CROSS JOIN (SELECT DISTINCT attribution FROM figures) a
  LEFT JOIN totals t ON t.week = f.week
  LEFT JOIN figures g ON g.week = f.week AND g.attribution = a.attribution
 ORDER BY a.attribution <> 'you', a.attribution IN ('other', '(none)'), a.attribution, f.week

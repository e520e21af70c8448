-- Title: Citation share by site
-- Question: Whose pages do assistants cite?
-- Chart: line
-- X: week
-- Y: percent
-- Series: site
-- Unit: %
-- Note: The eight sites with the most citations in the newest week. Sites cited as You (is_ours) have thick lines. A job whose filters
--   leave attributions out loads only a part of all citations: the shares are of that part. The page lists the filters under "Data through".
-- Computed: Citations of the site, divided by all citations loaded of the week.
-- Datasets: ai_search_citations
-- Variables: account, web_property, assistant, country, branded, weeks
-- Order: 30
WITH frame AS (
  SELECT week, gap, note FROM search_reports.newest_weeks('ai_search_citations', :account::bigint, :weeks::integer)
), totals AS (
  SELECT week, sum(citations) AS citations
    FROM search_reports.ai_citation_totals
   WHERE account_id = :account::bigint AND week >= (SELECT min(week) FROM frame)
     AND (:web_property::bigint IS NULL OR web_property_id = :web_property::bigint)
     AND (:assistant::text IS NULL OR assistant = :assistant::text)
     AND (:country::text IS NULL OR country = :country::text)
     AND (:branded::text IS NULL OR prompt_type = :branded::text)
   GROUP BY 1
), top AS (
  SELECT site, bool_or(coalesce(attribution, '') = 'you') AS is_ours
    FROM search_reports.ai_citation_sites
   WHERE account_id = :account::bigint AND week = (SELECT max(week) FROM totals)
     AND (:web_property::bigint IS NULL OR web_property_id = :web_property::bigint)
     AND (:assistant::text IS NULL OR assistant = :assistant::text)
     AND (:country::text IS NULL OR country = :country::text)
     AND (:branded::text IS NULL OR prompt_type = :branded::text)
   GROUP BY 1
   ORDER BY sum(citations) DESC, 1
   LIMIT 8
), figures AS (
  SELECT week, site, sum(citations) AS citations
    FROM search_reports.ai_citation_sites
   WHERE account_id = :account::bigint AND week >= (SELECT min(week) FROM frame) AND (site IN (SELECT site FROM top) OR site IS NULL)
     AND (:web_property::bigint IS NULL OR web_property_id = :web_property::bigint)
     AND (:assistant::text IS NULL OR assistant = :assistant::text)
     AND (:country::text IS NULL OR country = :country::text)
     AND (:branded::text IS NULL OR prompt_type = :branded::text)
   GROUP BY 1, 2
)
SELECT f.week, coalesce(s.site, '(none)') AS site, s.is_ours, round(100.0 * CASE WHEN t.week IS NOT NULL THEN coalesce(g.citations, 0) END / nullif(t.citations, 0), 2) AS percent,
       CASE WHEN t.week IS NOT NULL THEN coalesce(g.citations, 0) END AS citations, t.citations AS all_citations,
       CASE WHEN t.week IS NULL THEN coalesce(f.gap, f.note, 'no citations') ELSE f.note END AS reason
  FROM frame f
 CROSS JOIN top s
  LEFT JOIN totals t ON t.week = f.week
  LEFT JOIN figures g ON g.week = f.week AND g.site IS NOT DISTINCT FROM s.site
 ORDER BY s.is_ours DESC, s.site, f.week

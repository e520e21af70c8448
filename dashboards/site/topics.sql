-- Title: Topics by assistant
-- Question: On which topics does each assistant cite this site?
-- Chart: heatmap
-- X: assistant
-- Y: percent
-- Series: topic
-- Unit: %
-- Links: topic
-- Empty: No assistant cites anything in these weeks.
-- Note: Over all weeks chosen that have figures. A week whose filters leave attributions or sites out has a part of all citations only and is left out.
-- Computed: Citations of the site and those below it, divided by all citations loaded of the topic and assistant, over the weeks with figures.
-- Datasets: ai_search_citations
-- Variables: account, site, web_property, assistant, country, weeks
-- Order: 40
WITH frame AS (
  -- A share is of all citations: a week of some attributions or sites only has none.
  SELECT week, note, asked, asked ->> 'change' AS change,
         coalesce(gap, 'citations were asked for in part only: ' || search_reports.filtered_by(asked, '{citation_attributions,root_domains,domains,citation_urls}')) AS gap
    FROM search_reports.ai_frame('{ai_search_citations}', :account::bigint, :web_property::bigint, :assistant::text, :country::text, NULL, :weeks::text)
), told AS (
  SELECT CASE WHEN count(*) = 0 THEN 'No week is published.' WHEN bool_and(gap IS NOT NULL) THEN 'No week has all citations.' END AS reason,
         string_agg(format('Week of %s: %s.', week, text), ' ' ORDER BY week) FILTER (WHERE text IS NOT NULL) AS notice
    FROM (SELECT week, gap, coalesce('left out, ' || gap, nullif(concat_ws('; ', note, change), '')) AS text FROM frame) AS weeks
), shares AS (
  SELECT c.assistant, coalesce(c.topic, '(none)') AS topic, round(100.0 * coalesce(sum(c.citations) FILTER (WHERE c.is_of_site), 0) / sum(c.citations), 1) AS percent,
         coalesce(sum(c.citations) FILTER (WHERE c.is_of_site), 0) AS citations, sum(c.citations) AS all_citations
    FROM search_reports.site_citations(:account::bigint, :web_property::bigint, :assistant::text, :country::text, :site::text, NULL, (SELECT min(week) FROM frame)) AS c
    JOIN frame f ON f.week = c.week AND f.gap IS NULL
   GROUP BY 1, 2
)
SELECT s.*, t.reason, t.notice
  FROM told t LEFT JOIN shares s ON true
 ORDER BY s.topic, s.assistant

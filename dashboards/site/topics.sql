-- Title: Topics by assistant
-- Question: On which topics does each assistant cite this site?
-- Chart: heatmap
-- X: assistant
-- Y: percent
-- Series: topic
-- Unit: %
-- Links: topic
-- Empty: No assistant cites anything in these weeks.
-- Note: Over all weeks chosen that have figures. A job whose filters leave attributions out loads only a part of all citations: the shares are of that part.
-- Computed: Citations of the site and those below it, divided by all citations loaded of the topic and assistant, over the weeks with figures.
-- Datasets: ai_search_citations
-- Variables: account, site, web_property, assistant, country, weeks
-- Order: 40
WITH frame AS (
  SELECT * FROM search_reports.ai_frame('{ai_search_citations}', :account::bigint, :web_property::bigint, :assistant::text, :country::text, NULL, :weeks::text)
)
SELECT c.assistant, coalesce(c.topic, '(none)') AS topic, round(100.0 * coalesce(sum(c.citations) FILTER (WHERE c.is_of_site), 0) / sum(c.citations), 1) AS percent,
       coalesce(sum(c.citations) FILTER (WHERE c.is_of_site), 0) AS citations, sum(c.citations) AS all_citations,
       (SELECT string_agg(format('Week of %s: %s.', week, coalesce('left out, ' || gap, note)), ' ' ORDER BY week) FROM frame WHERE coalesce(gap, note) IS NOT NULL) AS notice
  FROM search_reports.site_citations(:account::bigint, :web_property::bigint, :assistant::text, :country::text, :site::text, NULL, (SELECT min(week) FROM frame)) AS c
  JOIN frame f ON f.week = c.week AND f.gap IS NULL
 GROUP BY 1, 2
 ORDER BY 2, 1

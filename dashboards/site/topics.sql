-- Title: Topics by assistant
-- Question: On which topics does each assistant cite this site?
-- Chart: heatmap
-- X: assistant
-- Y: percent
-- Series: topic
-- Unit: %
-- Links: topic
-- Empty: No assistant cites anything in these weeks.
-- Note: Of prompts of all kinds, over the chosen weeks (weeks: how many have citations of the topic and assistant). Prompts of which
--   attributions or sites
--   were left out by filters have only a part of all citations, and do not count.
-- Computed: Citations of the site and those below it, divided by all citations loaded of the topic and assistant, over these weeks.
-- Datasets: ai_search_citations
-- Variables: account, site, web_property, assistant, country, weeks
-- Order: 40
WITH weeks AS (
  SELECT array_agg(week) FILTER (WHERE gap IS NULL) AS known,
         string_agg(format('The week of %s is left out: %s.', week, gap),
           ' ' ORDER BY week) FILTER (WHERE week IS NOT NULL AND gap IS NOT NULL) AS notice
    FROM search_reports.measure_weeks('citations', :account::bigint, :weeks::text)
), cited AS (
  SELECT u.assistant, coalesce(nullif(u.topic, ''), '(none)') AS topic, sum(s.citations) AS citations, sum(u.citations) AS all_citations,
         count(DISTINCT u.week) FILTER (WHERE u.citations > 0) AS weeks
    FROM weeks w CROSS JOIN LATERAL search_reports.prompts(:choices, w.known) AS u
   CROSS JOIN LATERAL (SELECT count(*) AS citations FROM unnest(u.cited_sites) AS site
   WHERE search_reports.is_of_site(site, :site::text)) AS s
   GROUP BY 1, 2
  HAVING sum(u.citations) > 0
)
SELECT c.assistant, c.topic, round(100 * c.citations / c.all_citations, 1) AS percent, c.citations, c.all_citations, c.weeks,
       CASE WHEN c.topic IS NULL
            THEN (SELECT min(reason) FROM search_reports.levels('citations', NULL, :choices, :weeks::text) WHERE level IS NULL) END AS reason, w.notice
  FROM weeks w LEFT JOIN cited c ON true
 ORDER BY c.topic, c.assistant

-- Title: Topics by assistant
-- Question: On which topics does each assistant cite this site?
-- Chart: heatmap
-- X: assistant
-- Y: percent
-- Series: topic
-- Unit: %
-- Links: topic
-- Empty: No assistant cites anything in these weeks.
-- Note: Of prompts of all kinds, over the chosen weeks that answer the same question as the newest one with citations of the topic and assistant
--   (weeks: how many). A week whose filters leave out attributions or sites has only a part of all citations and is left out.
-- Computed: Citations of the site and those below it, divided by all citations loaded of the topic and assistant, over these weeks.
-- Datasets: ai_search_citations
-- Variables: account, site, web_property, assistant, country, weeks
-- Order: 40
WITH frame AS (
  -- A share is of all citations: a week of some attributions or sites only has none.
  SELECT week, note, asked, asked ->> 'change' AS change,
         coalesce(gap, asked ->> 'unasked', search_reports.citations_in_part(asked)) AS gap
    FROM search_reports.ai_frame('{ai_search_citations}', :account::bigint, :web_property::text[], :assistant::text[], :country::text[], NULL, :weeks::text)
), told AS (
  SELECT CASE WHEN count(week) = 0 THEN max(gap) WHEN bool_and(gap IS NOT NULL) THEN 'No week has all citations.' END AS reason,
         string_agg(format('Week of %s: %s.', week, text), ' ' ORDER BY week) FILTER (WHERE week IS NOT NULL AND text IS NOT NULL) AS notice
    FROM (SELECT week, gap, coalesce('left out, ' || gap, nullif(concat_ws('; ', note, change), '')) AS text FROM frame) AS weeks
), cited AS (
  SELECT c.week, c.assistant, c.topic, coalesce(sum(c.citations) FILTER (WHERE c.is_of_site), 0) AS citations,
         sum(c.citations) FILTER (WHERE NOT c.is_of_site) AS all_citations
    FROM search_reports.site_citations(:account::bigint, :web_property::text[], :assistant::text[], :country::text[], :site::text, NULL,
                                       (SELECT min(week) FROM frame)) AS c
   GROUP BY 1, 2, 3
), pooled AS (
  -- Weeks of other questions are not one figure.
  SELECT c.*, l.question = first_value(l.question) OVER (PARTITION BY c.assistant, c.topic ORDER BY f.week DESC) AS is_pooled
    FROM cited c JOIN frame f ON f.week = c.week AND f.gap IS NULL
   CROSS JOIN LATERAL search_reports.line(f.asked, jsonb_build_object('assistant', c.assistant, 'topic', coalesce(c.topic, '')), true) AS l
), shares AS (
  SELECT assistant, coalesce(topic, '(none)') AS topic,
         round(100.0 * sum(citations) FILTER (WHERE is_pooled) / sum(all_citations) FILTER (WHERE is_pooled), 1) AS percent,
         sum(citations) FILTER (WHERE is_pooled) AS citations, sum(all_citations) FILTER (WHERE is_pooled) AS all_citations,
         count(*) FILTER (WHERE is_pooled) AS weeks,
         'left out, another question: ' || string_agg(week::text, ', ' ORDER BY week) FILTER (WHERE NOT is_pooled) AS others
    FROM pooled
   GROUP BY 1, 2
)
SELECT s.assistant, s.topic, s.percent, s.citations, s.all_citations, s.weeks, coalesce(t.reason, s.others) AS reason, t.notice
  FROM told t LEFT JOIN shares s ON true
 ORDER BY s.topic, s.assistant

-- Title: Topics by assistant
-- Question: On which topics does an assistant hardly name us, and which competitor does it cite instead?
-- Chart: heatmap
-- X: assistant
-- Y: percent
-- Series: topic
-- Unit: %
-- Note: Over all weeks chosen of which brands are published. The table has the competitor that is cited most on the topic, and its share of the citations there.
-- Computed: Answers that name us, divided by answers collected, by topic and assistant. The competitor is the site with the most citations
--   that are not attributed to You; its share is of all citations loaded of that topic and assistant.
-- Datasets: ai_search_response, ai_search_brands, ai_search_citations
-- Variables: account, web_property, assistant, country, branded, weeks
-- Order: 20
WITH frame AS (
  SELECT *, asked ->> 'change' AS change FROM search_reports.ai_frame('{ai_search_response,ai_search_brands}', :account::bigint, :web_property::bigint, :assistant::text, :country::text, :branded::text, :weeks::integer)
), answers AS (
  SELECT coalesce(a.topic, '(none)') AS topic, coalesce(a.assistant, '(unknown)') AS assistant, max(l.unasked) AS unasked,
         sum(a.answers) FILTER (WHERE l.unasked IS NULL) AS answers, sum(a.naming) FILTER (WHERE l.unasked IS NULL) AS naming
    FROM search_reports.answers_of(:account::bigint, :web_property::bigint, :assistant::text, :country::text, :branded::text, (SELECT min(week) FROM frame)) AS a
    JOIN frame f ON f.week = a.week AND f.gap IS NULL
   CROSS JOIN LATERAL search_reports.line(f.asked, jsonb_build_object('assistant', coalesce(a.assistant, ''), 'topic', coalesce(a.topic, '')), a.naming > 0) AS l
   GROUP BY 1, 2
), sites AS (
  SELECT coalesce(topic, '(none)') AS topic, coalesce(assistant, '(unknown)') AS assistant, site, is_ours, citations
    FROM search_reports.cited_sites_of(:account::bigint, :web_property::bigint, :assistant::text, :country::text, :branded::text, (SELECT min(week) FROM frame))
), cited AS (
  SELECT topic, assistant, sum(citations) AS citations, max(citations) FILTER (WHERE NOT is_ours) AS most FROM sites GROUP BY 1, 2
), best AS (
  SELECT s.topic, s.assistant, min(s.site COLLATE "C") AS site
    FROM sites s JOIN cited c ON c.topic = s.topic AND c.assistant = s.assistant AND c.most = s.citations
   WHERE NOT s.is_ours
   GROUP BY 1, 2
)
SELECT a.assistant, a.topic, round(100.0 * a.naming / a.answers, 1) AS percent, a.answers, b.site AS best_competitor,
       round(100.0 * c.most / nullif(c.citations, 0), 1) AS competitor_citation_percent, CASE WHEN a.answers IS NULL THEN a.unasked END AS reason,
       (SELECT string_agg(format('Week of %s: %s.', week, coalesce('left out, ' || gap, concat_ws('; ', note, change))), ' ' ORDER BY week)
          FROM frame WHERE coalesce(gap, note, change) IS NOT NULL) AS notice
  FROM answers a
  LEFT JOIN cited c ON c.topic = a.topic AND c.assistant = a.assistant
  LEFT JOIN best b ON b.topic = a.topic AND b.assistant = a.assistant
 ORDER BY a.topic, a.assistant

-- Title: Topics by assistant
-- Question: On which topics does an assistant hardly name us, and whom does it cite instead?
-- Chart: heatmap
-- X: assistant
-- Y: percent
-- Series: topic
-- Unit: %
-- Note: Over all weeks chosen of which brands are published. The table has the competitor that is cited most on the topic, and the site of
--   others that is, which may be a magazine; each with its share of the citations there.
-- Computed: Answers that name us, divided by answers collected, by topic and assistant. Competitors are the sites of competitors in
--   jobs.config.yaml, else those that citations attribute to SEO Competitor. Sites of others are those not attributed to You. Shares are of
--   all citations loaded of that topic and assistant. A week in which brands and answers do not meet is left out (see the mention rate).
-- Datasets: ai_search_response, ai_search_brands, ai_search_citations
-- Variables: account, web_property, assistant, country, branded, weeks
-- Order: 20
WITH frame AS (
  SELECT *, asked ->> 'change' AS change FROM search_reports.ai_frame('{ai_search_response,ai_search_brands}', :account::bigint, :web_property::bigint, :assistant::text, :country::text, :branded::text, :weeks::integer)
), joins AS (
  SELECT * FROM search_reports.joined_brands(:account::bigint, ARRAY(SELECT week FROM frame WHERE gap IS NULL))
), answers AS (
  SELECT coalesce(a.topic, '(none)') AS topic, coalesce(a.assistant, '(unknown)') AS assistant, max(coalesce(j.gap, l.unasked)) AS unasked,
         sum(a.answers) FILTER (WHERE coalesce(j.gap, l.unasked) IS NULL) AS answers, sum(a.naming) FILTER (WHERE coalesce(j.gap, l.unasked) IS NULL) AS naming
    FROM search_reports.answers_of(:account::bigint, :web_property::bigint, :assistant::text, :country::text, :branded::text, (SELECT min(week) FROM frame)) AS a
    JOIN frame f ON f.week = a.week AND f.gap IS NULL
    LEFT JOIN joins j ON j.week = a.week AND j.assistant IS NOT DISTINCT FROM a.assistant
   CROSS JOIN LATERAL search_reports.line(f.asked, jsonb_build_object('assistant', coalesce(a.assistant, ''), 'topic', coalesce(a.topic, '')), a.naming > 0) AS l
   GROUP BY 1, 2
), sites AS (
  SELECT coalesce(topic, '(none)') AS topic, coalesce(assistant, '(unknown)') AS assistant, coalesce(nullif(site, ''), '(none)') AS site,
         citations, of_others, of_competitors
    FROM search_reports.cited_sites_of(:account::bigint, :web_property::bigint, :assistant::text, :country::text, :branded::text, (SELECT min(week) FROM frame))
), cited AS (
  SELECT topic, assistant, sum(citations) AS citations, max(of_competitors) AS most_of_competitors, max(of_others) AS most_of_others
    FROM sites
   GROUP BY 1, 2
), best AS (
  SELECT s.topic, s.assistant, min(s.site COLLATE "C") FILTER (WHERE s.of_competitors = c.most_of_competitors) AS competitor,
         min(s.site COLLATE "C") FILTER (WHERE s.of_others = c.most_of_others) AS other
    FROM sites s JOIN cited c USING (topic, assistant)
   GROUP BY 1, 2
)
SELECT a.assistant, a.topic, round(100.0 * a.naming / a.answers, 1) AS percent, a.answers, b.competitor AS best_competitor,
       round(100.0 * c.most_of_competitors / nullif(c.citations, 0), 1) AS competitor_citation_percent,
       b.other AS most_cited_site, round(100.0 * c.most_of_others / nullif(c.citations, 0), 1) AS site_citation_percent, CASE WHEN a.answers IS NULL THEN a.unasked END AS reason,
       (SELECT string_agg(format('Week of %s: %s.', week, coalesce('left out, ' || gap, concat_ws('; ', note, change))), ' ' ORDER BY week)
          FROM frame WHERE coalesce(gap, note, change) IS NOT NULL) AS notice
  FROM answers a
  LEFT JOIN cited c ON c.topic = a.topic AND c.assistant = a.assistant
  LEFT JOIN best b ON b.topic = a.topic AND b.assistant = a.assistant
 ORDER BY a.topic, a.assistant

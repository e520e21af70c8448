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
  SELECT a.week, a.gap, nullif(concat_ws('; ', a.note, 'brands ' || b.note), '') AS note, b.week IS NOT NULL AND b.gap IS NULL AS has_brands,
         'brands ' || b.gap AS brands_gap
    FROM search_reports.newest_weeks('ai_search_response', :account::bigint, :weeks::integer) a
    LEFT JOIN search_reports.newest_weeks('ai_search_brands', :account::bigint, NULL) b ON b.week = a.week
), answers AS (
  SELECT coalesce(topic, '(none)') AS topic, coalesce(assistant, '(unknown)') AS assistant, sum(answers) AS answers, sum(naming_answers) AS naming
    FROM search_reports.ai_answers
   WHERE account_id = :account::bigint AND week IN (SELECT week FROM frame WHERE has_brands)
     AND (:web_property::bigint IS NULL OR web_property_id = :web_property::bigint)
     AND (:assistant::text IS NULL OR assistant = :assistant::text)
     AND (:country::text IS NULL OR country = :country::text)
     AND (:branded::text IS NULL OR coalesce(prompt_type, 'unbranded') = :branded::text)
   GROUP BY 1, 2
), sites AS (
  SELECT coalesce(topic, '(none)') AS topic, coalesce(assistant, '(unknown)') AS assistant, site, coalesce(attribution, '') = 'you' AS is_ours,
         sum(citations) AS citations
    FROM search_reports.ai_citation_sites
   WHERE account_id = :account::bigint AND week >= (SELECT min(week) FROM frame)
     AND (:web_property::bigint IS NULL OR web_property_id = :web_property::bigint)
     AND (:assistant::text IS NULL OR assistant = :assistant::text)
     AND (:country::text IS NULL OR country = :country::text)
     AND (:branded::text IS NULL OR prompt_type = :branded::text)
   GROUP BY 1, 2, 3, 4
), cited AS (
  SELECT topic, assistant, sum(citations) AS citations, max(citations) FILTER (WHERE NOT is_ours) AS most FROM sites GROUP BY 1, 2
), best AS (
  SELECT s.topic, s.assistant, min(s.site COLLATE "C") AS site
    FROM sites s JOIN cited c ON c.topic = s.topic AND c.assistant = s.assistant AND c.most = s.citations
   WHERE NOT s.is_ours
   GROUP BY 1, 2
)
SELECT a.assistant, a.topic, round(100.0 * a.naming / nullif(a.answers, 0), 1) AS percent, a.answers, b.site AS best_competitor,
       round(100.0 * c.most / nullif(c.citations, 0), 1) AS competitor_citation_percent,
       (SELECT string_agg(format('Week of %s: %s.', week, CASE WHEN gap IS NOT NULL OR NOT has_brands THEN 'left out, ' || coalesce(gap, brands_gap, 'no brands are published')
                                                   ELSE note END), ' ' ORDER BY week)
          FROM frame WHERE gap IS NOT NULL OR NOT has_brands OR note IS NOT NULL) AS notice
  FROM answers a
  LEFT JOIN cited c ON c.topic = a.topic AND c.assistant = a.assistant
  LEFT JOIN best b ON b.topic = a.topic AND b.assistant = a.assistant
 ORDER BY a.topic, a.assistant

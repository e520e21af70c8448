-- Title: A cited page is gone
-- Question: Which of our pages do assistants no longer cite?
-- More: more of our pages are not cited any more
-- From: page/citations
-- Computed: Pages of ours (attributed to You, or on an own domain), without scheme, www. and a slash at the end, that were cited
--   least_citations times or more the week before, in answers to tracked prompts that are asked now, too, and not once now.
-- Datasets: ai_search_citations
-- Thresholds: least_citations
-- Order: 50
WITH pair AS MATERIALIZED (
  SELECT p.week, p.before,
         coalesce(p.silence, CASE WHEN NOT EXISTS (SELECT FROM search_reports.prompts(search_reports.all_of(:account::bigint),
                                                                                      ARRAY[p.week]) AS f WHERE f.own_citations IS NOT NULL)
                                  THEN 'citations of our pages were not asked for' END) AS silence
    FROM search_reports.signal_weeks('citation_share', search_reports.all_of(:account::bigint), :week::date, false) AS p
), cited AS MATERIALIZED (
  -- What counts as ours may differ from week to week.
  SELECT c.url FROM pair p CROSS JOIN LATERAL search_reports.cited_pages(search_reports.all_of(:account::bigint), p.week, NULL) AS c
), gone AS (
  SELECT g.* FROM pair p CROSS JOIN LATERAL search_reports.own_pages(search_reports.all_of(:account::bigint), p.week, p.before) AS g
   WHERE p.silence IS NULL AND g.citations = 0 AND g.kept_before >= :least_citations::bigint
     AND NOT EXISTS (SELECT FROM cited c WHERE c.url = g.url)
)
SELECT g.url AS subject,
       format('%s is not cited any more: the week before %s times, by %s %s', g.url, g.citations_before, g.assistants_before,
              CASE g.assistants_before WHEN 1 THEN 'assistant' ELSE 'assistants' END) AS text,
       g.citations_before::numeric AS weight, jsonb_build_object('url', g.url) AS about, p.silence
  FROM pair p LEFT JOIN gone g ON true

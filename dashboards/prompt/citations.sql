-- Title: Citations
-- Question: Which pages do the answers cite, and which are new or gone?
-- Chart: table
-- Empty: Answers to this prompt cite nothing in these weeks.
-- Computed: Rows of ai_search_citations of the prompt in the week and in the week compared with, by assistant and address. Where one of the weeks is not
--   published, none is called new or gone.
-- Datasets: ai_search_citations, ai_search_response
-- Variables: account, prompt, assistant, country, week, before
-- Order: 30
WITH frame AS (
  SELECT coalesce(:week::date, max(week)) AS week, coalesce(:before::date, coalesce(:week::date, max(week)) - 7) AS before
    FROM search_reports.weeks
   WHERE dataset = 'ai_search_response' AND account_id = :account::bigint AND is_published
), comparable AS (
  SELECT count(*) = 2 AS is_so FROM search_reports.weeks w JOIN frame f ON w.week IN (f.week, f.before)
   WHERE w.dataset = 'ai_search_citations' AND w.account_id = :account::bigint AND w.is_published AND NOT w.is_partial
), rows AS (
  SELECT true AS is_newer, c.ai_search_engine, c.locode, c.citation_url, c.citation_domain, c.citation_title, c.citation_attribution
    FROM search.ai_search_citations c
   WHERE c.account_id = :account::bigint AND c.prompt = :prompt::text
     AND c.time_period_start BETWEEN (SELECT week FROM frame) AND (SELECT week + 6 FROM frame)
  UNION ALL
  SELECT false, c.ai_search_engine, c.locode, c.citation_url, c.citation_domain, c.citation_title, c.citation_attribution
    FROM search.ai_search_citations c
   WHERE c.account_id = :account::bigint AND c.prompt = :prompt::text
     AND c.time_period_start BETWEEN (SELECT before FROM frame) AND (SELECT before + 6 FROM frame)
)
SELECT CASE WHEN NOT (SELECT is_so FROM comparable) THEN NULL WHEN bool_or(is_newer) AND bool_or(NOT is_newer) THEN NULL
            WHEN bool_or(is_newer) THEN 'new' ELSE 'gone' END AS change,
       ai_search_engine AS assistant, citation_domain AS site, citation_url AS url, max(citation_title) AS title, max(citation_attribution) AS attribution,
       count(*) FILTER (WHERE is_newer) AS citations,
       CASE WHEN NOT (SELECT is_so FROM comparable) THEN (SELECT format('Citations of the week of %s and of %s are not both whole, so none is called new or gone.', week, before) FROM frame) END AS notice
  FROM rows
 WHERE (:assistant::text IS NULL OR ai_search_engine = :assistant::text)
   AND (:country::text IS NULL OR search_reports.country_of(locode) = :country::text)
 GROUP BY ai_search_engine, citation_domain, citation_url
 ORDER BY assistant, citations DESC, site, url

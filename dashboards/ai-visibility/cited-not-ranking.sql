-- Title: Cited, but not ranking
-- Question: Which of our pages do assistants cite although no tracked search finds them?
-- Chart: table
-- Note: Newest weeks of citations and rankings. URLs are compared without scheme, www. and a slash at the end.
-- Empty: Every page of ours that is cited ranks, too.
-- Computed: Our cited URLs (attributed to You) that are not among the URLs of our own domains in the rankings.
-- Datasets: keyword_rankings, ai_search_citations
-- Variables: account, web_property, assistant, country, weeks
-- Order: 110
WITH citations AS (
  SELECT * FROM search_reports.ai_pair('{ai_search_citations}', :account::bigint, :web_property::bigint, :assistant::text, :country::text, NULL, :weeks::text)
), rankings AS (
  SELECT * FROM search_reports.ranking_pair(:account::bigint, :web_property::bigint, :country::text, NULL, :weeks::text)
), cited AS (
  SELECT p.* FROM citations n CROSS JOIN LATERAL search_reports.cited_pages_of(:account::bigint, :web_property::bigint, :assistant::text, :country::text, NULL, n.week, NULL) AS p WHERE p.is_ours
), ranked AS (
  SELECT p.* FROM rankings n CROSS JOIN LATERAL search_reports.own_pages_of(:account::bigint, :web_property::bigint, :country::text, n.week) AS p
), shown AS (
  SELECT c.url, c.citations, c.assistants
    FROM cited c
   WHERE c.url IS NOT NULL AND NOT EXISTS (SELECT FROM ranked r WHERE r.url = c.url)
   ORDER BY c.citations DESC, c.url
   LIMIT 100
)
SELECT s.*, coalesce(c.reason, r.reason, search_reports.unasked_values(c.asked, 'citation_attributions', '{you}'),
                     CASE WHEN NOT EXISTS (SELECT FROM cited) THEN 'No citation is attributed to You.'
                          WHEN NOT EXISTS (SELECT FROM ranked) THEN 'No ranking page is known to be ours.' END) AS reason,
       concat_ws(' ', 'Citations:', c.notice, 'Rankings:', r.notice) AS notice
  FROM citations c CROSS JOIN rankings r
  LEFT JOIN shown s ON EXISTS (SELECT FROM cited) AND EXISTS (SELECT FROM ranked)
 ORDER BY s.citations DESC, s.url

-- Title: Ranking, but not cited
-- Question: Which of our pages rank although no assistant cites them?
-- Chart: table
-- Links: url = page
-- Note: Newest weeks of citations and rankings. URLs are compared without scheme, www. and a slash at the end.
-- Empty: Every page of ours that ranks is cited, too.
-- Computed: URLs of our own domains in the rankings that are not among our cited URLs (attributed to You).
-- Datasets: keyword_rankings, ai_search_citations
-- Variables: account, web_property, assistant, country, weeks
-- Order: 120
WITH citations AS (
  SELECT *
    FROM search_reports.ai_pair('{ai_search_citations}', :account::bigint, :web_property::text[], :assistant::text[], :country::text[], NULL, :weeks::text)
), rankings AS (
  SELECT * FROM search_reports.ranking_pair(:account::bigint, :web_property::text[], :country::text[], NULL, :weeks::text)
), cited AS (
  SELECT p.*
    FROM citations n
   CROSS JOIN LATERAL search_reports.cited_pages_of(:account::bigint, :web_property::text[], :assistant::text[], :country::text[], NULL, n.week, NULL) AS p
   WHERE p.is_ours
), ranked AS (
  SELECT p.* FROM rankings n CROSS JOIN LATERAL search_reports.own_pages_of(:account::bigint, :web_property::text[], :country::text[], n.week) AS p
), joins AS (
  -- Where no host is on both sides, pages are rather spelled in two ways.
  SELECT c.pages AS cited, c.hosts AS cited_hosts, r.pages AS ranked, r.hosts AS ranked_hosts,
         (SELECT count(*) FROM cited JOIN ranked USING (url)) AS met, NOT c.hosts && r.hosts AS is_strange
    FROM (SELECT count(*) AS pages, array_agg(DISTINCT search_reports.host_of(url)) AS hosts FROM cited WHERE url IS NOT NULL) AS c
   CROSS JOIN (SELECT count(*) AS pages, array_agg(DISTINCT search_reports.host_of(url)) AS hosts FROM ranked WHERE url IS NOT NULL) AS r
), shown AS (
  SELECT r.url, r.best_place, r.searches
    FROM ranked r
   WHERE r.url IS NOT NULL AND NOT EXISTS (SELECT FROM cited c WHERE c.url = r.url)
   ORDER BY r.best_place, r.searches DESC, r.url
   LIMIT 100
)
SELECT s.*, coalesce(c.reason, r.reason, search_reports.unasked_values(c.asked, 'citation_attributions', '{you}'),
                     CASE WHEN NOT EXISTS (SELECT FROM cited) THEN 'No citation is attributed to You.'
                          WHEN NOT EXISTS (SELECT FROM ranked) THEN 'No ranking page is known to be ours.'
                          WHEN j.is_strange THEN format('Cited pages of ours are on %s, ranking ones on %s: no site is on both sides.',
                                                        array_to_string(j.cited_hosts[:3], ', '), array_to_string(j.ranked_hosts[:3], ', ')) END) AS reason,
       concat_ws(' ', 'Citations:', c.notice, 'Rankings:', r.notice,
                 CASE WHEN j.met > 0 OR NOT j.is_strange THEN format('Of %s cited pages of ours and %s that rank, %s are both.', j.cited, j.ranked,
                                                                     j.met) END) AS notice
  FROM citations c CROSS JOIN rankings r CROSS JOIN joins j
  LEFT JOIN shown s ON EXISTS (SELECT FROM cited) AND EXISTS (SELECT FROM ranked) AND NOT coalesce(j.is_strange, false)
 ORDER BY s.best_place, s.searches DESC, s.url

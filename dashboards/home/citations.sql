-- Title: Citations
-- Question: Which sites do assistants cite more often, and which less?
-- Chart: movers
-- Links: site
-- X: site
-- Y: citations_before, citations_now
-- Changes: change
-- Beside: change, Gained, Lost
-- From: ai-visibility/citation-share
-- Note: Of prompts of the chosen kind, by default unbranded ones. The boards Site and Page count those of all kinds.
-- Empty: Every site is cited as often as before.
-- Computed: Citations of the site in the newest week minus those of the compared week. Ours are those attributed to You. reading says whether
--   its share of all citations moved in the same direction by more than the 95 % intervals of both weeks explain, based on how much the prompts differ.
-- Datasets: ai_search_citations
-- Variables: account, web_property, assistant, country, branded, weeks, compare
-- Order: 150
WITH pair AS (
  SELECT *
    FROM search_reports.ai_pair('{ai_search_citations}', :account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text,
                                :weeks::text, :compare::text)
), totals AS (
  SELECT t.week, sum(t.citations)::float8 AS citations, sum(t.citations_by_all)::float8 AS squared
    FROM pair p
   CROSS JOIN LATERAL search_reports.citations_of(:account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text, p.before) AS t
   WHERE t.week IN (p.week, p.before) GROUP BY 1
), sites AS (
  SELECT coalesce(c.site, '(no page)') AS site, c.is_ours, c.before AS citations_before, c.citations AS citations_now, c.citations - c.before AS change,
         c.by_all_before, c.by_all, c.squared_before, c.squared
    FROM pair p
   CROSS JOIN LATERAL search_reports.cited_site_changes(:account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text, p.week,
                                                        p.before) AS c
), shown AS (
  (SELECT * FROM sites WHERE change > 0 ORDER BY change DESC, site LIMIT 10) UNION ALL (SELECT * FROM sites WHERE change < 0 ORDER BY change, site LIMIT 10)
)
SELECT CASE WHEN s.site IS NOT NULL THEN p.week END AS week, s.site, s.is_ours, s.citations_before, s.citations_now, s.change,
       CASE WHEN r.reading = CASE WHEN s.change > 0 THEN 'more' ELSE 'less' END THEN r.reading WHEN r.reading IS NOT NULL THEN 'within noise' END AS reading,
       coalesce(p.reason, p.refusal) AS reason, p.notice
  FROM pair p LEFT JOIN shown s ON true LEFT JOIN totals n ON n.week = p.week LEFT JOIN totals e ON e.week = p.before
 CROSS JOIN LATERAL search_reports.change_reading(
       (100 * s.citations_now / n.citations)::numeric,
       search_reports.rate_interval(s.citations_now, n.citations, n.squared, s.by_all::float8, s.squared::float8),
       (100 * s.citations_before / e.citations)::numeric,
       search_reports.rate_interval(s.citations_before, e.citations, e.squared, s.by_all_before::float8, s.squared_before::float8)) AS r (reading)
 ORDER BY s.change DESC, s.site

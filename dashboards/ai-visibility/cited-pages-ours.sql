-- Title: Our most cited pages
-- Question: Which of our pages do assistants cite?
-- Chart: table
-- Links: url = page
-- Changes: change
-- Note: All pages of ours that are cited in the newest week with citations. Of a page that is cited no more, see the week before.
-- Empty: No page of ours is cited in this week.
-- Computed: Citations by URL, without scheme, www., port, fragment, slash at the end and tracking parameters. Ours are those attributed to You and those of our domains.
--   The percentage is of all citations of our pages in that week. The change is told if at least 80 % of the prompts are the same as in the week
--   compared with.
-- Datasets: ai_search_citations
-- Variables: account, web_property, assistant, country, branded, weeks, compare
-- Order: 50
SELECT CASE WHEN p.citations > 0 THEN coalesce(p.url, '(no page)') END AS url, p.citations,
       CASE WHEN k.kept >= 0.8 THEN p.citations - p.citations_before END AS change,
       round(100.0 * p.citations / sum(p.citations) OVER (), 1) AS percent_of_our_citations, p.site, p.attribution,
       coalesce(s.reason, CASE WHEN p.citations IS NULL THEN search_reports.unasked_of('own_citations', :choices, s.week) END) AS reason,
       concat_ws(' ', s.notice, 'Of the prompts ' || round(100 * k.kept) || ' % are the same.',
                 'Of ' || :branded::text || ' prompts only.') AS notice
  FROM search_reports.shown_weeks('ai_search_citations', :account::bigint, :weeks::text, :compare::text) AS s
 CROSS JOIN LATERAL search_reports.kept_share('citations', :choices, s.week, s.before) AS k (kept)
  LEFT JOIN LATERAL search_reports.cited_pages(:choices, s.week, s.before) AS p ON p.is_ours AND p.citations > 0
 ORDER BY p.citations DESC, p.url

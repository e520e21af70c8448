-- Title: Citations by assistant
-- Question: How often do assistants cite this page?
-- Chart: line
-- X: week
-- Y: citations
-- Series: assistant
-- Unit: citations
-- Note: Of prompts of all kinds.
-- Empty: No week is published.
-- Computed: Citations of this page (its URL without scheme, www. and slashes at the end). A week in which it was asked
--   for and not cited is 0.
-- Datasets: ai_search_citations
-- Variables: account, page, web_property, assistant, country, weeks
-- Order: 30
WITH weeks AS (
  SELECT * FROM search_reports.measure_weeks('citations', :account::bigint, :weeks::text)
), asked AS (
  SELECT u.week, u.assistant, bool_or(u.citations IS NOT NULL OR u.own_citations IS NOT NULL AND o.is_ours) AS is_known
    FROM search_reports.is_own_page(:account::bigint, :page::text) AS o (is_ours)
   CROSS JOIN search_reports.prompts(:choices, ARRAY(SELECT week FROM weeks)) AS u GROUP BY u.week, u.assistant
), cited AS (
  SELECT * FROM search_reports.page_citations(:choices, :page::text, (SELECT min(week) FROM weeks))
)
SELECT w.week, k.assistant, CASE WHEN g.gap IS NULL THEN coalesce(c.citations, 0) END AS citations, coalesce(g.gap, w.note) AS reason
  FROM weeks w
  LEFT JOIN (SELECT DISTINCT assistant FROM cited) AS k ON true
  LEFT JOIN cited c ON c.week = w.week AND c.assistant = k.assistant
  LEFT JOIN asked a ON a.week = w.week AND a.assistant = k.assistant
 CROSS JOIN LATERAL (
       SELECT coalesce(w.gap, CASE WHEN k.assistant IS NULL THEN 'no assistant cites it' WHEN c.citations > 0 THEN NULL
                                   WHEN a.week IS NULL THEN 'nothing that is chosen is there in this week'
                                   WHEN NOT a.is_known THEN 'its citations were not asked for' END) AS gap) AS g
 ORDER BY k.assistant, w.week

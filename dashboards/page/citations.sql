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
WITH frame AS (
  SELECT *
    FROM search_reports.ai_frame('{ai_search_citations}', :account::bigint, :web_property::text[], :assistant::text[], :country::text[], NULL, :weeks::text)
), cited AS (
  SELECT *
    FROM search_reports.page_citations(:account::bigint, :web_property::text[], :assistant::text[], :country::text[], :page::text,
                                       (SELECT min(week) FROM frame))
)
SELECT f.week, k.assistant, CASE WHEN g.gap IS NULL THEN coalesce(c.citations, 0) END AS citations,
       coalesce(g.gap, nullif(concat_ws('; ', f.note, l.change), '')) AS reason, CASE WHEN g.gap IS NULL THEN l.question END AS question
  FROM frame f LEFT JOIN (SELECT DISTINCT assistant FROM cited) AS k ON true
  LEFT JOIN cited c ON c.week = f.week AND c.assistant = k.assistant
 CROSS JOIN LATERAL search_reports.line(f.asked, jsonb_strip_nulls(jsonb_build_object('assistant', k.assistant, 'page', :page::text)), c.citations > 0) AS l
 CROSS JOIN LATERAL search_reports.line(f.asked, jsonb_strip_nulls(jsonb_build_object('assistant', k.assistant, 'attribution', '')), c.citations > 0) AS o
 CROSS JOIN LATERAL (SELECT coalesce(f.gap, l.unasked, o.unasked, CASE WHEN k.assistant IS NULL THEN 'no assistant cites it' END) AS gap) AS g
 ORDER BY k.assistant, f.week

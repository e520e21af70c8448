-- Title: Citation share
-- Question: How many of the citations in answers refer to our pages?
-- Chart: tiles
-- X: week
-- Y: figure
-- Unit: %
-- From: ai-visibility/attribution-mix
-- Computed: Citations attributed to You, divided by all loaded citations of the week, as on the board AI visibility. The 95 % interval is based on
--   how much the prompts differ.
-- Datasets: ai_search_citations
-- Variables: account, web_property, assistant, country, branded, weeks, compare
-- Order: 50
WITH frame AS (
  SELECT *
    FROM search_reports.ai_frame('{ai_search_citations}', :account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text,
                                 :weeks::text)
), citations AS (
  SELECT week, sum(citations) AS citations, coalesce(sum(citations) FILTER (WHERE attribution = 'you'), 0) AS ours,
         coalesce(sum(citations) FILTER (WHERE attribution IS NULL), 0) AS unknown,
         search_reports.rate_interval(coalesce(sum(citations) FILTER (WHERE attribution = 'you'), 0)::float8, sum(citations)::float8,
                                      sum(citations_by_all)::float8,
                                      coalesce(sum(citations_by_all) FILTER (WHERE attribution = 'you'), 0)::float8,
                                      coalesce(sum(citations_squared) FILTER (WHERE attribution = 'you'), 0)::float8) AS bounds
    FROM search_reports.citations_of(:account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text,
                                     (SELECT min(week) FROM frame)) GROUP BY week
), points AS (
  SELECT f.week, 100.0 * c.ours / c.citations AS figure, c.bounds, nullif(concat_ws('; ', f.note, u.note), '') AS note, l.change,
         nullif(concat_ws(', ', l.question, u.note), '') AS question,
         coalesce(f.gap, l.unasked, o.unasked, search_reports.citations_in_part(f.asked), CASE WHEN c.citations IS NULL THEN 'no citations' END, u.gap) AS gap
    FROM frame f LEFT JOIN citations c ON c.week = f.week
   CROSS JOIN LATERAL search_reports.line(f.asked, '{}', false) AS l
   CROSS JOIN LATERAL search_reports.line(f.asked, '{"attribution": "you"}', c.ours > 0) AS o
   CROSS JOIN LATERAL search_reports.unattributed(c.ours, c.unknown, c.citations) AS u
)
SELECT t.*, c.ours AS our_citations, c.citations
  FROM search_reports.tile((SELECT jsonb_agg(p) FROM points AS p), 1, :compare::text) AS t LEFT JOIN citations c ON c.week = t.week ORDER BY t.week

-- Title: Attribution mix of citations
-- Question: How are citations divided between us, competitors and everybody else?
-- Chart: stacked
-- X: week
-- Y: percent
-- Series: attribution
-- Unit: %
-- Note: A week whose filters leave out attributions or sites has only a part of all citations, and no share.
-- Computed: Citations by their attribution in the service, divided by all loaded citations of the week.
--   low and high are the 95 % interval of the share, based on how much the prompts differ.
-- Datasets: ai_search_citations
-- Variables: account, web_property, assistant, country, branded, weeks
-- Order: 40
WITH frame AS (
  SELECT *
    FROM search_reports.ai_frame('{ai_search_citations}', :account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text,
                                 :weeks::text)
), figures AS (
  SELECT week, nullif(attribution, '') AS attribution, sum(citations) AS citations, sum(sum(citations)) OVER (PARTITION BY week) AS of_all,
         coalesce(sum(sum(citations) FILTER (WHERE nullif(attribution, '') IS NULL)) OVER (PARTITION BY week), 0) AS unknown,
         sum(citations_by_all) AS by_all, sum(citations_squared) AS squared, sum(sum(citations_by_all)) OVER (PARTITION BY week) AS all_squared
    FROM search_reports.citations_of(:account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text,
                                     (SELECT min(week) FROM frame)) GROUP BY 1, 2
)
SELECT f.week, CASE WHEN k.is_cited THEN coalesce(k.attribution, '(none)') END AS attribution,
       CASE WHEN g.gap IS NULL THEN round(100.0 * coalesce(c.citations, 0) / t.of_all, 1) END AS percent,
       CASE WHEN g.gap IS NULL THEN round(b.bounds[1], 1) END AS low, CASE WHEN g.gap IS NULL THEN round(b.bounds[2], 1) END AS high,
       CASE WHEN g.gap IS NULL THEN coalesce(c.citations, 0) END AS citations,
       coalesce(g.gap, nullif(concat_ws('; ', f.note, u.note, l.change), '')) AS reason,
       CASE WHEN g.gap IS NULL THEN concat_ws(', ', l.question, u.note) END AS question
  FROM frame f LEFT JOIN (SELECT DISTINCT attribution, true AS is_cited FROM figures) AS k ON true
  LEFT JOIN (SELECT DISTINCT week, of_all, unknown, all_squared FROM figures) AS t ON t.week = f.week
  LEFT JOIN figures c ON c.week = f.week AND c.attribution IS NOT DISTINCT FROM k.attribution
 CROSS JOIN LATERAL search_reports.line(f.asked, '{}', false) AS l
 CROSS JOIN LATERAL search_reports.line(f.asked, jsonb_build_object('attribution', coalesce(k.attribution, '')), c.citations > 0) AS o
 CROSS JOIN LATERAL search_reports.unattributed(c.citations, t.unknown, t.of_all) AS u
 CROSS JOIN LATERAL (SELECT coalesce(f.gap, l.unasked, o.unasked, search_reports.citations_in_part(f.asked),
                                     CASE WHEN t.of_all IS NULL THEN 'no citations' END, u.gap) AS gap) AS g
 CROSS JOIN LATERAL search_reports.rate_interval(coalesce(c.citations, 0)::float8, t.of_all::float8, t.all_squared::float8, coalesce(c.by_all, 0)::float8,
                                                 coalesce(c.squared, 0)::float8) AS b (bounds)
 ORDER BY k.attribution IS NULL, k.attribution <> 'you', k.attribution = 'other', k.attribution, f.week

-- Title: What cannot be compared
-- Question: Which figures of this week cannot be compared with another week, and why?
-- Chart: table
-- Empty: Everything published can be compared.
-- Computed: For each kind of figures that matches the filters, the newest week that has some, if this week or the compared one is missing, lacks what is
--   asked, answers another question, does not show whether we are within the first three places, or is spelled differently from what it is
--   joined with; and kinds that end before the newest week.
-- Datasets: all
-- Variables: account, web_property, country, device, assistant, branded, weeks, compare
-- Order: 200
WITH kinds AS (
  SELECT 'rankings' AS figures, 1 AS place, p.week, p.reason, search_reports.our_places_gap(:account::bigint, p.asked, 3) AS gap,
         coalesce(p.refusal, search_reports.other_searches(:account::bigint, :web_property::text[], :country::text[], :device::text[], p.week,
                                                           p.before)) AS refusal
    FROM search_reports.ranking_pair(:account::bigint, :web_property::text[], :country::text[], :device::text[], :weeks::text, :compare::text) AS p
  UNION ALL
  SELECT k.figures, k.place, p.week, p.reason,
         CASE WHEN k.place = 2 THEN (SELECT string_agg(format('Brands of %s: %s', coalesce(j.assistant, '(unknown)'), j.gap), '; ' ORDER BY j.assistant)
                                       FROM search_reports.joined_brands(:account::bigint, ARRAY[p.week]) AS j
                                      WHERE j.gap IS NOT NULL AND search_reports.is_chosen(j.assistant, :assistant::text[])) END,
         p.refusal
    FROM (VALUES ('mentions in answers', 2, '{ai_search_response,ai_search_brands}'::text[]), ('citations', 3, '{ai_search_citations}'),
          ('sentiments', 4, '{ai_search_sentiments}'))
         AS k (figures, place, datasets)
   CROSS JOIN LATERAL search_reports.ai_pair(k.datasets, :account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text,
                                             :weeks::text, :compare::text) AS p
)
SELECT figures, week, w.why
  FROM (SELECT *, max(week) OVER () AS newest FROM kinds) AS k
 CROSS JOIN LATERAL (SELECT coalesce(reason, nullif(concat_ws(' ', CASE WHEN week < newest
                                                            THEN format('No later week has figures; others have those of the week of %s.', newest) END,
                                                                       search_reports.as_sentence(gap), refusal), '')) AS why) AS w
 WHERE w.why IS NOT NULL
 ORDER BY place

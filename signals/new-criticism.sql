-- Title: New negative sentences
-- Question: Which assistant has started to say negative things about us?
-- More: more assistants say new negative things about our brands
-- From: ai-visibility/against-us?branded=
-- Computed: Negative sentiments that have a snippet and are about a brand attributed to You in that week: snippets that the same assistant did not
--   write about the brand the week before, where there are least_criticism or more of them.
-- Datasets: ai_search_sentiments, ai_search_brands
-- Thresholds: least_criticism
-- Order: 60
WITH pair AS (
  SELECT p.*, coalesce(p.silence, search_reports.unasked_values(p.asked, 'sentiment_values', '{negative}'),
                       CASE WHEN search_reports.own_brands(:account::bigint, p.week) = '{}'
                            THEN 'no brand is attributed to You, so none is known to be ours' END) AS quiet
    FROM search_reports.signal_pair('{ai_search_sentiments,ai_search_brands}', :account::bigint, '{}', :week::date) AS p
), known AS (
  SELECT DISTINCT c.assistant, c.brand, c.snippet
    FROM pair p CROSS JOIN LATERAL search_reports.said_in(:account::bigint, NULL, NULL, NULL, NULL, NULL, p.before) AS c
   -- Of all brands: one that is ours now may not have counted as ours then.
   WHERE p.quiet IS NULL AND lower(c.sentiment) = 'negative'
), new AS (
  SELECT c.assistant, c.brand, count(DISTINCT c.snippet) AS snippets, (array_agg(c.snippet ORDER BY c.place))[1] AS worst,
         (array_agg(c.source ORDER BY c.place))[1] AS source
    FROM pair p CROSS JOIN LATERAL search_reports.criticism_of(:account::bigint, NULL, NULL, NULL, NULL, p.week, NULL) AS c
   WHERE p.quiet IS NULL
     AND NOT EXISTS (SELECT FROM known k WHERE k.assistant IS NOT DISTINCT FROM c.assistant AND k.brand = c.brand AND k.snippet = c.snippet)
   GROUP BY c.assistant, c.brand
  HAVING count(DISTINCT c.snippet) >= :least_criticism::bigint
)
SELECT CASE WHEN n.snippets IS NOT NULL THEN concat_ws(', ', n.assistant, n.brand) END AS subject,
       format('{assistant} says %s negative things about %s that it did not say the week before, such as “%s”%s', n.snippets, n.brand, left(n.worst, 200),
              CASE WHEN n.source <> '' THEN format(' (from %s)', n.source) ELSE '' END) AS text,
       n.snippets::numeric AS weight, jsonb_build_object('assistant', n.assistant, 'brand', n.brand) AS about, p.quiet AS silence
  FROM pair p LEFT JOIN new n ON true

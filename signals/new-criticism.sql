-- Title: An assistant criticises us more
-- Question: Which assistant speaks ill of us more often, by more than chance?
-- More: more assistants criticise us more
-- From: ai-visibility/against-us?branded=
-- Computed: The share of negative mentions of our brands, like for like: over the prompts that both weeks have. Of all assistants
--   together, what is reported stands after Benjamini and Hochberg at 5 %, and has least_criticism negative mentions or more. It quotes
--   only sentences that no week before had.
-- Datasets: ai_search_sentiments
-- Thresholds: least_criticism
-- Order: 60
WITH pair AS MATERIALIZED (
  SELECT * FROM search_reports.signal_weeks('criticism', search_reports.all_of(:account::bigint), :week::date)
), tested AS MATERIALIZED (
  SELECT x.*, search_reports.chance_of(x.like_for_like, x.noise, x.observations) AS chance
    FROM pair p
   CROSS JOIN LATERAL search_reports.changes('criticism', 'assistant', search_reports.all_of(:account::bigint), p.week, p.before) AS x
), grown AS (
  SELECT t.* FROM tested t
   WHERE t.like_for_like > 0 AND t.part >= :least_criticism::bigint
     AND t.chance <= (SELECT search_reports.chance_cut(array_agg(chance)) FROM tested)
), said AS MATERIALIZED (
  SELECT p.week, c.assistant, c.snippet, c.place
    FROM pair p CROSS JOIN LATERAL search_reports.said(search_reports.all_of(:account::bigint), p.week) AS c
   WHERE c.is_ours AND lower(c.sentiment COLLATE "C") = 'negative' AND c.snippet <> '' AND c.assistant IN (SELECT line FROM grown)
), sentences AS (
  SELECT s.assistant, count(DISTINCT s.snippet) AS amount, (array_agg(s.snippet ORDER BY s.place))[1] AS worst
    FROM said s
   WHERE s.snippet <> ALL (search_reports.said_before(:account::bigint, s.week, ARRAY(SELECT snippet FROM said)))
   GROUP BY s.assistant
)
SELECT g.line AS subject,
       format('{assistant} criticises us more: %s %% of its mentions are negative, %s points more like for like%s', round(g.level, 1),
              round(g.like_for_like, 1),
              CASE WHEN s.amount > 0 THEN format('; new since this week: “%s”', left(s.worst, 200)) ELSE '' END
                || CASE WHEN s.amount > 1 THEN format(' and %s more', s.amount - 1) ELSE '' END) AS text,
       g.part AS weight, jsonb_build_object('assistant', g.line) AS about, p.silence
  FROM pair p LEFT JOIN grown g ON true LEFT JOIN sentences s ON s.assistant = g.line

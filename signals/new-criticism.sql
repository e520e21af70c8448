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
)
SELECT g.line AS subject,
       format('{assistant} criticises us more: %s %% of its mentions are negative, %s points more like for like%s', round(g.level, 1),
              round(g.like_for_like, 1), search_reports.new_criticism(search_reports.all_of(:account::bigint), p.week, g.line)) AS text,
       g.part AS weight, jsonb_build_object('assistant', g.line) AS about, p.silence
  FROM pair p LEFT JOIN grown g ON true

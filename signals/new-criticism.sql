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
), grown AS (
  SELECT t.*
    FROM pair p
   CROSS JOIN LATERAL search_reports.tested_assistants('criticism', search_reports.all_of(:account::bigint), p.week, p.before) AS t
   WHERE t.is_more_than_chance AND t.like_for_like > 0 AND t.part >= :least_criticism::bigint
)
SELECT g.assistant AS subject,
       format('{assistant} criticises us more: %s %% of its mentions are negative, %s points more like for like%s', round(g.level, 1),
              round(g.like_for_like, 1),
              search_reports.new_criticism(search_reports.all_of(:account::bigint), p.week, g.assistant)) AS text,
       g.part AS weight, jsonb_build_object('assistant', g.assistant) AS about, p.silence
  FROM pair p LEFT JOIN grown g ON true

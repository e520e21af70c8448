-- Title: Themes of these searches
-- Question: Which words occur in the searches of assistants?
-- Chart: bar
-- X: word
-- Y: times
-- Unit: searches
-- Note: Over the chosen weeks that answer the same question as the newest one. Words of fewer than three letters, and the most common English words, are left out.
-- Computed: Each search counts once for each distinct word in it.
-- Datasets: ai_search_fan_out
-- Variables: account, web_property, assistant, country, branded, weeks
-- Order: 100
WITH frame AS (
  SELECT week, note, asked, coalesce(gap, asked ->> 'unasked') AS gap
    FROM search_reports.ai_frame('{ai_search_fan_out}', :account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text,
                                 :weeks::text)
), weeks AS (
  -- Searches of other questions are not added.
  SELECT w.week, w.gap, f.note
    FROM search_reports.of_newest_question((SELECT jsonb_agg(f) FROM frame AS f)) AS w JOIN frame f ON f.week IS NOT DISTINCT FROM w.week
), words AS (
  SELECT word, sum(times) AS times, count(*) AS different_searches
    FROM search_reports.fan_out_of(:account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text,
                                   ARRAY(SELECT week FROM weeks WHERE gap IS NULL))
   CROSS JOIN LATERAL (SELECT DISTINCT word FROM regexp_split_to_table(lower(query), '[^[:alnum:]]+') AS word
                        WHERE length(word) > 2 AND word NOT IN ('the', 'and', 'for', 'with', 'are', 'what', 'which', 'how', 'from', 'that')) AS words
   GROUP BY word
)
SELECT w.*, t.reason, (SELECT string_agg(format('Week of %s: %s.', week, coalesce('left out, ' || gap, note)), ' ' ORDER BY week)
                         FROM weeks WHERE week IS NOT NULL AND coalesce(gap, note) IS NOT NULL) AS notice
  FROM search_reports.weeks_told((SELECT jsonb_agg(w) FROM weeks AS w)) AS t LEFT JOIN words w ON true
 ORDER BY w.times DESC, w.word
 LIMIT 20

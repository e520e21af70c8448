-- Title: What is said against us
-- Question: Which negative sentences about our brands do assistants write, which of them are new, and what are their sources?
-- Chart: table
-- Links: prompt, topic, source = site
-- Note: The newest week with sentiments, worst first. A sentence is new if answers of no week before said it.
-- Empty: Nothing negative is said about our brands in this week.
-- Computed: Negative sentiments with a snippet, by score, of our brands: names that brands of any week attribute to You.
-- Datasets: ai_search_sentiments, ai_search_brands
-- Variables: account, web_property, assistant, country, branded, topics, weeks
-- Order: 80
WITH shown AS (
  SELECT * FROM search_reports.shown_weeks('ai_search_sentiments', :account::bigint, :weeks::text)
), mentions AS MATERIALIZED (
  SELECT c.* FROM shown s CROSS JOIN LATERAL search_reports.said(:choices, s.week) AS c
), said AS (
  SELECT * FROM mentions WHERE is_ours AND lower(sentiment COLLATE "C") = 'negative' AND snippet <> ''
), counts AS (
  SELECT count(*) AS of_all, count(*) FILTER (WHERE is_ours) AS ours, mode() WITHIN GROUP (ORDER BY brand) AS most FROM mentions
), known AS MATERIALIZED (
  SELECT search_reports.said_before(:account::bigint, s.week, ARRAY(SELECT snippet FROM said)) AS snippets FROM shown s
)
SELECT c.brand, c.snippet, CASE WHEN c.place > 0 AND c.snippet <> ALL (k.snippets) THEN 'new' END AS new, c.score AS sentiment_score,
       c.category, c.assistant, c.topic, c.prompt, c.source,
       CASE WHEN s.reason IS NOT NULL THEN s.reason WHEN c.place > 0 THEN NULL
            WHEN n.of_all = 0 OR n.ours > 0 OR o.names = '{}' THEN search_reports.unasked_of('sentiments', :choices, s.week)
            ELSE format('Our brands are %s, and no mention is of them: of %s, most are of %s. Are they spelled differently?',
                        array_to_string(o.names[:3], ', '), n.of_all, n.most) END AS reason,
       concat_ws(' ', s.notice, CASE WHEN n.ours > 0
         THEN format('Of %s mentions %s are of brands of ours.', n.of_all, n.ours) END) AS notice
  FROM shown s CROSS JOIN known k CROSS JOIN counts n CROSS JOIN search_reports.own_names(:account::bigint) AS o (names)
  LEFT JOIN said c ON true
 ORDER BY c.place

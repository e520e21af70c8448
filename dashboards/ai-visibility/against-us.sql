-- Title: What is said against us
-- Question: Which negative sentences about our brands do assistants write, and what are their sources?
-- Chart: table
-- Links: prompt, topic, source = site
-- Note: The newest week with sentiments, worst first. Our brands are those attributed to You in that week; if it has
--   none, all brands are shown.
-- Empty: Nothing negative is said about our brands in the newest week.
-- Computed: Negative sentiments that have a snippet, by score.
-- Datasets: ai_search_sentiments, ai_search_brands
-- Variables: account, web_property, assistant, country, branded, topics, weeks
-- Order: 80
WITH pair AS (
  SELECT *
    FROM search_reports.ai_pair('{ai_search_sentiments}', :account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text,
                                :weeks::text, NULL, :topics::text[])
), shown AS (
  SELECT c.*
    FROM pair p
   CROSS JOIN LATERAL search_reports.criticism_of(:account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text, p.week,
         :topics::text[]) AS c
   LIMIT 100
), own AS (
  SELECT search_reports.own_brands(:account::bigint, p.week) AS brands FROM pair p
), joins AS (
  SELECT count(*) AS brands, sum(m.mentions) AS mentions, sum(m.mentions) FILTER (WHERE lower(m.brand) = ANY (o.brands)) AS mentions_met,
         string_agg(m.brand, ', ' ORDER BY m.mentions DESC, m.brand) FILTER (WHERE m.number <= 3) AS named
    FROM (SELECT s.*, row_number() OVER (ORDER BY s.mentions DESC, s.brand) AS number
            FROM pair p
           CROSS JOIN LATERAL search_reports.sentiments_of(:account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text,
                                                           p.week, :topics::text[]) AS s WHERE s.week = p.week) AS m
   CROSS JOIN own o WHERE o.brands <> '{}'
)
SELECT s.*, CASE WHEN s.brand IS NULL THEN
              coalesce(p.reason, search_reports.unasked_values(p.asked, 'sentiment_values', '{negative}'),
                       CASE WHEN j.mentions > 0 AND j.mentions_met IS NULL
                            THEN format('Our brands are %s, and no mention is of them: of %s, most are of %s. Are they spelled differently?',
                                        array_to_string(o.brands[:3], ', '), j.mentions, j.named) END) END AS reason,
       concat_ws(' ', p.notice, CASE WHEN j.mentions_met > 0 THEN format('Of %s mentions %s are of brands of ours.', j.mentions, j.mentions_met) END) AS notice
  FROM pair p CROSS JOIN own o CROSS JOIN joins j LEFT JOIN shown s ON true
 ORDER BY s.place

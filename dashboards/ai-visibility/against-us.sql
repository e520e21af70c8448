-- Title: What is said against us
-- Question: Which negative sentences about our brands do assistants write, and where do they have them from?
-- Chart: table
-- Links: prompt
-- Note: The newest week with sentiments, worst first. Our brands are those that ai_search_brands attributes to You in that week; where it has
--   none, all brands are shown.
-- Empty: Nothing negative is said about our brands in the newest week.
-- Computed: Rows of ai_search_sentiments whose sentiment is negative and that have a snippet, by score.
-- Datasets: ai_search_sentiments, ai_search_brands
-- Variables: account, web_property, assistant, country, branded, weeks
-- Order: 80
WITH pair AS (
  SELECT * FROM search_reports.ai_pair('{ai_search_sentiments}', :account::bigint, :web_property::bigint, :assistant::text, :country::text, :branded::text, :weeks::text)
), shown AS (
  SELECT c.* FROM pair p CROSS JOIN LATERAL search_reports.criticism_of(:account::bigint, :web_property::bigint, :assistant::text, :country::text, :branded::text, p.week) AS c LIMIT 100
)
SELECT s.*, CASE WHEN s.brand IS NULL THEN coalesce(p.reason, search_reports.unasked_values(p.asked, 'sentiment_values', '{negative}')) END AS reason, p.notice
  FROM pair p LEFT JOIN shown s ON true
 ORDER BY s.place

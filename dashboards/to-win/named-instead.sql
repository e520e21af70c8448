-- Title: Others are named, we are not
-- Question: For which prompts do assistants speak of others and not of us, and what do these answers cite?
-- Chart: table
-- Links: prompt, topic
-- Note: The rule: no answer of the assistant to the prompt names us, and one speaks of a brand of others, or cites a site of a
--   competitor. The most brands first.
-- Empty: No answer that leaves us out speaks of a brand of others or cites a competitor.
-- Computed: Tracked prompts of the newest week with answers. brands are those that sentiments of these answers are about, but ours;
--   competitors are the sites of competitors in jobs.config.yaml and the chosen ones, else those that citations attribute to SEO
--   Competitor. sites are all that the answers cite, the most cited first.
-- Datasets: ai_search_response, ai_search_brands, ai_search_sentiments, ai_search_citations
-- Variables: account, web_property, assistant, country, branded, topics, weeks, competitor
-- Order: 20
SELECT n.prompt, n.assistant, n.country, n.topic, n.answers, search_reports.some_of(n.brands, 5) AS brands,
       search_reports.some_of(n.competitors) AS competitors, search_reports.some_of(n.sites) AS sites,
       coalesce(s.reason, CASE WHEN n.prompt IS NULL THEN search_reports.unasked_of('brands', :choices, s.week) END) AS reason,
       concat_ws(' ', s.notice, CASE WHEN n.known > 0
         THEN format('%s of %s tracked prompts that leave us out; %s have answers.', count(*) OVER (), n.silent, n.known) END) AS notice
  FROM search_reports.shown_weeks('mention_rate', :account::bigint, :weeks::text) AS s
  LEFT JOIN LATERAL search_reports.named_instead(:choices, s.week, :competitor::text[]) AS n ON true
 ORDER BY cardinality(n.brands) DESC NULLS LAST, cardinality(n.competitors) DESC NULLS LAST, n.prompt, n.assistant, n.country

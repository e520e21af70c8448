-- Title: Topics by assistant
-- Question: On which topics does an assistant hardly name us, and whom does it cite instead?
-- Chart: heatmap
-- Links: topic, best_competitor = site, most_cited_site = site
-- X: assistant
-- Y: percent
-- Series: topic
-- Unit: %
-- Note: All chosen weeks together (weeks: how many have answers). The table has the competitor and the other site (which may be a magazine) that are cited most on
--   the topic, each with its share of the citations there.
-- Computed: Answers that name us, divided by answers collected, by topic and assistant: the sums of all weeks. low and high are the 95 % interval of the
--   rate, based on how much the prompts differ. Competitors are the sites of competitors in jobs.config.yaml and the chosen ones, else those that citations attribute
--   to SEO Competitor. Shares are of all citations of that topic and assistant, of prompts of which all were asked for.
-- Datasets: ai_search_response, ai_search_brands, ai_search_citations
-- Variables: account, web_property, assistant, country, branded, topics, weeks, competitor
-- Order: 20
SELECT n.across_line AS assistant, n.line AS topic, round(n.level, 1) AS percent, round(n.low, 1) AS low, round(n.high, 1) AS high,
       n.whole AS answers, n.weeks, c.competitor AS best_competitor, c.competitor_percent AS competitor_citation_percent,
       c.site AS most_cited_site, c.site_percent AS site_citation_percent,
       CASE WHEN n.line IS NULL THEN coalesce(w.reason, 'No prompt of what is chosen in these weeks.') ELSE n.reason END AS reason, w.notice
  FROM search_reports.weeks_left_out('mention_rate', :account::bigint, :weeks::text) AS w
  LEFT JOIN search_reports.pooled('mention_rate', 'topic', 'assistant', :choices, :weeks::text) AS n ON true
  LEFT JOIN search_reports.cited_instead(:choices, :weeks::text, :competitor::text[]) AS c
         ON c.topic = n.line AND c.assistant = n.across_line
 ORDER BY n.line, n.across_line

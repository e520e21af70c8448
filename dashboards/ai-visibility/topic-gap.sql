-- Title: Topics by assistant
-- Question: On which topics does an assistant hardly name us, and whom does it cite instead?
-- Chart: heatmap
-- Links: topic, best_competitor = site, most_cited_site = site
-- X: assistant
-- Y: percent
-- Series: topic
-- Unit: %
-- Note: Over the chosen weeks that answer the same question as the newest one with figures of the topic and assistant (weeks: how many). The table
--   has the competitor and the other site (which may be a magazine) that are cited most on the topic, each with its share of the
--   citations there.
-- Computed: Answers that name us, divided by answers collected, by topic and assistant. Competitors are the sites of competitors in
--   jobs.config.yaml and the chosen ones, else those that citations attribute to SEO Competitor. Sites of others are those not attributed to You. Shares are of
--   all loaded citations of that topic and assistant. A week in which brands and answers do not match is left out (see the mention rate).
--   low and high are the 95 % interval of the rate, based on how much the prompts differ.
--   brand_rows_met of brand_rows and citation_rows_met of citation_rows of the assistant matched an answer. If citations spell an engine, place or
--   language differently from answers there is no competitor, and the reason shows both spellings.
-- Datasets: ai_search_response, ai_search_brands, ai_search_citations
-- Variables: account, web_property, assistant, country, branded, topics, weeks, competitor
-- Order: 20
WITH frame AS (
  SELECT *, asked ->> 'change' AS change
    FROM search_reports.ai_frame('{ai_search_response,ai_search_brands}', :account::bigint, :web_property::text[], :assistant::text[], :country::text[],
                                 :branded::text, :weeks::text, :topics::text[])
), named AS (
  SELECT *
    FROM search_reports.named_on_topics(:account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text, :topics::text[],
                                        (SELECT jsonb_agg(f) FROM frame AS f))
), citing AS (
  -- A share is of all citations: a week of some attributions or sites only has none.
  SELECT week, coalesce(gap, asked ->> 'unasked', search_reports.citations_in_part(asked)) AS gap, asked
    FROM search_reports.ai_frame('{ai_search_citations}', :account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text,
                                 :weeks::text, :topics::text[])
), citation_weeks AS (
  SELECT c.*
    FROM search_reports.of_newest_question((SELECT jsonb_agg(c) FROM citing AS c), 'citations of ') AS c JOIN frame f ON f.week = c.week
), joins AS (
  SELECT coalesce(assistant, '(unknown)') AS assistant, sum(joined) AS citation_rows, sum(joined_met) AS citation_rows_met, max(gap) AS gap
    FROM search_reports.joined_rows(:account::bigint, 'ai_search_citations', ARRAY(SELECT week FROM citation_weeks WHERE gap IS NULL)) GROUP BY 1
), cited AS (
  SELECT *
    FROM search_reports.cited_on_topics(:account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text,
                                        ARRAY(SELECT week FROM citation_weeks WHERE gap IS NULL), :competitor::text[])
), notices AS (
  SELECT week, coalesce('left out, ' || gap, nullif(concat_ws('; ', note, change), '')) AS text FROM frame
   UNION ALL SELECT week, 'competitors left out, ' || gap FROM citation_weeks
)
SELECT n.assistant, n.topic, round(100.0 * n.naming / n.answers, 1) AS percent, round(n.bounds[1], 1) AS low, round(n.bounds[2], 1) AS high, n.answers, n.weeks,
       c.competitor AS best_competitor, c.competitor_percent AS competitor_citation_percent, c.site AS most_cited_site, c.site_percent AS site_citation_percent,
       n.brand_rows, n.brand_rows_met, j.citation_rows, j.citation_rows_met,
       nullif(concat_ws('; ', CASE WHEN n.topic IS NULL THEN coalesce(t.reason, 'No answer of what is chosen in these weeks.')
                                   WHEN n.answers IS NULL THEN n.unasked END, 'left out, another question: ' || n.others,
                        CASE WHEN n.answers IS NOT NULL THEN 'no competitor: ' || j.gap END), '') AS reason,
       (SELECT string_agg(format('Week of %s: %s.', week, text), ' ' ORDER BY week, text) FROM notices WHERE week IS NOT NULL AND text IS NOT NULL) AS notice
  FROM search_reports.weeks_told((SELECT jsonb_agg(jsonb_build_object('week', week, 'gap', gap)) FROM frame)) AS t LEFT JOIN named n ON true
  LEFT JOIN joins j ON j.assistant = n.assistant
  LEFT JOIN cited c ON c.topic = n.topic AND c.assistant = n.assistant AND j.gap IS NULL
 ORDER BY n.topic, n.assistant

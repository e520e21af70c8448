-- Title: Topics by assistant
-- Question: On which topics does an assistant hardly name us, and whom does it cite instead?
-- Chart: heatmap
-- Links: topic, best_competitor = site, most_cited_site = site
-- X: assistant
-- Y: percent
-- Series: topic
-- Unit: %
-- Note: Over those of the weeks chosen that answer the question of the newest one with figures of the topic and assistant (weeks: how many). The table
--   has the competitor that is cited most on the topic, and the site of others that is, which may be a magazine; each with its share of the
--   citations there.
-- Computed: Answers that name us, divided by answers collected, by topic and assistant. Competitors are the sites of competitors in
--   jobs.config.yaml and those that are chosen, else those that citations attribute to SEO Competitor. Sites of others are those not attributed to You. Shares are of
--   all citations loaded of that topic and assistant. A week in which brands and answers do not meet is left out (see the mention rate).
--   low and high are the 95 % interval of the rate, by how much the prompts differ.
--   brand_rows_met and citation_rows_met of brand_rows and citation_rows of the assistant found an answer. Where citations spell an engine, place or
--   language otherwise than answers there is no competitor, and the reason shows both spellings.
-- Datasets: ai_search_response, ai_search_brands, ai_search_citations
-- Variables: account, web_property, assistant, country, branded, topics, weeks, competitor
-- Order: 20
WITH frame AS (
  SELECT *, asked ->> 'change' AS change
    FROM search_reports.ai_frame('{ai_search_response,ai_search_brands}', :account::bigint, :web_property::text[], :assistant::text[], :country::text[],
                                 :branded::text, :weeks::text, :topics::text[])
), joins AS (
  SELECT * FROM search_reports.joined_brands(:account::bigint, ARRAY(SELECT week FROM frame WHERE gap IS NULL))
), counted AS (
  SELECT coalesce(a.topic, '(none)') AS topic, coalesce(a.assistant, '(unknown)') AS assistant, f.week, g.gap,
         a.answers, a.naming, a.answers_squared, a.answers_by_naming, a.naming_squared,
         -- Weeks of other questions are not one figure.
         l.question = first_value(l.question) OVER (PARTITION BY a.topic, a.assistant ORDER BY g.gap IS NOT NULL, f.week DESC) AS is_pooled
    FROM search_reports.answers_of(:account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text,
                                   (SELECT min(week) FROM frame), :topics::text[]) AS a
    JOIN frame f ON f.week = a.week AND f.gap IS NULL
    LEFT JOIN joins j ON j.week = a.week AND j.assistant IS NOT DISTINCT FROM a.assistant
   CROSS JOIN LATERAL search_reports.line(f.asked, jsonb_build_object('assistant', coalesce(a.assistant, ''), 'topic', coalesce(a.topic, '')),
                                          a.naming > 0) AS l
   CROSS JOIN LATERAL (SELECT coalesce(j.gap, l.unasked) AS gap) AS g
), answers AS (
  -- Each week asks the same prompts: weeks make the answers to a prompt more, and the prompts no more.
  SELECT u.topic, u.assistant, max(u.unasked) AS unasked, max(u.others) AS others, count(DISTINCT c.week) AS weeks, sum(c.answers) AS answers,
         sum(c.naming) AS naming,
         search_reports.rate_interval(sum(c.naming)::float8, sum(c.answers)::float8, (count(DISTINCT c.week) * sum(c.answers_squared))::float8,
                                      (count(DISTINCT c.week) * sum(c.answers_by_naming))::float8,
                                      (count(DISTINCT c.week) * sum(c.naming_squared))::float8) AS bounds
    FROM (SELECT topic, assistant, max(gap) AS unasked, string_agg(week::text, ', ' ORDER BY week) FILTER (WHERE gap IS NULL AND NOT is_pooled) AS others
            FROM counted GROUP BY 1, 2) AS u
    LEFT JOIN counted c ON c.topic = u.topic AND c.assistant = u.assistant AND c.gap IS NULL AND c.is_pooled
   GROUP BY 1, 2
), citation_weeks AS (
  -- A share is of all citations, and of one question.
  SELECT c.week, coalesce(c.gap, CASE WHEN c.question <> first_value(c.question) OVER (ORDER BY c.gap IS NOT NULL,
                                                                                       c.week DESC) THEN 'another question: citations of '
                                                                                       || c.question END) AS gap
    FROM (SELECT week, asked ->> 'question' AS question,
                 coalesce(gap, asked ->> 'unasked', search_reports.citations_in_part(asked)) AS gap
            FROM search_reports.ai_frame('{ai_search_citations}', :account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text,
                                         :weeks::text, :topics::text[])) AS c
), citation_joins AS (
  SELECT coalesce(j.assistant, '(unknown)') AS assistant, sum(j.joined) AS citation_rows, sum(j.joined_met) AS citation_rows_met, max(j.gap) AS gap
    FROM search_reports.joined_rows(:account::bigint, 'ai_search_citations',
                                    ARRAY(SELECT week FROM citation_weeks JOIN frame USING (week) WHERE citation_weeks.gap IS NULL)) AS j GROUP BY 1
), sites AS (
  SELECT coalesce(topic, '(none)') AS topic, coalesce(assistant, '(unknown)') AS assistant, coalesce(nullif(site, ''), '(none)') AS site,
         citations, of_others, of_competitors
    FROM search_reports.cited_sites_of(:account::bigint, :web_property::text[], :assistant::text[], :country::text[], :branded::text,
                                       ARRAY(SELECT week FROM citation_weeks JOIN frame USING (week) WHERE citation_weeks.gap IS NULL), :competitor::text[])
), cited AS (
  SELECT topic, assistant, sum(citations) AS citations, max(of_competitors) AS most_of_competitors, max(of_others) AS most_of_others
    FROM sites
   GROUP BY 1, 2
), best AS (
  SELECT s.topic, s.assistant, min(s.site COLLATE "C") FILTER (WHERE s.of_competitors = c.most_of_competitors) AS competitor,
         min(s.site COLLATE "C") FILTER (WHERE s.of_others = c.most_of_others) AS other
    FROM sites s JOIN cited c USING (topic, assistant)
   GROUP BY 1, 2
)
SELECT a.assistant, a.topic, round(100.0 * a.naming / a.answers, 1) AS percent, round(a.bounds[1], 1) AS low, round(a.bounds[2], 1) AS high, a.answers, a.weeks,
       b.competitor AS best_competitor,
       round(100.0 * c.most_of_competitors / nullif(c.citations, 0), 1) AS competitor_citation_percent,
       b.other AS most_cited_site, round(100.0 * c.most_of_others / nullif(c.citations, 0), 1) AS site_citation_percent,
       n.brand_rows, n.brand_rows_met, j.citation_rows, j.citation_rows_met,
       nullif(concat_ws('; ', CASE WHEN a.answers IS NULL THEN a.unasked END, 'left out, another question: ' || a.others,
                        CASE WHEN a.answers IS NOT NULL THEN 'no competitor: ' || j.gap END), '') AS reason,
       (SELECT string_agg(format('Week of %s: %s.', week, text), ' ' ORDER BY week, text)
          FROM (SELECT week, coalesce('left out, ' || gap, nullif(concat_ws('; ', note, change), '')) AS text FROM frame
                UNION ALL SELECT c.week, 'competitors left out, ' || c.gap FROM citation_weeks c JOIN frame f ON f.week = c.week) AS told
         WHERE text IS NOT NULL) AS notice
  FROM answers a
  LEFT JOIN (SELECT coalesce(assistant, '(unknown)') AS assistant, sum(brand_rows) AS brand_rows, sum(brand_rows_met) AS brand_rows_met
               FROM joins GROUP BY 1) AS n ON n.assistant = a.assistant
  LEFT JOIN citation_joins j ON j.assistant = a.assistant
  LEFT JOIN cited c ON c.topic = a.topic AND c.assistant = a.assistant AND j.gap IS NULL
  LEFT JOIN best b ON b.topic = a.topic AND b.assistant = a.assistant AND j.gap IS NULL
 ORDER BY a.topic, a.assistant

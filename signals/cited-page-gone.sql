-- Title: A cited page is gone
-- Question: Which of our pages do assistants no longer cite?
-- More: more of our pages are not cited any more
-- From: page/citations
-- Computed: Pages of ours (citations attributed to You), without scheme, www. and a slash at the end, that were cited least_citations times or
--   more the week before, by prompts that are asked now, too, in the same places and languages and as the same personas, and not once now.
-- Datasets: ai_search_citations
-- Thresholds: least_citations
-- Order: 50
WITH pair AS (
  SELECT p.*, coalesce(p.silence, search_reports.unasked_values(p.asked, 'citation_attributions', '{you}')) AS quiet
    FROM search_reports.signal_pair('{ai_search_citations}', :account::bigint, '{}', :week::date, true) AS p
), now AS (
  SELECT DISTINCT c.url
    FROM pair p CROSS JOIN LATERAL search_reports.cited_pages_of(:account::bigint, NULL, NULL, NULL, NULL, p.week, NULL) AS c WHERE c.url IS NOT NULL
), gone AS (
  -- The other way round: of the pages of the week before, how often each is cited now.
  SELECT c.url, c.citations, c.assistants
    FROM pair p CROSS JOIN LATERAL search_reports.cited_pages_of(:account::bigint, NULL, NULL, NULL, NULL, p.before, p.week) AS c
   WHERE c.is_ours AND c.url IS NOT NULL AND c.citations >= :least_citations::bigint AND c.before = 0
     -- What counts as ours may differ from week to week.
     AND NOT EXISTS (SELECT FROM now n WHERE n.url = c.url)
), citing AS MATERIALIZED (
  SELECT c.* FROM pair p CROSS JOIN LATERAL search_reports.citing_prompts(:account::bigint, p.before, ARRAY(SELECT url FROM gone)) AS c
), asked AS (
  SELECT a.* FROM pair p CROSS JOIN LATERAL search_reports.asked_in(:account::bigint, p.week, ARRAY(SELECT prompt FROM citing)) AS a
), told AS (
  -- A prompt that is not asked any more cites nothing.
  SELECT g.* FROM gone g
   WHERE (SELECT sum(c.citations) FROM citing c
            JOIN (SELECT DISTINCT prompt, assistant, web_property, way FROM asked) AS a
              ON a.prompt = c.prompt AND (a.assistant, a.web_property, a.way) IS NOT DISTINCT FROM (c.assistant, c.web_property, c.way)
           WHERE c.url = g.url) >= :least_citations::bigint
)
SELECT g.url AS subject,
       format('%s is not cited any more: the week before %s times, by %s %s', g.url, g.citations, g.assistants,
              CASE g.assistants WHEN 1 THEN 'assistant' ELSE 'assistants' END) AS text,
       g.citations::numeric AS weight, jsonb_build_object('url', g.url) AS about, p.quiet AS silence
  FROM pair p LEFT JOIN told g ON p.quiet IS NULL

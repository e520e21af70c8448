-- Title: A cited page is gone
-- Question: Which of our pages do assistants no longer cite?
-- More: more of our pages are not cited any more
-- From: page/citations
-- Computed: Pages of ours (citations attributed to You), without scheme, www. and a slash at the end, that were cited least_citations
--   times or more the week before, by prompts that are asked now, too, in the same places and languages and as the same personas, and
--   not once now.
-- Datasets: ai_search_citations
-- Thresholds: least_citations
-- Order: 50
WITH pair AS MATERIALIZED (
  SELECT p.week, p.before,
         coalesce(p.silence, CASE WHEN NOT EXISTS (SELECT FROM search_reports.prompts(search_reports.all_of(:account::bigint),
                                                                                      ARRAY[p.week]) AS f WHERE f.own_citations IS NOT NULL)
                                  THEN 'citations of our pages were not asked for' END) AS silence
    FROM search_reports.signal_weeks('citation_share', search_reports.all_of(:account::bigint), :week::date, false) AS p
), now AS (
  SELECT DISTINCT c.url
    FROM pair p CROSS JOIN LATERAL search_reports.cited_pages_of(:account::bigint, NULL, NULL, NULL, NULL, p.week, NULL) AS c
   WHERE c.url IS NOT NULL
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
  SELECT DISTINCT a.prompt, a.assistant, a.web_property, a.way
    FROM pair p CROSS JOIN LATERAL search_reports.asked_in(:account::bigint, p.week, ARRAY(SELECT prompt FROM citing)) AS a
), told AS (
  -- A prompt that is not asked any more cites nothing. An assistant without a name is one, too.
  SELECT c.url, max(g.citations) AS citations, greatest(max(g.assistants), 1) AS assistants
    FROM citing c JOIN gone g ON g.url = c.url
    JOIN asked a ON a.prompt = c.prompt AND (a.assistant, a.web_property, a.way) IS NOT DISTINCT FROM (c.assistant, c.web_property, c.way)
   GROUP BY c.url HAVING sum(c.citations) >= :least_citations::bigint
)
SELECT t.url AS subject,
       format('%s is not cited any more: the week before %s times, by %s %s', t.url, t.citations, t.assistants,
              CASE t.assistants WHEN 1 THEN 'assistant' ELSE 'assistants' END) AS text,
       t.citations::numeric AS weight, jsonb_build_object('url', t.url) AS about, p.silence
  FROM pair p LEFT JOIN told t ON p.silence IS NULL

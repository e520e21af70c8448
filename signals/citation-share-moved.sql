-- Title: Assistants cite us more or less often
-- Question: Has our share of citations moved by more than chance?
-- More: more such shares have moved
-- From: ai-visibility/citation-share?branded=
-- Computed: Citations attributed to You, of all citations loaded of the week; with the 95 % interval by how much the prompts differ, as on Home. It is
--   reported if it differs from the week before by more than both intervals explain, and by least_points percentage points or more.
-- Datasets: ai_search_citations
-- Thresholds: least_points
-- Order: 32
WITH pair AS (
  SELECT p.*, coalesce(p.silence, search_reports.unasked_values(p.asked, 'citation_attributions', '{you}'), search_reports.citations_in_part(p.asked)) AS quiet
    FROM search_reports.signal_pair('{ai_search_citations}', :account::bigint, '{}', :week::date) AS p
), counted AS (
  SELECT c.week, sum(c.citations)::float8 AS citations, coalesce(sum(c.citations) FILTER (WHERE c.attribution = 'you'), 0)::float8 AS ours,
         coalesce(sum(c.citations) FILTER (WHERE c.attribution IS NULL), 0) AS unknown,
         sum(c.citations_by_all)::float8 AS squared, coalesce(sum(c.citations_by_all) FILTER (WHERE c.attribution = 'you'), 0)::float8 AS by_ours,
         coalesce(sum(c.citations_squared) FILTER (WHERE c.attribution = 'you'), 0)::float8 AS ours_squared
    FROM pair p CROSS JOIN LATERAL search_reports.citations_of(:account::bigint, NULL, NULL, NULL, NULL, p.before) AS c
   WHERE p.quiet IS NULL AND c.week IN (p.week, p.before)
   GROUP BY c.week
), rates AS (
  SELECT week, 100 * (ours / citations)::numeric AS percent, search_reports.rate_interval(ours, citations, squared, by_ours, ours_squared) AS bounds,
         coalesce(u.note, u.gap) AS unknown
    FROM counted CROSS JOIN LATERAL search_reports.unattributed(ours::numeric, unknown, citations::numeric) AS u
), moved AS (
  SELECT n.percent, b.percent AS before, search_reports.change_reading(n.percent, n.bounds, b.percent, b.bounds) AS reading
    FROM pair p JOIN rates n ON n.week = p.week JOIN rates b ON b.week = p.before
   WHERE n.unknown IS NULL AND b.unknown IS NULL AND abs(n.percent - b.percent) >= :least_points::numeric
)
SELECT CASE WHEN m.reading IS NOT NULL THEN 'citation share' END AS subject,
       format('Assistants cite us %s often: %s %% of all citations, after %s %%', m.reading, round(m.percent, 1), round(m.before, 1)) AS text,
       abs(m.percent - m.before) AS weight, '{}'::jsonb AS about,
       coalesce(p.quiet, (SELECT r.unknown FROM rates r WHERE r.week = p.week),
                (SELECT 'the week before it: ' || r.unknown FROM rates r WHERE r.week = p.before)) AS silence
  FROM pair p LEFT JOIN moved m ON m.reading IN ('more', 'less')

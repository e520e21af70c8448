-- Title: Assistants cite us more or less often
-- Question: Has our share of citations moved by more than chance?
-- More: more such shares have moved
-- From: why/bridge?measure=citation_share&branded=
-- Computed: Citations of ours, of all citations, like for like: over the prompts that both weeks have. It is reported if the change is
--   more than its 95 % interval over prompts, and least_points percentage points or more.
-- Datasets: ai_search_citations
-- Thresholds: least_points
-- Order: 32
WITH pair AS MATERIALIZED (
  SELECT * FROM search_reports.signal_weeks('citation_share', search_reports.all_of(:account::bigint), :week::date)
), moved AS (
  SELECT x.*
    FROM pair p
   CROSS JOIN LATERAL search_reports.changes('citation_share', NULL, search_reports.all_of(:account::bigint), p.week, p.before) AS x
   WHERE x.reading IN ('more', 'less') AND abs(x.like_for_like) >= :least_points::numeric
)
SELECT CASE WHEN m.reading IS NOT NULL THEN 'citation share' END AS subject,
       format('Assistants cite us %s often: %s %% of all citations, %s points %s like for like', m.reading, round(m.level, 1),
              round(abs(m.like_for_like), 1), m.reading) AS text,
       abs(m.like_for_like) AS weight, '{}'::jsonb AS about, p.silence
  FROM pair p LEFT JOIN moved m ON true

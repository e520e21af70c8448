-- Title: We hold more or less of the first places
-- Question: Has how much of the first 10 places we hold changed by more than chance?
-- More: more such shares have moved
-- From: why/bridge?measure=visibility
-- Computed: Visibility, like for like: over the searches that both weeks have. It is reported if the change is more than its 95 %
--   interval over keywords, and least_points percentage points or more. The keywords that add most to it are named.
-- Datasets: keyword_rankings
-- Thresholds: least_points
-- Order: 30
WITH pair AS MATERIALIZED (
  SELECT * FROM search_reports.signal_weeks('visibility', search_reports.all_of(:account::bigint), :week::date)
), moved AS (
  SELECT x.*, n.names
    FROM pair p
   CROSS JOIN LATERAL search_reports.changes('visibility', NULL, search_reports.all_of(:account::bigint), p.week, p.before) AS x
   CROSS JOIN LATERAL (
         SELECT search_reports.some_of(array_agg(format('“%s”', c.line) ORDER BY c.place)) AS names
           FROM search_reports.contributions('visibility', 'keyword', search_reports.all_of(:account::bigint), p.week, p.before,
                                             1000000) AS c
          WHERE sign(c.contribution) = sign(x.like_for_like)) AS n
   WHERE x.reading IN ('more', 'less') AND abs(x.like_for_like) >= :least_points::numeric
)
SELECT CASE WHEN m.reading IS NOT NULL THEN 'first 10 places' END AS subject,
       format('We hold %s of the first 10 places: %s %%, %s points %s like for like, most by %s', m.reading, round(m.level, 1),
              round(abs(m.like_for_like), 1), m.reading, m.names) AS text,
       abs(m.like_for_like) AS weight, '{}'::jsonb AS about, p.silence
  FROM pair p LEFT JOIN moved m ON true

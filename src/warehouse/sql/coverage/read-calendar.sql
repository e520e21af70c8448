-- Coverage of some jobs from a week on, by job and week: what a calendar shows.
-- Params: :jobs, their names; :firstWeek. Locks: none.
-- Not null: job, week, state, isExpected.
SELECT job, week::text AS week, state, is_expected AS "isExpected", published_at AS "publishedAt", detail,
       paused_since AS "pausedSince"
  FROM searchmill.coverage
 WHERE job = ANY (:jobs::text[]) AND week >= :firstWeek::date AND (is_expected OR state NOT IN ('missing', 'expired'))
 ORDER BY job, week

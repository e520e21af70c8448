-- Coverage of one job or of all, with weeks joined if a report says the same about them. Params: :job, or null for all.
-- Result: job, state, isExpected, isPublished, failure (why it failed, or could not be read again; else null), filtersDigest,
--         cancellation (of missing weeks: why their last load was cancelled; else null), displacement (the same: who took rows of them after
--         they were published), weeks (how many), first, last,
--         publishedAt (the latest), stateSince (the earliest).
-- Locks: none.
-- Not null: job, state, isExpected, isPublished, weeks, first, last.
SELECT job, state, is_expected AS "isExpected", published_at IS NOT NULL AS "isPublished",
       CASE WHEN state = 'failed' OR (state = 'published' AND execution_state = 'failed')
            THEN coalesce(detail, 'no reason was recorded') END AS failure,
       published_filters_digest AS "filtersDigest",
       CASE WHEN state = 'missing' AND execution_state = 'cancelled' THEN detail END AS cancellation,
       CASE WHEN state = 'missing' AND execution_state = 'published' THEN detail END AS displacement,
       count(*)::integer AS weeks, min(week)::text AS first, max(week)::text AS last,
       max(published_at) AS "publishedAt", min(state_since) AS "stateSince"
  FROM searchmill.coverage
 WHERE :job::text IS NULL OR job = :job
 GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
 ORDER BY job, first

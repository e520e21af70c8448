-- After the rows of a slice were deleted: it is published no more, its weeks are summarized again, and followers of changes are told.
-- Params: :sliceId; :accounts and :weeks, lists with an entry for each week. Locks: the rows it changes, until the transaction ends.
WITH was AS MATERIALIZED (
  SELECT s.id, s.dataset, s.account_id, s.published_execution_id,
         (SELECT max(p.id) FROM searchmill.publications p WHERE p.execution_id = s.published_execution_id) AS publication_id
    FROM searchmill.slices s WHERE s.id = :sliceId
), unpublished AS (
  UPDATE searchmill.slices
     SET expired_at = clock_timestamp(), published_execution_id = NULL, published_at = NULL, published_rows = NULL, published_week_rows = NULL,
         published_filters_digest = NULL
   WHERE id = :sliceId
), forgotten AS (
  DELETE FROM searchmill.published_periods WHERE slice_id = :sliceId
), noted AS (
  INSERT INTO searchmill.figure_changes (account_id) SELECT account_id FROM was
), changed AS (
  INSERT INTO searchmill.week_changes (kind, dataset, account_id, week, slice_id, execution_id, publication_id)
  SELECT 'revised', was.dataset, w.account_id, w.week, was.id, was.published_execution_id, was.publication_id
    FROM was, unnest(:accounts::bigint[], :weeks::date[]) AS w (account_id, week)
)
SELECT search_reports.mark_weeks(was.dataset, w.account_id, array_agg(w.week ORDER BY w.week))
  FROM was, unnest(:accounts::bigint[], :weeks::date[]) AS w (account_id, week)
 GROUP BY was.dataset, w.account_id

-- Slices whose rows are removed count as published no more, and the history says so.
-- Params: :sliceIds; :dataset and :month (its first day), whose partition is removed. Locks: their rows, until the transaction ends.
WITH published AS MATERIALIZED (
  SELECT id, job, published_execution_id, window_start, window_end FROM searchmill.slices WHERE id = ANY (:sliceIds::bigint[])
), expired AS (
  UPDATE searchmill.slices
     SET expired_at = clock_timestamp(), published_execution_id = NULL, published_at = NULL, published_rows = NULL,
         published_week_rows = NULL, published_filters_digest = NULL
   WHERE id = ANY (:sliceIds::bigint[])
), forgotten AS (
  DELETE FROM searchmill.published_periods p USING searchmill.slices s
   WHERE s.id = p.slice_id AND s.dataset = :dataset
     AND (s.id = ANY (:sliceIds::bigint[]) OR p.period_start BETWEEN :month::date AND (:month::date + interval '1 month')::date - 1)
)
INSERT INTO searchmill.actions (actor, action, reason, job, slice_id, execution_id, window_start, window_end)
SELECT 'retention', 'expire', 'keep_weeks', job, id, published_execution_id, window_start, window_end FROM published ORDER BY id

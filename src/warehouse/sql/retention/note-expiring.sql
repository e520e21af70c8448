-- Notes the partitions that will be removed, and forgets those that will not any more.
-- Params: :partitions, a JSON array of dataset and month: all of them; :graceMs from the note to the removal.
-- Result: dataset, month, isNew, isDue, goesAt. Locks: these rows. Repeating changes nothing.
-- Not null: month, isNew, isDue, goesAt.
WITH expiring AS MATERIALIZED (
  SELECT dataset, month FROM jsonb_to_recordset(:partitions) AS p (dataset text, month date)
), forgotten AS (
  DELETE FROM searchmill.expiring_partitions e WHERE NOT EXISTS (SELECT FROM expiring p WHERE p.dataset = e.dataset AND p.month = e.month)
), noted AS (
  INSERT INTO searchmill.expiring_partitions (dataset, month) SELECT dataset, month FROM expiring
  ON CONFLICT (dataset, month) DO UPDATE SET dataset = excluded.dataset
  RETURNING dataset, month, xmax = 0 AS is_new, noted_at + :graceMs * interval '1 millisecond' AS goes_at
)
SELECT dataset, month::text AS month, is_new AS "isNew", goes_at <= clock_timestamp() AS "isDue", goes_at AS "goesAt" FROM noted

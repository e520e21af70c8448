-- Where the published rows of a slice lie, if somebody approved them in spite of the audit: they may then lie outside its window. Only
-- for such a slice the table is read, and all of it.
-- Params: :sliceId. Result: accounts as text, first and last day; null without rows.
SELECT NULL::date[] AS months, array_agg(DISTINCT account_id::text) AS accounts, min(time_period_start) AS first, max(time_period_start) AS last
  FROM {table}
 WHERE _slice = :sliceId
   AND EXISTS (SELECT 1 FROM searchmill.slices s JOIN searchmill.executions e ON e.id = s.published_execution_id
                WHERE s.id = :sliceId AND e.approved_at IS NOT NULL)

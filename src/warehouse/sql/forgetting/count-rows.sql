-- How many rows of a table name a slice. Params: :sliceId.
-- Not null: rows.
SELECT count(*) AS rows
  FROM {table} t
  JOIN searchmill.published_periods p ON t.account_id = p.account_id AND t.time_period_start = p.period_start AND t._slice = p.slice_id
 WHERE p.slice_id = :sliceId

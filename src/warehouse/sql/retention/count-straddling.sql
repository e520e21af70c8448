-- How many rows retention/delete-straddling will delete. Params: :sliceIds, :month (its first day). Locks: none.
-- Not null: rows.
SELECT count(*) AS rows
  FROM {table} t JOIN searchmill.slices s ON t._slice = s.id AND t.account_id = s.account_id AND t.time_period_start BETWEEN s.window_start AND s.window_end
 WHERE s.id = ANY (:sliceIds::bigint[]) AND (s.window_start < :month::date OR s.window_end >= (:month::date + interval '1 month')::date)
   AND (t.time_period_start < :month::date OR t.time_period_start >= (:month::date + interval '1 month')::date)

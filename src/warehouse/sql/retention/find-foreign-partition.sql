-- A partition that has rows of these slices in a month for which Searchmill's own is not attached.
-- Params: :sliceIds; :month (its first day). Result: partition, qualified where the search path does not have its schema, or its shard
-- where rows are on nodes; no row where the rows are gone. Locks: none.
-- Not null: partition.
SELECT t.tableoid::regclass::text AS partition
  FROM {table} t
 WHERE t.account_id = ANY (ARRAY(SELECT account_id FROM searchmill.slices WHERE id = ANY (:sliceIds::bigint[]))) AND t._slice = ANY (:sliceIds::bigint[])
   AND t.time_period_start >= :month::date AND t.time_period_start < (:month::date + interval '1 month')::date
 LIMIT 1

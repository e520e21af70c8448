-- Replayed rows, already numbered, whose key and number the table has from slices of other jobs. Params: :job of the replay.
-- Result: rows; of them those that are different; and surplus, the rows that replay/delete-surplus will delete.
-- Not null: rows, different, surplus.
SELECT count(*) AS rows, count(*) FILTER (WHERE ({table_values}, t._extra) IS DISTINCT FROM ({staged_values}, s._extra)) AS different,
       (SELECT count(*)
          FROM (SELECT account_id, time_period_start, _key, max(_occurrence) AS last FROM {staging} GROUP BY 1, 2, 3) k
          JOIN {table} o ON o.account_id = k.account_id AND o.time_period_start = k.time_period_start AND o._key = k._key AND o._occurrence > k.last
         WHERE o._slice NOT IN (SELECT id FROM searchmill.slices WHERE job = :job)) AS surplus
  FROM {staging} s
  JOIN {table} t ON t.account_id = s.account_id AND t.time_period_start = s.time_period_start
                AND t._key = s._key AND t._occurrence = s._occurrence

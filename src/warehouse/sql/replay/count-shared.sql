-- Replayed rows, already numbered, whose key and number the table has from slices of other jobs.
-- Result: rows; of them those that are different.
-- Not null: rows, different.
SELECT count(*) AS rows, count(*) FILTER (WHERE ({table_values}, t._extra) IS DISTINCT FROM ({staged_values}, s._extra)) AS different
  FROM {staging} s
  JOIN {table} t ON t.account_id = s.account_id AND t.time_period_start = s.time_period_start
                AND t._key = s._key AND t._occurrence = s._occurrence

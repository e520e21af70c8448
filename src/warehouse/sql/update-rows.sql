-- Rewrites only the rows whose values differ. Params: $1 slice, $2 accounts, $3 first and $4 last day of the rows.
UPDATE {table} t
   SET {assignments}, _extra = s._extra, _slice = $1, _changed_at = now()
  FROM {staging} s
 WHERE t.account_id = s.account_id AND t.time_period_start = s.time_period_start
   AND t._key = s._key AND t._occurrence = s._occurrence
   AND t.account_id = ANY ($2) AND t.time_period_start BETWEEN $3 AND $4
   AND ({table_values}, t._extra) IS DISTINCT FROM ({staged_values}, s._extra)

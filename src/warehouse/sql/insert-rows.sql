-- Adds the staged rows that the table does not have. Params: $1 slice, $2 accounts, $3 first and $4 last day of the rows.
-- In key order, so that the index is written front to back.
INSERT INTO {table} ({columns}, _extra, _key, _occurrence, _slice, _loaded_at, _changed_at)
SELECT {staged_columns}, s._extra, s._key, s._occurrence, $1, now(), now()
  FROM {staging} s
 WHERE NOT EXISTS (SELECT FROM {table} t
                    WHERE t.account_id = s.account_id AND t.time_period_start = s.time_period_start
                      AND t._key = s._key AND t._occurrence = s._occurrence
                      AND t.account_id = ANY ($2) AND t.time_period_start BETWEEN $3 AND $4)
 ORDER BY s.account_id, s.time_period_start, s._key, s._occurrence

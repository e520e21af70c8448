-- Adds replayed rows to a published slice, numbered after the rows with the same key that are there. Params: $1 slice.
INSERT INTO {table} ({columns}, _extra, _key, _occurrence, _slice, _loaded_at, _changed_at)
SELECT {staged_columns}, s._extra, s._key,
       row_number() OVER (PARTITION BY s.account_id, s.time_period_start, s._key ORDER BY s._page, s._position)
         + (SELECT coalesce(max(t._occurrence), 0) FROM {table} t
             WHERE t.account_id = s.account_id AND t.time_period_start = s.time_period_start AND t._key = s._key),
       $1, now(), now()
  FROM {staging} s

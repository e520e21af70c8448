-- Adds the rows that the table does not have. Params: :sliceId.
INSERT INTO {table} ({columns}, _extra, _key, _occurrence, _slice, _loaded_at, _changed_at)
SELECT {staged_columns}, s._extra, s._key, s._occurrence, :sliceId, now(), now()
  FROM searchmill_changes c
  JOIN {staging} s ON s.account_id = c.account_id AND s.time_period_start = c.time_period_start
                  AND s._key = c._key AND s._occurrence = c._occurrence
 WHERE c.change = 'insert'

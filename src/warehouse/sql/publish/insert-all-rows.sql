-- Adds all staged rows, for a window that the table has no rows of. Params: :sliceId.
-- In the order they came: sorting rows this wide costs more than it saves in the index.
INSERT INTO {table} ({columns}, _extra, _key, _occurrence, _slice, _loaded_at, _changed_at)
SELECT {staged_columns}, s._extra, s._key, s._occurrence, :sliceId, now(), now()
  FROM {staging} s

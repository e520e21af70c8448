-- Adds replayed rows to a published slice. A row that another job's slice has under the same key and number is reassigned, as in a
-- publish: rewritten here when it differs, else by replay/reassign-shared.
-- Placeholders: assignments of the columns that do not identify rows, and those columns in the table and as given.
-- Result: a row for each that is added or rewritten. Citus counts these only where they are returned, else those that are left alone, too.
-- Params: :sliceId.
INSERT INTO {table} AS t ({columns}, _extra, _key, _occurrence, _slice, _loaded_at, _changed_at)
SELECT {staged_columns}, s._extra, s._key, s._occurrence, :sliceId, now(), now()
  FROM {staging} s
ON CONFLICT (account_id, time_period_start, _key, _occurrence) DO UPDATE
  SET {assignments}, _extra = excluded._extra, _slice = excluded._slice, _changed_at = excluded._changed_at
WHERE ({table_values}, t._extra) IS DISTINCT FROM ({given_values}, excluded._extra)
RETURNING t._occurrence AS occurrence

-- Compares the staged rows with what the table has, in one pass, and keeps the differences only.
-- Placeholders: literals of the accounts and days the rows are in; slice, and account, window and job, whose vanished rows
--               are removed.
CREATE TEMP TABLE searchmill_changes ON COMMIT DROP AS
SELECT CASE WHEN t._key IS NULL THEN 'insert' WHEN s._key IS NULL THEN 'delete' ELSE 'update' END AS change,
       s.row_id AS staged,
       coalesce(t.account_id, s.account_id) AS account_id, coalesce(t.time_period_start, s.time_period_start) AS time_period_start,
       coalesce(t._key, s._key) AS _key, coalesce(t._occurrence, s._occurrence) AS _occurrence
  FROM (SELECT ctid AS row_id, * FROM {staging}) s
  FULL JOIN (SELECT * FROM {table} WHERE account_id = ANY ({accounts}) AND time_period_start BETWEEN {first} AND {last}) t
    ON t.account_id = s.account_id AND t.time_period_start = s.time_period_start
   AND t._key = s._key AND t._occurrence = s._occurrence
 WHERE t._key IS NULL
    OR (s._key IS NOT NULL AND ({table_values}, t._extra) IS DISTINCT FROM ({staged_values}, s._extra))
    OR (s._key IS NULL AND (t._slice = {slice}
          OR (t.account_id = {account} AND t.time_period_start BETWEEN {window_start} AND {window_end}
              AND t._slice IN (SELECT id FROM searchmill.slices WHERE job = {job}))))

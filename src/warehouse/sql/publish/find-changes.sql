-- Compares the staged rows with those of the table, in one pass, and keeps only the differences. These are insert, update and
-- delete, and two kinds for rows of other jobs:
--   reassign  The row is staged with the same values. It moves to this slice. So does such a row of another slice of the job.
--   surplus   The row's number is not staged. It is deleted if its key is staged, so that all rows of a key come from one load;
--             publish/keep-unstaged-keys removes the others from the list. Number 1 is never surplus: every staged key has a number 1.
-- old_slice and old_digest: of a row that another job has, whose slice loses it.
-- Placeholders: literals of the accounts and days the rows are in; slice, and account, window and job, whose vanished rows
--               are removed.
CREATE TEMP TABLE searchmill_changes ON COMMIT DROP AS
SELECT CASE WHEN t._key IS NULL THEN 'insert'
            WHEN s._key IS NULL THEN CASE WHEN t.is_own THEN 'delete' ELSE 'surplus' END
            WHEN ({table_values}, t._extra) IS DISTINCT FROM ({staged_values}, s._extra) THEN 'update'
            ELSE 'reassign' END AS change,
       coalesce(t.account_id, s.account_id) AS account_id, coalesce(t.time_period_start, s.time_period_start) AS time_period_start,
       coalesce(t._key, s._key) AS _key, coalesce(t._occurrence, s._occurrence) AS _occurrence,
       CASE WHEN NOT t.is_own THEN t._slice END AS old_slice, CASE WHEN NOT t.is_own THEN {digest} END AS old_digest
  FROM {staging} s
  FULL JOIN (SELECT *, _slice = {slice} OR (account_id = {account} AND time_period_start BETWEEN {window_start} AND {window_end}
                                            AND _slice IN (SELECT id FROM searchmill.slices WHERE job = {job})) AS is_own
               FROM {table} WHERE account_id = ANY ({accounts}) AND time_period_start BETWEEN {first} AND {last}) t
    ON t.account_id = s.account_id AND t.time_period_start = s.time_period_start
   AND t._key = s._key AND t._occurrence = s._occurrence
 WHERE t._key IS NULL
    OR (s._key IS NULL AND (t.is_own OR t._occurrence > 1))
    OR (s._key IS NOT NULL AND (t._slice <> {slice} OR ({table_values}, t._extra) IS DISTINCT FROM ({staged_values}, s._extra)))

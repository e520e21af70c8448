-- Publishing: comparing staging with the table, and writing what differs. All run in one transaction.

-- name: publish/analyze-changes
-- Tells the planner how many there are.
ANALYZE searchmill_changes;

-- name: publish/count-changes
-- How many differences of each kind there are, and how many of them are rows of other jobs.
-- Not null: inserts, updates, deletes, reassigns, surplus, others.
SELECT count(*) FILTER (WHERE change = 'insert') AS inserts, count(*) FILTER (WHERE change = 'update') AS updates,
       count(*) FILTER (WHERE change = 'delete') AS deletes, count(*) FILTER (WHERE change = 'reassign') AS reassigns,
       count(*) FILTER (WHERE change = 'surplus') AS surplus, count(old_slice) AS others
  FROM searchmill_changes;

-- name: publish/count-lost-keys
-- How many keys a job has in the table in each week of a window, and how many of them the answer does not have.
-- Params: :job, :accountId, :windowStart, :windowEnd. Result: week (from 0 for the first), keys, lost. Locks: none.
-- Not null: week, keys, lost.
SELECT own.week, own.keys, coalesce(gone.keys, 0) AS lost
  FROM (SELECT (t.time_period_start - :windowStart::date) / 7 AS week, count(*) AS keys
          FROM {table} t
         WHERE t.account_id = :accountId AND t.time_period_start BETWEEN :windowStart AND :windowEnd AND t._occurrence = 1
           AND t._slice IN (SELECT id FROM searchmill.slices WHERE job = :job)
         GROUP BY 1) own
  LEFT JOIN (SELECT (time_period_start - :windowStart::date) / 7 AS week, count(*) AS keys
               FROM searchmill_changes
              WHERE change = 'delete' AND account_id = :accountId AND time_period_start BETWEEN :windowStart AND :windowEnd
                AND _occurrence = 1
              GROUP BY 1) gone ON gone.week = own.week;

-- name: publish/delete-rows
-- Deletes the rows that the new answer does not have any more, and the surplus of other jobs.
-- Params: :accounts, :from and :to, the days of the rows.
DELETE FROM {table} t
 USING searchmill_changes c
 WHERE c.change IN ('delete', 'surplus') AND t.account_id = c.account_id AND t.time_period_start = c.time_period_start
   AND t._key = c._key AND t._occurrence = c._occurrence
   AND t.account_id = ANY (:accounts) AND t.time_period_start BETWEEN :from AND :to;

-- name: publish/find-changes
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
    OR (s._key IS NOT NULL AND (t._slice <> {slice} OR ({table_values}, t._extra) IS DISTINCT FROM ({staged_values}, s._extra)));

-- name: publish/find-taken
-- Rows of other jobs' slices among the differences: they are rewritten, reassigned or deleted.
-- Result: slice, account and digest as text, period, rows.
-- Not null: period, digest, slice, account, rows.
SELECT old_slice::text AS slice, account_id::text AS account, time_period_start AS period, count(*) AS rows, sum(old_digest)::text AS digest
  FROM searchmill_changes
 WHERE old_slice IS NOT NULL
 GROUP BY 1, 2, 3;

-- name: publish/find-taken-back
-- Rows of other configured jobs that a load would take, although these took them back before, and a slice of this job was displaced itself:
-- the jobs take the same rows from each other.
-- Params: :job, :windowStart, :windowEnd. Result: name and filters of each such job, rows. Locks: none.
-- Not null: rows.
SELECT j.name, j.filters, count(*) AS rows
  FROM searchmill_changes c
  JOIN searchmill.slices theirs ON theirs.id = c.old_slice
  JOIN searchmill.jobs j ON j.name = theirs.job
 WHERE theirs.displacements > 0 AND theirs.published_filters_digest = j.filters_digest AND j.removed_at IS NULL
   AND EXISTS (SELECT FROM searchmill.slices own
                WHERE own.job = :job AND own.displaced_at IS NOT NULL
                  AND own.window_start <= :windowEnd AND own.window_end >= :windowStart)
 GROUP BY j.name
 ORDER BY j.name;

-- name: publish/find-vanished-values
-- Values of columns that say what was asked, all of whose rows of a week would be deleted.
-- Placeholders: asked_of_table, asked_of_staging: (name, value, rows from which on it counts) of each such column. Params: :accountId, :windowStart, :windowEnd.
-- Result: column, week (from 0 for the first), value, rows; most rows first. Locks: none.
-- Not null: column, week, value, rows.
SELECT lost."column", lost.week, lost.value, lost.rows
  FROM (SELECT a."column", (t.time_period_start - :windowStart::date) / 7 AS week, a.value, count(*) AS rows
          FROM searchmill_changes c
          JOIN {table} t ON t.account_id = c.account_id AND t.time_period_start = c.time_period_start
                        AND t._key = c._key AND t._occurrence = c._occurrence
         CROSS JOIN LATERAL (VALUES {asked_of_table}) AS a ("column", value, least)
         WHERE c.change = 'delete' AND a.value <> ''
           AND t.account_id = :accountId AND t.time_period_start BETWEEN :windowStart AND :windowEnd
         GROUP BY 1, 2, 3
        HAVING count(*) >= max(a.least)) lost
 WHERE NOT EXISTS (SELECT FROM {staging} s CROSS JOIN LATERAL (VALUES {asked_of_staging}) AS a ("column", value, least)
                    WHERE a."column" = lost."column" AND a.value = lost.value
                      AND (s.time_period_start - :windowStart::date) / 7 = lost.week)
 ORDER BY lost.rows DESC, lost."column", lost.value, lost.week;

-- name: publish/group-lost-rows
-- The rows that would be deleted, by week and by the values of some columns.
-- Placeholders: columns, a list of their values as text. Params: :accountId, :windowStart, :windowEnd.
-- Result: week (from 0 for the first), values, rows. Locks: none.
-- Not null: week, values, rows.
SELECT (t.time_period_start - :windowStart::date) / 7 AS week, ARRAY[{columns}] AS values, count(*) AS rows
  FROM searchmill_changes c
  JOIN {table} t ON t.account_id = c.account_id AND t.time_period_start = c.time_period_start
                AND t._key = c._key AND t._occurrence = c._occurrence
 WHERE c.change = 'delete' AND t.account_id = :accountId AND t.time_period_start BETWEEN :windowStart AND :windowEnd
 GROUP BY 1, 2;

-- name: publish/had-duplicates
-- Whether the last publication of a job had duplicates. Params: :job. No row: it has none.
-- Not null: found.
SELECT p.rows_duplicated > 0 AS found
  FROM searchmill.slices s JOIN searchmill.publications p ON p.execution_id = s.published_execution_id
 WHERE s.job = :job
 ORDER BY p.id DESC
 LIMIT 1;

-- name: publish/insert-all-rows
-- Adds all staged rows, for a window that the table has no rows of. Params: :sliceId.
-- In the order they came: sorting rows this wide costs more than it saves in the index.
INSERT INTO {table} ({columns}, _extra, _key, _occurrence, _slice, _loaded_at, _changed_at)
SELECT {staged_columns}, s._extra, s._key, s._occurrence, :sliceId, now(), now()
  FROM {staging} s;

-- name: publish/insert-rows
-- Adds the rows that the table does not have. Params: :sliceId.
INSERT INTO {table} ({columns}, _extra, _key, _occurrence, _slice, _loaded_at, _changed_at)
SELECT {staged_columns}, s._extra, s._key, s._occurrence, :sliceId, now(), now()
  FROM searchmill_changes c
  JOIN {staging} s ON s.account_id = c.account_id AND s.time_period_start = c.time_period_start
                  AND s._key = c._key AND s._occurrence = c._occurrence
 WHERE c.change = 'insert';

-- name: publish/keep-unstaged-keys
-- Removes from the differences the rows of other jobs whose keys are not staged: they stay in the table.
-- Result: as many rows. Repeating changes nothing.
DELETE FROM searchmill_changes c
 WHERE c.change = 'surplus'
   AND NOT EXISTS (SELECT FROM {staging} s
                    WHERE s.account_id = c.account_id AND s.time_period_start = c.time_period_start AND s._key = c._key);

-- name: publish/lock
-- Fences a publish: locks the execution's row for its holder until the transaction ends.
-- Params: :executionId, :leaseToken. No row: the lease was lost.
SELECT id FROM searchmill.executions WHERE id = :executionId AND lease_token = :leaseToken AND state = 'staged' FOR UPDATE;

-- name: publish/note-writing
-- Deletes nothing, as no row has the number 0: Citus hears that this transaction writes to the nodes of the accounts. Of an INSERT from staging
-- it does not note that where a SELECT came before (13.2). It would commit there unprepared, after the coordinator has committed, and only
-- warn when that fails: the rows of a published slice would be lost.
-- Params: :accounts, :day.
DELETE FROM {table}
 WHERE account_id = ANY (:accounts) AND time_period_start = :day AND _key = '00000000-0000-0000-0000-000000000000' AND _occurrence = 0;

-- name: publish/reassign-rows
-- Reassigns rows that another job has with the same values to the slice of this load.
-- Params: :sliceId, :accounts, :from and :to, the days of the rows.
UPDATE {table} t
   SET _slice = :sliceId
  FROM searchmill_changes c
 WHERE c.change = 'reassign' AND t.account_id = c.account_id AND t.time_period_start = c.time_period_start
   AND t._key = c._key AND t._occurrence = c._occurrence
   AND t.account_id = ANY (:accounts) AND t.time_period_start BETWEEN :from AND :to;

-- name: publish/reset-planner-settings
-- Undoes publish/set-planner-settings, for the rest of the transaction.
SELECT set_config(name, reset_val, true) FROM pg_settings
 WHERE name IN ('enable_hashjoin', 'enable_indexscan', 'enable_nestloop', 'enable_mergejoin', 'min_parallel_table_scan_size', 'parallel_setup_cost',
                'parallel_tuple_cost', 'max_parallel_workers_per_gather', 'work_mem');

-- name: publish/set-planner-settings
-- How a comparison of staging and table is planned, and what is done about the differences, until publish/reset-planner-settings.
-- The table's statistics may know nothing of a week that was published lately. The planner would take its rows for a few, fetch
-- each through the index, or look through all differences for each of them. So both sides are read in the order they lie in, and
-- hashed.
-- Params: :isShared, whether processes of the server may share the work; they can from Postgres 16. They share 48 MB, as containers
-- often give a server 64 MB of shared memory; one process alone has 64 MB, twice over for a hash. Never less than is configured.
WITH configured AS (
  SELECT max(reset_val) FILTER (WHERE name = 'max_parallel_workers_per_gather') AS helpers,
         max(reset_val::integer) FILTER (WHERE name = 'work_mem') AS work_mem
    FROM pg_settings WHERE name IN ('max_parallel_workers_per_gather', 'work_mem')
), chosen AS (
  SELECT *, :isShared::boolean AND helpers <> '0' AND current_setting('server_version_num')::integer >= 160000 AS is_shared FROM configured
)
SELECT set_config('enable_hashjoin', 'on', true), set_config('enable_indexscan', 'off', true), set_config('enable_nestloop', 'off', true), set_config('enable_mergejoin', 'off', true),
       set_config('min_parallel_table_scan_size', '0', true),
       set_config('parallel_setup_cost', '0', true), set_config('parallel_tuple_cost', '0', true),
       set_config('max_parallel_workers_per_gather', CASE WHEN is_shared THEN helpers ELSE '0' END, true),
       set_config('work_mem', greatest(CASE WHEN is_shared THEN 8192 ELSE 65536 END, work_mem)::text || 'kB', true)
  FROM chosen;

-- name: publish/update-rows
-- Rewrites the rows whose values differ. Params: :sliceId, :accounts, :from and :to, the days of the rows.
-- OFFSET 0 keeps the staged rows that are joined apart: where the table is distributed, only these are sent to its nodes.
UPDATE {table} t
   SET {assignments}, _extra = s._extra, _slice = :sliceId, _changed_at = now()
  FROM (SELECT s.*
          FROM searchmill_changes c
          JOIN {staging} s ON s.account_id = c.account_id AND s.time_period_start = c.time_period_start
                          AND s._key = c._key AND s._occurrence = c._occurrence
         WHERE c.change = 'update'
        OFFSET 0) s
 WHERE t.account_id = s.account_id AND t.time_period_start = s.time_period_start
   AND t._key = s._key AND t._occurrence = s._occurrence
   AND t.account_id = ANY (:accounts) AND t.time_period_start BETWEEN :from AND :to;

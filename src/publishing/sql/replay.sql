-- Replaying quarantined rows into a slice that is published already, in one transaction.

-- name: replay/add-rows
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
RETURNING t._occurrence AS occurrence;

-- name: replay/count-added
-- Rows that joined a published slice after its publication.
-- Params: :executionId, :rows, of them :inserted and :updated (the others were there), :deleted rows of other jobs, :weekRows (rows in
--         each week of the window).
WITH slice AS (
  UPDATE searchmill.slices
     SET published_rows = published_rows + :rows,
         published_week_rows = CASE WHEN published_week_rows IS NOT NULL
                                    THEN (SELECT array_agg(before + added ORDER BY week)
                                            FROM unnest(published_week_rows, :weekRows::bigint[]) WITH ORDINALITY AS w (before, added, week)) END
   WHERE published_execution_id = :executionId
)
UPDATE searchmill.publications
   SET rows_inserted = rows_inserted + :inserted, rows_updated = rows_updated + :updated, rows_unchanged = rows_unchanged + (:rows::bigint - :inserted - :updated),
       rows_deleted = rows_deleted + :deleted
 WHERE execution_id = :executionId;

-- name: replay/count-shared
-- Replayed rows, already numbered, whose key and number the table has from slices of other jobs.
-- Result: rows; of them those that are different.
-- Not null: rows, different.
SELECT count(*) AS rows, count(*) FILTER (WHERE ({table_values}, t._extra) IS DISTINCT FROM ({staged_values}, s._extra)) AS different
  FROM {staging} s
  JOIN {table} t ON t.account_id = s.account_id AND t.time_period_start = s.time_period_start
                AND t._key = s._key AND t._occurrence = s._occurrence;

-- name: replay/count-surplus
-- The rows of other jobs that replay/delete-surplus will delete. Apart from replay/count-shared, since Citus takes no count within another.
-- Params: :job of the replay. Result: rows.
-- Not null: rows.
SELECT count(*) AS rows
  FROM (SELECT account_id, time_period_start, _key, max(_occurrence) AS last FROM {staging} GROUP BY 1, 2, 3) k
  JOIN {table} o ON o.account_id = k.account_id AND o.time_period_start = k.time_period_start AND o._key = k._key AND o._occurrence > k.last
 WHERE o._slice NOT IN (SELECT id FROM searchmill.slices WHERE job = :job);

-- name: replay/delete-surplus
-- Deletes rows of other jobs that have a replayed key and a number above the last replayed one, so that all rows of a key come
-- from one load.
-- Params: :job of the replay. Result: as many rows. Repeating finds none.
DELETE FROM {table} t
 USING (SELECT account_id, time_period_start, _key, max(_occurrence) AS last FROM {staging} GROUP BY 1, 2, 3) s
 WHERE t.account_id = s.account_id AND t.time_period_start = s.time_period_start AND t._key = s._key AND t._occurrence > s.last
   AND t._slice NOT IN (SELECT id FROM searchmill.slices WHERE job = :job);

-- name: replay/find-taken
-- Rows of other jobs' slices that a replay takes over or deletes: those that have a replayed key and at least its first number.
-- Params: :job of the replay. Result: slice, account and digest as text, period, rows. Locks: none.
-- Not null: rows, digest, slice, account.
SELECT t._slice::text AS slice, t.account_id::text AS account, t.time_period_start AS period, count(*) AS rows, sum({digest})::text AS digest
  FROM {table} t
  JOIN (SELECT account_id, time_period_start, _key, min(_occurrence) AS first FROM {staging} GROUP BY 1, 2, 3) k
    ON t.account_id = k.account_id AND t.time_period_start = k.time_period_start AND t._key = k._key AND t._occurrence >= k.first
 WHERE t._slice NOT IN (SELECT id FROM searchmill.slices WHERE job = :job)
 GROUP BY 1, 2, 3;

-- name: replay/lock
-- The execution whose quarantine is to be replayed: held, or the one its slice is published from.
-- Params: :executionId. Locks: its row, until the transaction ends.
-- Not null: windowStart, windowEnd.
SELECT e.id, e.state, e.rows_staged AS "rowsStaged", e.request, s.id AS "sliceId", s.job, s.dataset, s.account_id AS "accountId",
       s.window_start::text AS "windowStart", s.window_end::text AS "windowEnd"
  FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
 WHERE e.id = :executionId AND (e.state = 'held' OR (e.state = 'published' AND s.published_execution_id = e.id))
   FOR UPDATE OF e;

-- name: replay/mark
-- Rows that decoded after all, and so are staged, leave quarantine. Params: :executionId. Result: as many rows as there are.
-- Repeating changes nothing.
UPDATE searchmill.quarantined_rows q SET replayed_at = clock_timestamp()
  FROM {staging} s
 WHERE q.execution_id = :executionId AND q.page = s._page AND q.position = s._position AND q.replayed_at IS NULL;

-- name: replay/number
-- Numbers replayed rows after those with the same key that slices of their job have in the table. Params: :job.
-- Repeating changes nothing.
UPDATE {staging} r SET _occurrence = n.occurrence
  FROM (SELECT s._page, s._position,
               row_number() OVER (PARTITION BY s.account_id, s.time_period_start, s._key ORDER BY s._page, s._position)
                 + coalesce(p.last, 0) AS occurrence
          FROM {staging} s
          LEFT JOIN (SELECT t.account_id, t.time_period_start, t._key, max(t._occurrence) AS last
                       FROM {table} t
                       JOIN (SELECT DISTINCT account_id, time_period_start, _key FROM {staging}) k
                         ON k.account_id = t.account_id AND k.time_period_start = t.time_period_start AND k._key = t._key
                      WHERE t._slice IN (SELECT id FROM searchmill.slices WHERE job = :job)
                      GROUP BY 1, 2, 3) p
            ON p.account_id = s.account_id AND p.time_period_start = s.time_period_start AND p._key = s._key) n
 WHERE r._page = n._page AND r._position = n._position AND n.occurrence > 1;

-- name: replay/reassign-shared
-- Reassigns replayed rows that another job has with the same values to the slice of the replay.
-- Params: :sliceId. Repeating changes nothing.
UPDATE {table} t SET _slice = :sliceId
  FROM {staging} s
 WHERE t.account_id = s.account_id AND t.time_period_start = s.time_period_start AND t._key = s._key AND t._occurrence = s._occurrence
   AND t._slice <> :sliceId;

-- name: replay/remove-superseded
-- Takes those rows out of a replay whose week another slice of the same job has published since: its answer has them. Publications are
-- in the order of their ids, whatever the clock said.
-- Params: :sliceId of the replay. Result: as many rows. Repeating finds none.
DELETE FROM {staging} r
 USING searchmill.slices s, searchmill.publications p, searchmill.slices later, searchmill.publications pl
 WHERE s.id = :sliceId AND p.execution_id = s.published_execution_id
   AND later.job = s.job AND later.id <> s.id AND pl.execution_id = later.published_execution_id AND pl.id > p.id
   AND r.account_id = later.account_id AND r.time_period_start BETWEEN later.window_start AND later.window_end;

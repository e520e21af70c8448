-- Retention: removing what is older than configured from the ledger.

-- name: retention/lock-budgets
-- Locks budgets that may go: from which no call was granted for long. A process that registers a connection holds the budget's row, so that
-- retention/remove-budgets, which comes next, sees the connections of those that were locked. Params: :ageMs, :maxRows. Result: id.
-- Locks: these budgets, until the transaction ends; those that others hold are passed by.
SELECT b.id
  FROM searchmill.budgets b
 WHERE b.created_at < clock_timestamp() - :ageMs * interval '1 millisecond'
   AND NOT EXISTS (SELECT FROM searchmill.connections c WHERE c.budget_id = b.id)
   AND NOT EXISTS (SELECT FROM searchmill.call_slots s
                    WHERE s.budget_id = b.id AND s.granted_at >= clock_timestamp() - :ageMs * interval '1 millisecond')
 LIMIT :maxRows
   FOR UPDATE OF b SKIP LOCKED;

-- name: retention/remove-actions
-- Removes what people did long ago, but for decisions on loads that are still there, such as the approval of what is published, and for
-- pauses that last. Params: :ageMs, :maxRows. Result: actions, their number.
-- Locks: the rows it removes. Repeating finds what is left.
-- Not null: actions.
WITH removed AS (
  DELETE FROM searchmill.actions
   WHERE id IN (SELECT a.id FROM searchmill.actions a
                 WHERE a.acted_at < clock_timestamp() - :ageMs * interval '1 millisecond'
                   AND NOT EXISTS (SELECT FROM searchmill.executions e WHERE e.id = a.execution_id)
                   AND (a.action <> 'pause' OR NOT EXISTS (
                          SELECT FROM searchmill.pauses p WHERE (p.kind, p.name) IN (('job', a.job), ('connection', a.connection))))
                 LIMIT :maxRows)
  RETURNING 1
)
SELECT count(*) AS actions FROM removed;

-- name: retention/remove-budgets
-- Removes those of some locked budgets that no connection has, with their slots. Params: :ids. Result: budgets, their number.
-- Locks: the rows it removes. Repeating changes nothing.
-- Not null: budgets.
WITH removed AS (
  DELETE FROM searchmill.budgets b
   WHERE id = ANY (:ids::text[]) AND NOT EXISTS (SELECT FROM searchmill.connections c WHERE c.budget_id = b.id)
  RETURNING 1
)
SELECT count(*) AS budgets FROM removed;

-- name: retention/remove-changes
-- Removes old changes of weeks. The latest change of each week and of each slice stays, so that a first publication is recognised.
-- Params: :ageMs, :maxRows. Result: changes, their number. Locks: the rows it removes. Repeating finds what is left.
-- Not null: changes.
WITH removed AS (
  DELETE FROM searchmill.week_changes
   WHERE cursor IN (SELECT c.cursor FROM searchmill.week_changes c
                     WHERE c.changed_at < clock_timestamp() - :ageMs * interval '1 millisecond'
                       AND EXISTS (SELECT FROM searchmill.week_changes later
                                    WHERE later.dataset = c.dataset AND later.account_id = c.account_id AND later.week = c.week
                                      AND later.cursor > c.cursor AND (later.kind <> 'held' OR c.kind = 'held') AND later.slice_id IS NOT DISTINCT FROM c.slice_id)
                     LIMIT :maxRows)
  RETURNING 1
)
SELECT count(*) AS changes FROM removed;

-- name: retention/remove-drift
-- Removes old schema differences, except those of running loads and of published weeks.
-- Params: :ageMs, :maxRows. Result: drift, their number. Locks: the rows it removes. Repeating finds what is left.
-- Not null: drift.
WITH old AS (
  SELECT d.ctid
    FROM searchmill.drift_events d
    JOIN searchmill.executions e ON e.id = d.execution_id
    JOIN searchmill.slices s ON s.id = e.slice_id
   WHERE d.created_at < clock_timestamp() - :ageMs * interval '1 millisecond'
     AND e.ended_at IS NOT NULL AND e.id IS DISTINCT FROM s.published_execution_id
   LIMIT :maxRows
     FOR UPDATE OF d SKIP LOCKED
), removed AS (
  DELETE FROM searchmill.drift_events WHERE ctid IN (SELECT ctid FROM old) RETURNING 1
)
SELECT count(*) AS drift FROM removed;

-- name: retention/remove-executions
-- Removes old loads that have ended, with their publications. Of each slice, the latest load and the published one stay: coverage is
-- computed from them. A load with rows in quarantine or schema differences stays, too.
-- Params: :executionsMs, the age for those that were not published; :publicationsMs, for those that were; :maxRows.
-- Result: executions, of them publications. Locks: the rows it removes. Repeating finds what is left.
-- Not null: executions, publications.
WITH old AS (
  SELECT e.id
    FROM searchmill.executions e
    JOIN searchmill.slices s ON s.id = e.slice_id
   WHERE e.ended_at < clock_timestamp()
                      - CASE WHEN e.state = 'published' THEN :publicationsMs ELSE :executionsMs END::bigint * interval '1 millisecond'
     AND e.id IS DISTINCT FROM s.published_execution_id
     AND EXISTS (SELECT FROM searchmill.executions n WHERE n.slice_id = e.slice_id AND n.id > e.id)
     AND NOT EXISTS (SELECT FROM searchmill.quarantined_rows q WHERE q.execution_id = e.id)
     AND NOT EXISTS (SELECT FROM searchmill.drift_events d WHERE d.execution_id = e.id)
   LIMIT :maxRows
     FOR UPDATE OF e SKIP LOCKED
), unpublished AS (
  DELETE FROM searchmill.publications WHERE execution_id IN (SELECT id FROM old) RETURNING 1
), removed AS (
  DELETE FROM searchmill.executions WHERE id IN (SELECT id FROM old) RETURNING 1
)
SELECT (SELECT count(*) FROM removed) AS executions, (SELECT count(*) FROM unpublished) AS publications;

-- name: retention/remove-figure-changes
-- Removes notes of changes that no page which is kept was read before. Params: :ageMs, :maxRows. Result: figureChanges, their number.
-- Locks: the rows it removes. Repeating finds what is left.
-- Not null: figureChanges.
WITH old AS (
  SELECT ctid FROM searchmill.figure_changes WHERE changed_at < clock_timestamp() - :ageMs * interval '1 millisecond' LIMIT :maxRows
     FOR UPDATE SKIP LOCKED
), removed AS (
  DELETE FROM searchmill.figure_changes WHERE ctid IN (SELECT ctid FROM old) RETURNING 1
)
SELECT count(*) AS "figureChanges" FROM removed;

-- name: retention/remove-quarantine
-- Removes old rows from quarantine that can no longer be replayed: those that were replayed, and those of loads that are neither
-- under way nor published.
-- Params: :ageMs, :maxRows. Result: quarantine, their number. Locks: the rows it removes. Repeating finds what is left.
-- Not null: quarantine.
WITH old AS (
  SELECT q.ctid
    FROM searchmill.quarantined_rows q
    JOIN searchmill.executions e ON e.id = q.execution_id
    JOIN searchmill.slices s ON s.id = e.slice_id
   WHERE coalesce(q.replayed_at, q.created_at) < clock_timestamp() - :ageMs * interval '1 millisecond'
     AND e.ended_at IS NOT NULL AND (q.replayed_at IS NOT NULL OR e.id IS DISTINCT FROM s.published_execution_id)
   LIMIT :maxRows
     FOR UPDATE OF q SKIP LOCKED
), removed AS (
  DELETE FROM searchmill.quarantined_rows WHERE ctid IN (SELECT ctid FROM old) RETURNING 1
)
SELECT count(*) AS quarantine FROM removed;

-- name: retention/remove-told-accounts
-- Removes when targets were told of accounts that no job asks for any more. Params: :ageMs, :maxRows. Result: toldAccounts, their number.
-- Locks: the rows it removes. Repeating finds what is left.
-- Not null: toldAccounts.
WITH old AS (
  SELECT t.ctid FROM searchmill.told_accounts t
   WHERE NOT EXISTS (SELECT FROM searchmill.jobs j WHERE j.account_id = t.account_id
                        AND (j.removed_at IS NULL OR j.removed_at >= clock_timestamp() - :ageMs * interval '1 millisecond'))
   LIMIT :maxRows
     FOR UPDATE SKIP LOCKED
), removed AS (
  DELETE FROM searchmill.told_accounts WHERE ctid IN (SELECT ctid FROM old) RETURNING 1
)
SELECT count(*) AS "toldAccounts" FROM removed;

-- name: retention/take-turn
-- Lets one process at a time remove what is old. Result: isMine, false while another does.
-- Locks: one advisory lock, until the transaction ends.
-- Not null: isMine.
SELECT pg_try_advisory_xact_lock(hashtext('searchmill retention'), 0) AS "isMine";

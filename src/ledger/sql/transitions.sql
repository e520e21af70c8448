-- Every statement that begins an execution or changes its state, in the order of its life. TRANSITIONS in states.ts is the table of the
-- transitions that are allowed. The headers (States) say which of them a statement makes, and transitions.test.ts runs each in every state.

-- name: transitions/plan
-- Plans an execution for a slice unless one is live. Repeating, or two schedulers at once, plan it once.
-- Params: :sliceId, :connection, :reason, :priority, :filtersDigest, :request (the submit body), :pageSize, :maxRejectedShare,
--         :maxRejectedRows, :minKeepShare, :maxWaitMs, :maxSubmits, :plannedAt by the clock that schedules are read by,
--         :mayShrink (its weeks may have fewer rows than are published).
-- Result: id; none when one is live.
INSERT INTO searchmill.executions (slice_id, connection, reason, priority, filters_digest, request, page_size,
                                   max_rejected_share, min_keep_share, max_wait, max_submits, planned_at,
                                   may_shrink, max_rejected_rows)
VALUES (:sliceId, :connection, :reason, :priority, :filtersDigest, :request, :pageSize, :maxRejectedShare, :minKeepShare, make_interval(secs => :maxWaitMs::float8 / 1000), :maxSubmits, :plannedAt, :mayShrink, :maxRejectedRows)
ON CONFLICT (slice_id) WHERE ended_at IS NULL DO NOTHING
RETURNING id;

-- name: transitions/plan-again
-- After an execution ended without rows, plans the next one for the same slice, with the current question. Consent to fewer rows
-- belongs to a question.
-- Params: :endedId, :connection, :filtersDigest, :request (the submit body), :delayMs until it is due. Result: id; none when one is live already.
INSERT INTO searchmill.executions (slice_id, connection, reason, priority, filters_digest, request, page_size,
                                   max_rejected_share, max_rejected_rows, min_keep_share, max_wait, max_submits, may_shrink, planned_at, due_at)
SELECT slice_id, :connection, reason, priority, :filtersDigest, :request, page_size,
       max_rejected_share, max_rejected_rows, min_keep_share, max_wait, max_submits, may_shrink AND filters_digest = :filtersDigest,
       greatest(planned_at, clock_timestamp()), clock_timestamp() + make_interval(secs => :delayMs::float8 / 1000)
  FROM searchmill.executions WHERE id = :endedId
ON CONFLICT (slice_id) WHERE ended_at IS NULL DO NOTHING
RETURNING id;

-- name: transitions/start-submit
-- The intent to submit, written once the call has its permit and before the POST leaves. A crash from here on leaves the state
-- submitting: the outcome is unknown, and the next step plans another execution.
-- States: planned -> submitting.
-- Params: :executionId, :leaseToken. No row: the lease was lost.
UPDATE searchmill.executions
   SET state = 'submitting', state_since = clock_timestamp(), submit_started_at = clock_timestamp()
 WHERE id = :executionId AND lease_token = :leaseToken AND state = 'planned';

-- name: transitions/revert-submit
-- The POST was not sent, or the service ignored it (429, 401): back to planned, nothing is spent. One that was cancelled
-- meanwhile stays so, and nothing was spent either.
-- States: submitting -> planned; cancelled stays.
-- Params: :executionId, :leaseToken. Repeating changes nothing.
UPDATE searchmill.executions
   SET state = CASE state WHEN 'submitting' THEN 'planned' ELSE state END,
       state_since = CASE state WHEN 'submitting' THEN clock_timestamp() ELSE state_since END, submit_started_at = NULL
 WHERE id = :executionId AND lease_token = :leaseToken AND state IN ('submitting', 'cancelled');

-- name: transitions/finish-submit
-- Writes down the service's executionId and schedules the first poll.
-- States: submitting -> in_progress; in_progress stays.
-- Params: :executionId, :leaseToken, :remoteExecutionId, :requestId, :validityMs (counted from the intent), :firstPollMs from now.
-- Result: steps, priority. No row: the lease was lost, or the load was cancelled.
-- Repeating, as when the answer was lost, only moves the poll.
-- Not null: priority.
UPDATE searchmill.executions
   SET state = 'in_progress', state_since = clock_timestamp(), submitted_at = clock_timestamp(), submit_outcome = 'accepted',
       remote_execution_id = :remoteExecutionId, remote_request_id = :requestId,
       expires_at = submit_started_at + make_interval(secs => :validityMs::float8 / 1000),
       due_at = clock_timestamp() + make_interval(secs => :firstPollMs::float8 / 1000), steps = steps + 1,
       lease_owner = NULL, lease_until = NULL, waiting_for = NULL, errors_in_row = 0,
       deaths_in_row = 0, retrying_since = NULL
 WHERE id = :executionId AND lease_token = :leaseToken
   AND (state = 'submitting' OR (state = 'in_progress' AND remote_execution_id = :remoteExecutionId))
RETURNING steps, searchmill.urgency(priority, expires_at) AS priority;

-- name: transitions/checkpoint
-- The cursor of the pages that are being copied in the same transaction.
-- It is fenced by the token and by the pages committed before: a page is committed once, in order, by the current holder. A
-- repetition or a stale holder changes no row.
-- States: in_progress -> loading, in_progress -> staged, loading -> staged; loading stays.
-- Params: :executionId, :leaseToken, :pagesBefore, :pagesAfter, :nextCursor (null after the last page).
--         :received, :staged and :rejected rows, :bytes, :totalRowCount that the service gave (null: none), :pageCalls, :pollCalls.
--         :waitMs, :networkMs, :decodeMs, :copyMs: time spent. :leaseMs: how long the lease is kept from now on.
--         :rowSchema of the last of these pages that has a new one; null: the schema stays as it was.
--         :cursorAnchor: digest of the cursor behind the last page whose number is a power of two, or null.
-- Result: isOutranked: something more urgent of the same connection, and of a job that is not paused, has been due for a moment and
--         no process takes it. Each connection has its own slots. rowsReceived: the rows so far.
--         emptyPages: the pages since the last that brought rows. announced: the rows there should be at most, or null.
-- Locks: the execution's row, until the transaction ends.
-- Not null: emptyPages, isOutranked.
-- Planned once.
UPDATE searchmill.executions e
   SET state = CASE WHEN :nextCursor::text IS NULL THEN 'staged' ELSE 'loading' END,
       state_since = CASE WHEN :pagesBefore::integer = 0 OR :nextCursor::text IS NULL THEN clock_timestamp() ELSE state_since END,
       load_started_at = coalesce(load_started_at, clock_timestamp()), progress_at = clock_timestamp(),
       staged_at = CASE WHEN :nextCursor::text IS NULL THEN clock_timestamp() END,
       pages = :pagesAfter, next_cursor = :nextCursor,
       rows_received = rows_received + :received, rows_staged = rows_staged + :staged, rows_quarantined = rows_quarantined + :rejected,
       bytes_received = bytes_received + :bytes, total_row_count = coalesce(:totalRowCount, total_row_count),
       row_schema = coalesce(:rowSchema, row_schema),
       page_calls = page_calls + :pageCalls, poll_calls = poll_calls + :pollCalls,
       wait_ms = wait_ms + :waitMs, network_ms = network_ms + :networkMs, decode_ms = decode_ms + :decodeMs, copy_ms = copy_ms + :copyMs,
       cursor_anchor = :cursorAnchor, last_rows_page = CASE WHEN :received > 0 THEN :pagesAfter ELSE last_rows_page END,
       errors_in_row = 0, waiting_for = NULL, deaths_in_row = 0, at_work_since = NULL, retrying_since = NULL,
       lease_until = clock_timestamp() + make_interval(secs => :leaseMs::float8 / 1000)
 WHERE id = :executionId AND lease_token = :leaseToken AND pages = :pagesBefore
   AND state = CASE WHEN :pagesBefore::integer = 0 THEN 'in_progress' ELSE 'loading' END
RETURNING rows_received AS "rowsReceived", pages - last_rows_page AS "emptyPages",
          coalesce(total_row_count, (request->>'limit')::bigint)::text AS announced,
          EXISTS (SELECT FROM searchmill.executions o JOIN searchmill.slices s ON s.id = o.slice_id
                   WHERE o.ended_at IS NULL AND o.connection = e.connection AND o.state IN ('in_progress', 'loading', 'staged')
                     AND searchmill.has_passed(o.due_at + interval '250 milliseconds')
                     AND searchmill.is_free(o.lease_until, o.state)
                     AND searchmill.urgency(o.priority, o.expires_at) < searchmill.urgency(e.priority, e.expires_at)
                     AND (o.state = 'staged' OR NOT EXISTS (SELECT FROM searchmill.pauses p WHERE p.kind = 'job' AND p.name = s.job))) AS "isOutranked";

-- name: transitions/hold
-- The audit objected: keeps the staging and waits for approve or discard.
-- States: staged -> held.
-- Params: :executionId, :leaseToken, :objections, :elapsedMs. No row: the lease was lost.
UPDATE searchmill.executions
   SET state = 'held', state_since = clock_timestamp(), held_at = clock_timestamp(), due_at = NULL, objections = :objections,
       publish_ms = publish_ms + :elapsedMs, lease_owner = NULL, lease_until = NULL,
       at_work_since = NULL, retrying_since = NULL
 WHERE id = :executionId AND lease_token = :leaseToken AND state = 'staged';

-- name: transitions/approve
-- Publishes held executions in spite of the audit: that of a slice, all of a job, or one.
-- An execution may be held only because its processes died or the table did not take its rows: it is audited again, as if it had never been held.
-- States: held -> staged.
-- Params: :sliceId, :job or :executionId; the others are null.
-- Result: id, sliceId, job, windowStart, windowEnd of each.
-- Locks: their rows, in the order of their numbers, for the statement. Repeating changes nothing.
-- Not null: windowStart, windowEnd.
UPDATE searchmill.executions e
   SET state = 'staged', state_since = clock_timestamp(),
       approved_at = CASE WHEN objections @> '[{"rule": "deaths"}]' OR objections @> '[{"rule": "written"}]' THEN approved_at ELSE clock_timestamp() END,
       deaths_in_row = 0, due_at = clock_timestamp(), steps = steps + 1
  FROM searchmill.slices s
 WHERE s.id = e.slice_id
   AND e.id IN (SELECT h.id FROM searchmill.executions h JOIN searchmill.slices hs ON hs.id = h.slice_id
                 WHERE h.state = 'held' AND (hs.id = :sliceId OR hs.job = :job OR h.id = :executionId) ORDER BY h.id FOR UPDATE OF h)
RETURNING e.id, s.id AS "sliceId", s.job, s.window_start::text AS "windowStart", s.window_end::text AS "windowEnd";

-- name: transitions/count-replayed
-- Moves replayed rows from one count of the execution to the other. A held execution is audited again.
-- States: held -> staged; published stays.
-- Params: :executionId, :rows.
UPDATE searchmill.executions
   SET rows_staged = rows_staged + :rows, rows_quarantined = rows_quarantined - :rows,
       state = CASE state WHEN 'held' THEN 'staged' ELSE state END,
       state_since = CASE state WHEN 'held' THEN clock_timestamp() ELSE state_since END,
       due_at = CASE state WHEN 'held' THEN clock_timestamp() ELSE due_at END,
       steps = steps + 1
 WHERE id = :executionId;

-- name: transitions/publish
-- Marks the execution and its slice published and keeps the counts, in the transaction that changed the table.
-- States: staged -> published.
-- Params: :executionId, :leaseToken, rows :inserted, :updated, :unchanged, :deleted, :duplicates, :elapsedMs, :weekRows (rows in each
--         week of a window of several), :hasTaken (whether it took rows of other jobs).
-- No row: the lease was lost.
WITH done AS (
  UPDATE searchmill.executions
     SET state = 'published', state_since = clock_timestamp(), ended_at = clock_timestamp(), due_at = NULL,
         publish_ms = publish_ms + :elapsedMs, lease_owner = NULL, lease_until = NULL,
         deaths_in_row = 0, at_work_since = NULL, retrying_since = NULL
   WHERE id = :executionId AND lease_token = :leaseToken AND state = 'staged'
  RETURNING id, slice_id, filters_digest, rows_staged
), slice AS (
  UPDATE searchmill.slices s
     SET published_execution_id = done.id, published_at = clock_timestamp(), published_rows = done.rows_staged,
         published_week_rows = :weekRows, published_filters_digest = done.filters_digest,
         displaced_at = NULL, displaced_reason = NULL,
         displacements = CASE WHEN :hasTaken THEN s.displacements ELSE 0 END
    FROM done WHERE s.id = done.slice_id
)
INSERT INTO searchmill.publications (slice_id, execution_id, rows_inserted, rows_updated, rows_unchanged, rows_deleted, rows_duplicated)
SELECT slice_id, id, :inserted, :updated, :unchanged, :deleted, :duplicates FROM done;

-- name: transitions/end
-- Ends an execution without its rows. Its staging table is left to a sweep.
-- States: those from which TRANSITIONS in states.ts allows :state.
-- Params: :executionId, :leaseToken, :state (failed | abandoned | discarded | cancelled), :statesBefore, :reason, :errorCode or null.
-- No row: the lease was lost, or it is in none of :statesBefore.
UPDATE searchmill.executions
   SET state = :state, state_since = clock_timestamp(), ended_at = clock_timestamp(), due_at = NULL, end_reason = :reason,
       last_error_code = coalesce(:errorCode, last_error_code), lease_owner = NULL, lease_until = NULL, at_work_since = NULL
 WHERE id = :executionId AND lease_token = :leaseToken AND state = ANY (:statesBefore::text[]);

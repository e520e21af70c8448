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
                     AND (o.state = 'staged' OR NOT EXISTS (SELECT FROM searchmill.pauses p WHERE p.kind = 'job' AND p.name = s.job))) AS "isOutranked"

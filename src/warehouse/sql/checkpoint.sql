-- The cursor of the pages that are being copied in the same transaction. Fenced by the token and by the pages committed
-- before, so a page is committed once, in order, by the current holder; a repetition or a stale holder changes no row.
-- Params: $1 execution, $2 token, $3 pages before, $4 pages after, $5 next cursor or null, $6 rows received, $7 staged,
--         $8 quarantined, $9 bytes, $10 total the service gave or null, $11 page calls, $12 poll calls,
--         $13..$16 ms waited, on the network, decoding, copying, $17 lease in ms,
--         $18 version of the rows' keys: that of the first page holds for the execution,
--         $19 schema of the last of these pages that has a new one, or null: the schema stays as it was,
--         $20 digest of the cursor behind the last page whose number is a power of two, or null.
-- Result: isOutranked, whether something more urgent has been due for a moment and nobody takes it; rowsReceived and emptyPages,
--         the rows so far and the pages since the last that brought some; announced, the rows there should be at most, or null.
-- Locks: the execution's row, until the transaction ends.
UPDATE searchmill.executions e
   SET state = CASE WHEN $5::text IS NULL THEN 'staged' ELSE 'loading' END,
       state_since = CASE WHEN $3::integer = 0 OR $5::text IS NULL THEN clock_timestamp() ELSE state_since END,
       load_started_at = coalesce(load_started_at, clock_timestamp()), progress_at = clock_timestamp(),
       staged_at = CASE WHEN $5::text IS NULL THEN clock_timestamp() END,
       pages = $4, next_cursor = $5,
       rows_received = rows_received + $6, rows_staged = rows_staged + $7, rows_quarantined = rows_quarantined + $8,
       bytes_received = bytes_received + $9, total_row_count = coalesce($10, total_row_count),
       row_schema = coalesce($19, row_schema),
       page_calls = page_calls + $11, poll_calls = poll_calls + $12,
       wait_ms = wait_ms + $13, network_ms = network_ms + $14, decode_ms = decode_ms + $15, copy_ms = copy_ms + $16,
       key_version = CASE WHEN $3::integer = 0 THEN $18 ELSE key_version END,
       cursor_anchor = $20, last_rows_page = CASE WHEN $6 > 0 THEN $4 ELSE last_rows_page END,
       errors_in_row = 0, waiting_for = NULL, deaths_in_row = 0, at_work_since = NULL, retrying_since = NULL,
       lease_until = clock_timestamp() + make_interval(secs => $17::float8 / 1000)
 WHERE id = $1 AND lease_token = $2 AND pages = $3
   AND state = CASE WHEN $3::integer = 0 THEN 'in_progress' ELSE 'loading' END
RETURNING rows_received AS "rowsReceived", pages - last_rows_page AS "emptyPages",
          coalesce(total_row_count, (request->>'limit')::bigint)::text AS announced,
          EXISTS (SELECT FROM searchmill.executions o
                   WHERE o.ended_at IS NULL AND o.state IN ('in_progress', 'loading', 'staged')
                     AND searchmill.has_passed(o.due_at + interval '250 milliseconds')
                     AND searchmill.is_free(o.lease_until, o.state)
                     AND searchmill.urgency(o.priority, o.expires_at) < searchmill.urgency(e.priority, e.expires_at)) AS "isOutranked"

-- Rows that decoded after all, and so are staged, leave quarantine. Params: :executionId. Result: as many rows as there are.
-- Repeating changes nothing.
UPDATE searchmill.quarantined_rows q SET replayed_at = clock_timestamp()
  FROM {staging} s
 WHERE q.execution_id = :executionId AND q.page = s._page AND q.position = s._position AND q.replayed_at IS NULL

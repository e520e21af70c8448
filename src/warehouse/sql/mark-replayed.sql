-- Rows that decoded after all leave quarantine. Params: $1 execution, $2 pages, $3 positions. Repeating changes nothing.
UPDATE searchmill.quarantined_rows q SET replayed_at = clock_timestamp()
  FROM unnest($2::integer[], $3::integer[]) AS r (page, position)
 WHERE q.execution_id = $1 AND q.page = r.page AND q.position = r.position AND q.replayed_at IS NULL

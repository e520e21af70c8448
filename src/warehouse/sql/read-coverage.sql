-- Coverage of one job or of all. One text per job, since a driver takes longer over the fields of thousands of rows than the
-- database over making them: a week ends with U+001E, a field with U+001F, times are seconds since 1970, NULL is empty.
-- Params: $1 job or null. Result: job, weeks; jobs in order, the weeks in none.
SELECT job, string_agg(concat(
         week, E'\x1F', state, E'\x1F', is_expected, E'\x1F', extract(epoch FROM published_at), E'\x1F', slice_rows, E'\x1F',
         slice_id, E'\x1F', execution_id, E'\x1F', execution_state, E'\x1F', extract(epoch FROM state_since), E'\x1F',
         extract(epoch FROM due_at), E'\x1F', rows_received, E'\x1F', total_row_count, E'\x1F', published_filters_digest, E'\x1F',
         translate(detail, E'\x1E\x1F', '  ')), E'\x1E') AS weeks
  FROM searchmill.coverage
 WHERE $1::text IS NULL OR job = $1
 GROUP BY job
 ORDER BY job

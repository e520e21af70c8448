-- As periods/add, of all staged rows: for an answer that has more periods than are sent. Params: :sliceId.
INSERT INTO searchmill.published_periods AS p (slice_id, account_id, period_start, rows, digest)
SELECT :sliceId::bigint, s.account_id, s.time_period_start, count(*), sum({digest})
  FROM {staging} s
 GROUP BY s.account_id, s.time_period_start
ON CONFLICT (slice_id, account_id, period_start) DO UPDATE
  SET rows = p.rows + excluded.rows, digest = p.digest + excluded.digest, checked_at = excluded.checked_at

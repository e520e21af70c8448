-- Adds rows to what the table must have. Params: :periods, a JSON array of {slice, account, period, rows, digest}; numbers as text.
-- Locks: the rows it changes, until the transaction ends.
INSERT INTO searchmill.published_periods AS p (slice_id, account_id, period_start, rows, digest)
SELECT slice, account, period, rows, digest
  FROM jsonb_to_recordset(:periods::jsonb) AS given (slice bigint, account bigint, period date, rows bigint, digest numeric)
ON CONFLICT (slice_id, account_id, period_start) DO UPDATE
  SET rows = p.rows + excluded.rows, digest = p.digest + excluded.digest, checked_at = excluded.checked_at

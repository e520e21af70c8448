-- Makes sure that a slice exists. Params: :job, :dataset, :accountId, :windowStart, :windowEnd. Result: id.
-- Repeating returns the same slice.
INSERT INTO searchmill.slices AS s (job, dataset, account_id, window_start, window_end) VALUES (:job, :dataset, :accountId, :windowStart, :windowEnd)
ON CONFLICT (job, window_start, window_end) DO UPDATE SET dataset = excluded.dataset, account_id = excluded.account_id
RETURNING id

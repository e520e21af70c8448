-- Makes sure a slice exists. Params: $1 job, $2 dataset, $3 account, $4 first and $5 last day. Result: id.
-- Repeating returns the same slice.
INSERT INTO searchmill.slices AS s (job, dataset, account_id, window_start, window_end) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (job, window_start, window_end) DO UPDATE SET dataset = excluded.dataset, account_id = excluded.account_id
RETURNING id

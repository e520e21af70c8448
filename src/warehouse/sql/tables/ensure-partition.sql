-- Makes the partition of one month of a dataset's table, unless attached ones take its rows. Params: :dataset, :month (its first day).
-- Locks: one advisory lock, and SHARE UPDATE EXCLUSIVE on the table, which readers and writers do not notice.
SELECT searchmill.ensure_partition(:dataset, :month)

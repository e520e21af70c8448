-- Makes the partition of one month of a dataset's table, unless it is there. Params: $1 dataset, $2 first day of the month.
-- Locks: one advisory lock, and SHARE UPDATE EXCLUSIVE on the table, which readers and writers do not notice.
SELECT searchmill.ensure_partition($1, $2)

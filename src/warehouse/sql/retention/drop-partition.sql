-- Detaches and drops the partition of a month. Params: :dataset, :month (its first day). Result: isRemoved, false when it is not there.
-- Locks: ACCESS EXCLUSIVE on the table, until the transaction ends, so run it last.
-- Not null: isRemoved.
SELECT searchmill.drop_partition(:dataset, :month) AS "isRemoved"

-- Distributes a table and its partitions by account, with the rows that it has. Params: :table, :colocateWith (a table, or none).
-- Locks: readers and writers of the table wait until its rows are on their nodes.
SELECT create_distributed_table(:table::text::regclass, 'account_id', colocate_with => :colocateWith)

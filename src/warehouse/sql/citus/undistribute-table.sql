-- Brings a table's rows back to the coordinator. Params: :table. Locks: readers and writers of the table wait meanwhile.
SELECT undistribute_table(:table::text::regclass)

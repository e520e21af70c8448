-- Removes the invisible copies of distributed rows that the coordinator keeps. Params: :table.
SELECT truncate_local_data_after_distributing_table(:table::text::regclass)

-- Removes what the coordinator keeps, unseen, of the rows that were distributed. Params: :table.
SELECT truncate_local_data_after_distributing_table(:table::text::regclass)

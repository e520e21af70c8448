-- Removes what the coordinator keeps, unseen, of the summaries that were distributed.
SELECT truncate_local_data_after_distributing_table(stored) FROM search_reports.stored_tables() AS stored

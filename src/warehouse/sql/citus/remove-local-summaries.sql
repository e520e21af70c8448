-- Removes the invisible copies of distributed summaries that the coordinator keeps.
SELECT truncate_local_data_after_distributing_table(stored) FROM search_reports.stored_tables() AS stored

-- How many tables store summaries. Result: tables.
SELECT count(*)::integer AS tables FROM search_reports.stored_tables()

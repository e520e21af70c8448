-- The tables that store summaries. Result: name, qualified and quoted.
SELECT stored::text AS name FROM search_reports.stored_tables() AS stored

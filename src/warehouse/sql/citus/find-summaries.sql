-- The tables that store summaries. Result: name, qualified and quoted.
-- Not null: name.
SELECT stored::text AS name FROM search_reports.stored_tables() AS stored

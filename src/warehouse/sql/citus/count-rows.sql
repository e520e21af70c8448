-- The number of rows of a table, on all nodes. Placeholders: {table}. Result: rows, as a number that JavaScript holds exactly.
-- Not null: rows.
SELECT count(*)::double precision AS rows FROM {table}

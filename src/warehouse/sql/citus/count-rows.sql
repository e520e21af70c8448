-- How many rows a table has, wherever they are. Placeholders: {table}. Result: rows, as a number that JavaScript holds exactly.
-- Not null: rows.
SELECT count(*)::double precision AS rows FROM {table}

-- Rows of a warehouse table.
-- Not null: rows.
SELECT count(*) AS rows FROM {table}

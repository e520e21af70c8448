-- Rows of a warehouse table.
SELECT count(*) AS rows FROM {table}

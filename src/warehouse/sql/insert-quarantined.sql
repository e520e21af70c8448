-- Keeps rows that did not decode. Params: $1 execution, $2 page, $3 positions, $4 column names, $5 reasons, $6 raw rows,
--         $7 column names of the page's schema. Part of the page's transaction.
INSERT INTO searchmill.quarantined_rows (execution_id, page, position, column_name, reason, raw, schema_names)
SELECT $1, $2, r.position, r.column_name, r.reason, r.raw, $7::text[]
  FROM unnest($3::integer[], $4::text[], $5::text[], $6::text[]) AS r (position, column_name, reason, raw)

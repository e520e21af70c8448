-- Keeps rows that did not decode. Part of the page's transaction.
-- Params: :executionId, :page, :schemaNames (the columns of the page); lists with an entry for each row: :positions, :columns,
--         :reasons, :raw.
INSERT INTO searchmill.quarantined_rows (execution_id, page, position, column_name, reason, raw, schema_names)
SELECT :executionId, :page, r.position, r.column_name, r.reason, r.raw, :schemaNames::text[]
  FROM unnest(:positions::integer[], :columns::text[], :reasons::text[], :raw::text[]) AS r (position, column_name, reason, raw)

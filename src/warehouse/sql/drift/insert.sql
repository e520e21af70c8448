-- Writes down once per execution how a schema differed.
-- Params: :executionId, :page; lists with an entry for each difference: :kinds, :columns, :details. Repeating changes nothing.
INSERT INTO searchmill.drift_events (execution_id, page, kind, column_name, detail)
SELECT :executionId, :page, d.kind, d.column_name, d.detail FROM unnest(:kinds::text[], :columns::text[], :details::text[]) AS d (kind, column_name, detail)
ON CONFLICT DO NOTHING
RETURNING kind, column_name, detail

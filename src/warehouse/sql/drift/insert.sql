-- Writes down once per execution how a schema differed.
-- Params: :executionId, :page, :drift, a JSON array of kind, column and detail. Repeating changes nothing.
INSERT INTO searchmill.drift_events (execution_id, page, kind, column_name, detail)
SELECT :executionId, :page, kind, "column", detail FROM jsonb_to_recordset(:drift::jsonb) AS d (kind text, "column" text, detail text)
ON CONFLICT DO NOTHING
RETURNING kind, column_name, detail

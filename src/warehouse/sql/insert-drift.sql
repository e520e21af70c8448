-- Writes down once per execution how a schema differed. Params: $1 execution, $2 page, $3 kinds, $4 columns, $5 details.
-- Repeating changes nothing.
INSERT INTO searchmill.drift_events (execution_id, page, kind, column_name, detail)
SELECT $1, $2, d.kind, d.column_name, d.detail FROM unnest($3::text[], $4::text[], $5::text[]) AS d (kind, column_name, detail)
ON CONFLICT DO NOTHING
RETURNING kind, column_name, detail

-- Whether a slice is published from an execution that somebody approved in spite of the audit: its rows may then lie outside
-- its window. Params: $1 slice.
SELECT EXISTS (SELECT FROM searchmill.slices s JOIN searchmill.executions e ON e.id = s.published_execution_id
                WHERE s.id = $1 AND e.approved_at IS NOT NULL) AS found

-- What an execution's rows have, kept with its cursor, for services that say it with the first page only; and the rows that
-- an execution with a limit will have.
-- Guarantees: an execution that is under way goes on. Where its first page was committed before, pages without a schema are
-- refused as before, and its slice is asked for again.
-- Old processes: must be stopped, since they cannot go on with loads that newer processes have begun.
-- Repeating: applied once, by the migration runner, in one transaction.

ALTER TABLE searchmill.executions ADD COLUMN row_schema jsonb;
COMMENT ON COLUMN searchmill.executions.row_schema IS 'Names and types of the columns of its rows, from the last page that had a schema; holds for pages without one. NULL before the first.';

CREATE FUNCTION searchmill.expected_rows(total bigint, request jsonb) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT CASE WHEN total IS NOT NULL THEN least(total, (request->>'limit')::bigint) END $$;
COMMENT ON FUNCTION searchmill.expected_rows IS 'Rows that will be sent of those that the service counts: no more than the limit of the submit body.';

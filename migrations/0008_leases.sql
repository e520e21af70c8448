-- One place that says when an execution is free.
-- Guarantees: what was free before is, and nothing else.
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction; a database that has the function keeps it.

CREATE OR REPLACE FUNCTION searchmill.is_free(lease_until timestamptz, state text) RETURNS boolean
LANGUAGE sql VOLATILE PARALLEL SAFE
AS $$ SELECT lease_until IS NULL OR searchmill.has_passed(lease_until + CASE WHEN state = 'submitting' THEN interval '30 seconds' ELSE interval '0' END) $$;
COMMENT ON FUNCTION searchmill.is_free IS 'Whether nobody holds an execution. A submit whose outcome is open is left to its process for half a minute longer: it may hold the executionId and wait for the database to write it down.';

-- What statements ask of times, in one place, and rights that the service does not need.
-- Guarantees: nothing waits for longer than two hours because the clock was set back; the loading role cannot touch what
-- says which migrations were applied and whose ledger it is.
-- Old processes: go on.
-- Repeating: applied once, by the migration runner, in one transaction.

CREATE FUNCTION searchmill.has_passed(at timestamptz) RETURNS boolean
LANGUAGE sql VOLATILE PARALLEL SAFE
AS $$ SELECT at <= clock_timestamp() OR at > clock_timestamp() + interval '2 hours' $$;
COMMENT ON FUNCTION searchmill.has_passed IS 'Whether a time has come. Nothing is put off for more than an hour, so a time that lies further ahead was written before the clock was set back.';

CREATE FUNCTION searchmill.urgency(priority integer, expires_at timestamptz) RETURNS integer
LANGUAGE sql VOLATILE PARALLEL SAFE
AS $$ SELECT CASE WHEN expires_at < clock_timestamp() + interval '12 hours' THEN 0 ELSE priority END $$;
COMMENT ON FUNCTION searchmill.urgency IS 'The priority of an execution now: what is near the end of its 7 days goes before everything else.';

DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'searchmill_writer') THEN
    REVOKE INSERT, UPDATE, DELETE ON searchmill.migrations, searchmill.ledger FROM searchmill_writer;
  END IF;
END
$$;

-- Functions that statements of the ledger share: whether a time has come, whether a lease is free, keys of rows, items of lists, ends of
-- sessions.

CREATE OR REPLACE FUNCTION searchmill.has_passed(at timestamptz) RETURNS boolean
LANGUAGE sql VOLATILE PARALLEL SAFE
RETURN at <= clock_timestamp() OR at > clock_timestamp() + interval '2 hours';
COMMENT ON FUNCTION searchmill.has_passed IS 'Whether a time has come. Nothing is put off for more than an hour: a time that lies further '
  'ahead was written before the clock was set back.';

CREATE OR REPLACE FUNCTION searchmill.is_free(lease_until timestamptz, state text) RETURNS boolean
LANGUAGE sql VOLATILE PARALLEL SAFE
RETURN lease_until IS NULL OR searchmill.has_passed(lease_until + CASE WHEN state = 'submitting' THEN interval '30 seconds'
                                                    ELSE interval '0' END);
COMMENT ON FUNCTION searchmill.is_free IS 'Whether nobody holds an execution. While the outcome of a submit is open, its process keeps the '
  'execution for another 30 s after the lease: it may have the executionId and be waiting for the database to write it down.';

-- VOLATILE, so that its statements see what the previous holder of the lock has committed.
CREATE OR REPLACE FUNCTION searchmill.lock_submits(of_connection text) RETURNS text[]
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('searchmill submit ' || of_connection), 0);
  RETURN ARRAY(SELECT s.job FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
                WHERE e.connection = of_connection AND e.ended_at IS NULL
                  AND (e.state = 'submitting' OR e.state = 'planned' AND NOT searchmill.is_free(e.lease_until, e.state))
                GROUP BY s.job HAVING count(*) >= 2);
END
$$;
COMMENT ON FUNCTION searchmill.lock_submits IS 'The jobs with two submits over a connection that are under way or whose outcome is not '
  'known yet. Holds a lock until the transaction ends, so that processes take submits of a connection one after another.';

CREATE OR REPLACE FUNCTION searchmill.urgency(priority integer, expires_at timestamptz) RETURNS integer
LANGUAGE sql VOLATILE PARALLEL SAFE
RETURN CASE WHEN expires_at < clock_timestamp() + interval '12 hours' THEN 0 ELSE priority END;
COMMENT ON FUNCTION searchmill.urgency IS 'The priority of an execution now: one that has less than 12 hours of its 7 days left goes '
  'before everything else.';

CREATE OR REPLACE FUNCTION searchmill.expected_rows(total bigint, request jsonb) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN total IS NOT NULL THEN least(total, (request->>'limit')::bigint) END;
COMMENT ON FUNCTION searchmill.expected_rows IS 'Rows that the service will send of those it counts: no more than the limit of the submit '
  'body.';

-- The caller gives dates as YYYY-MM-DD, because a cast to text would follow the session's DateStyle.
CREATE OR REPLACE FUNCTION searchmill.row_key(VARIADIC identity text[]) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  value text;
  whole text := '';
BEGIN
  FOREACH value IN ARRAY identity LOOP
    whole := whole || coalesce(octet_length(convert_to(value, 'UTF8')) || ':' || value, '-');
  END LOOP;
  RETURN encode(substring(sha256(convert_to(whole, 'UTF8')) FOR 16), 'hex')::uuid;
END
$$;
COMMENT ON FUNCTION searchmill.row_key IS 'The key of a row, from the texts of its identity columns in order, with dates as YYYY-MM-DD.';

CREATE OR REPLACE FUNCTION searchmill.list_items(list text) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN list ~ '^\s*$' THEN '{}' ELSE regexp_split_to_array(regexp_replace(list, '^\s+|\s+$', '', 'g'), '\s*,\s*') END;
COMMENT ON FUNCTION searchmill.list_items IS 'The items of a comma-separated list, without blanks around them; none for an empty text.';

CREATE OR REPLACE FUNCTION searchmill.end_session(digest bytea) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  DELETE FROM searchmill.ended_sessions WHERE ended_at < clock_timestamp() - interval '1 day';
  INSERT INTO searchmill.ended_sessions (digest) VALUES ($1) ON CONFLICT DO NOTHING;
$$;
COMMENT ON FUNCTION searchmill.end_session IS 'Ends a session of the pages in every process. Has the rights of its owner: a login that may '
  'only read the boards can log out with it.';
REVOKE ALL ON FUNCTION searchmill.end_session FROM PUBLIC;

-- For every role that reads boards: a process that serves them must know the schema and the ended sessions.
DO $$
DECLARE
  reading name;
BEGIN
  FOR reading IN SELECT rolname FROM pg_catalog.pg_roles
                  WHERE rolname IN ('searchmill_reader', 'searchmill_analyst', 'searchmill_account', 'searchmill_writer') LOOP
    EXECUTE format('GRANT EXECUTE ON FUNCTION searchmill.list_items, searchmill.end_session TO %I', reading);
    EXECUTE format('GRANT SELECT ON searchmill.ledger, searchmill.migrations, searchmill.schema_digests, searchmill.ended_sessions TO %I',
                   reading);
  END LOOP;
END
$$;

-- Other filters make more weeks stale, so what was acknowledged of them is told again.
CREATE OR REPLACE FUNCTION searchmill.tell_other_filters() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  DELETE FROM searchmill.acknowledgements WHERE kind = 'other-filters' AND job IN ('', NEW.name);
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION searchmill.tell_other_filters IS 'Takes back that somebody has acknowledged weeks of other filters, once the filters '
  'of the job change again.';

-- Making a trigger keeps others from writing to its table, also when it is there already; with the locks of two tables a migration could
-- deadlock with a load. So a trigger is made once, and its comment says how.
CREATE OR REPLACE FUNCTION searchmill.keep_trigger(name text, of_table regclass, events text, action text) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  definition text := events || ' ' || action;
BEGIN
  IF EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = of_table AND t.tgname = keep_trigger.name
             AND obj_description(t.oid, 'pg_trigger') = definition) THEN
    RETURN false;
  END IF;
  EXECUTE format('CREATE OR REPLACE TRIGGER %I %s ON %s %s', name, events, of_table, action);
  EXECUTE format('COMMENT ON TRIGGER %I ON %s IS %L', name, of_table, definition);
  RETURN true;
END
$$;
COMMENT ON FUNCTION searchmill.keep_trigger IS 'Makes a trigger of a table, unless that very one is there already. Returns whether it was '
  'made.';

DO $$
BEGIN
  PERFORM searchmill.keep_trigger('tell_other_filters', 'searchmill.jobs', 'AFTER UPDATE',
    'FOR EACH ROW WHEN (OLD.filters_digest <> NEW.filters_digest) EXECUTE FUNCTION searchmill.tell_other_filters()');
END
$$;

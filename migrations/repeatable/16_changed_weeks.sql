-- Which weeks of the tables have changed, in an order in which a reader can continue safely.
-- A transaction that changes a week inserts it into searchmill.week_changes. At the commit the row gets its number, under a lock that is
-- held until the commit is visible. So a number is visible only when all lower ones are, and a reader that continues after a number misses
-- none.

CREATE OR REPLACE FUNCTION searchmill.number_week_change() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('searchmill week changes'), 0);
  UPDATE searchmill.week_changes SET cursor = DEFAULT WHERE cursor = NEW.cursor;
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION searchmill.number_week_change IS 'Gives a change of a week its number at the commit, so that numbers become visible in '
  'their order.';

-- Facts say what was asked for: other filters, a column that does not come any more, or a first answer without rows change them, whatever
-- the rows.
CREATE OR REPLACE FUNCTION searchmill.asks_anew(publication searchmill.publications) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  before bigint := (SELECT p.execution_id FROM searchmill.publications p WHERE p.slice_id = publication.slice_id AND p.id < publication.id
                     ORDER BY p.id DESC LIMIT 1);
BEGIN
  RETURN before IS NULL OR 1 < (
    SELECT count(DISTINCT (e.request - '{account_id,start_date,end_date,time_period_start,time_period_end,includeMsv}'::text[],
                           ARRAY(SELECT d.column_name FROM searchmill.drift_events d
                                  WHERE d.execution_id = e.id AND d.kind = 'missing_column' ORDER BY d.column_name)))
      FROM searchmill.executions e WHERE e.id IN (before, publication.execution_id));
END
$$;
COMMENT ON FUNCTION searchmill.asks_anew IS 'Whether a publication of a slice is the first, or comes from other filters or with other '
  'columns than the one before.';

-- Everything that follows a publication, in its transaction. The account is noted even if no week is marked, as for a dataset without
-- summaries.
CREATE OR REPLACE FUNCTION searchmill.note_publication() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  slice    searchmill.slices;
  changes  bigint := NEW.rows_inserted + NEW.rows_updated + NEW.rows_deleted;
  accounts bigint[];
  weeks    date[];
  changed  jsonb;
BEGIN
  SELECT * INTO slice FROM searchmill.slices WHERE id = NEW.slice_id;
  INSERT INTO searchmill.figure_changes (account_id) VALUES (slice.account_id);
  IF TG_OP = 'UPDATE' THEN
    IF changes = OLD.rows_inserted + OLD.rows_updated + OLD.rows_deleted THEN
      RETURN NULL;
    END IF;
  END IF;
  SELECT array_agg(account_id), array_agg(week) INTO accounts, weeks FROM search_reports.weeks_of_publication(slice, NEW.execution_id);
  IF changes > 0 OR TG_OP = 'INSERT' AND searchmill.asks_anew(NEW) THEN
    PERFORM search_reports.mark_weeks(slice.dataset, account_id, array_agg(week ORDER BY week))
       FROM unnest(accounts, weeks) AS w (account_id, week) GROUP BY account_id ORDER BY account_id <> slice.account_id;
  END IF;
  -- The differences say which weeks of the window have changed. There are none for an empty table or a replay: then all may have.
  IF changes > 0 AND to_regclass('pg_temp.searchmill_changes') IS NOT NULL THEN
    EXECUTE 'SELECT coalesce(jsonb_agg(DISTINCT jsonb_build_array(account_id, search_reports.week_of(time_period_start))), ''[]'')
               FROM pg_temp.searchmill_changes WHERE change <> ''reassign''' INTO changed;
  END IF;
  -- The week of a job is published, whichever of its windows has loaded it.
  INSERT INTO searchmill.week_changes (kind, dataset, account_id, week, slice_id, execution_id, publication_id)
  SELECT known.kind, slice.dataset, w.account_id, w.week, slice.id, NEW.execution_id, NEW.id
    FROM unnest(accounts, weeks) AS w (account_id, week)
   CROSS JOIN LATERAL (
         SELECT CASE WHEN EXISTS (
                  SELECT FROM searchmill.week_changes c
                    JOIN searchmill.slices s ON s.id = c.slice_id AND s.job = slice.job
                   WHERE c.dataset = slice.dataset AND c.account_id = w.account_id AND c.week = w.week
                     AND c.kind IN ('published', 'revised')
                     AND NOT EXISTS (SELECT FROM searchmill.week_changes r
                                      WHERE r.dataset = c.dataset AND r.account_id = c.account_id AND r.week = c.week
                                        AND r.kind = 'removed' AND r.cursor > c.cursor))
                THEN 'revised' ELSE 'published' END AS kind) known
   WHERE known.kind = 'published'
      OR (changes > 0 AND (changed IS NULL OR changed @> jsonb_build_array(jsonb_build_array(w.account_id, w.week))));
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION searchmill.note_publication IS 'For a publication, or a replay into it: notes its account, marks the weeks it has '
  'changed for summaries, and notes the weeks that are published for the first time by their job, and those whose rows it has changed.';

CREATE OR REPLACE FUNCTION searchmill.note_held() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO searchmill.week_changes (kind, dataset, account_id, week, slice_id, execution_id)
  SELECT 'held', s.dataset, s.account_id, week::date, s.id, NEW.id
    FROM searchmill.slices s,
         generate_series(search_reports.week_of(s.window_start)::timestamp, s.window_end::timestamp, interval '7 days') AS week
   WHERE s.id = NEW.slice_id;
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION searchmill.note_held IS 'Notes the weeks of an execution that the audit holds.';

DO $$
BEGIN
  PERFORM searchmill.keep_trigger('note_publication', 'searchmill.publications', 'AFTER INSERT OR UPDATE',
    'FOR EACH ROW EXECUTE FUNCTION searchmill.note_publication()');
  PERFORM searchmill.keep_trigger('note_held', 'searchmill.executions', 'AFTER UPDATE OF state', $action$FOR EACH ROW
    WHEN (NEW.state = 'held' AND OLD.state <> 'held') EXECUTE FUNCTION searchmill.note_held()$action$);
END
$$;

-- Only a constraint trigger can wait for the commit, and it has no OR REPLACE.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_trigger WHERE tgrelid = 'searchmill.week_changes'::regclass
                 AND tgname = 'number_week_change') THEN
    CREATE CONSTRAINT TRIGGER number_week_change AFTER INSERT ON searchmill.week_changes
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION searchmill.number_week_change();
  END IF;
END
$$;

-- A restored ledger counts on from an older number. So a number is one of a ledger in one place: another server, database or table after a
-- restore of a dump, another timeline after a recovery to a point in time or a promotion. A disk that was set back leaves no trace.
CREATE OR REPLACE FUNCTION search_reports.ledger_mark(ledger uuid, place oid) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  server   text;
  timeline text;
BEGIN
  BEGIN
    server := (pg_control_system()).system_identifier;
    timeline := CASE WHEN pg_is_in_recovery() THEN lpad(to_hex((pg_control_checkpoint()).timeline_id), 8, '0')
                     ELSE left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) END;
  EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_function THEN
    -- Some hosted servers do not tell. The rest still shows that a dump was restored.
  END;
  RETURN md5(concat_ws(' ', ledger, server, timeline, (SELECT oid FROM pg_database WHERE datname = current_database()), place));
END
$$;
COMMENT ON FUNCTION search_reports.ledger_mark IS 'Mark of the ledger with this id in the table with this oid: another one after the '
  'ledger was made anew, restored or recovered.';

CREATE OR REPLACE VIEW search_reports.changed_weeks WITH (security_barrier) AS
SELECT account_id, dataset, week, publication_id AS publication, cursor, changed_at,
       (SELECT search_reports.ledger_mark(id, tableoid) FROM searchmill.ledger) AS ledger
  FROM searchmill.week_changes c
 WHERE kind <> 'held'
   AND ((SELECT search_reports.sees_all_accounts()) OR account_id IN (SELECT account_id FROM search_reports.accounts_of_login))
   AND NOT EXISTS (SELECT FROM searchmill.week_changes later
                    WHERE later.dataset = c.dataset AND later.account_id = c.account_id AND later.week = c.week
                      AND later.kind <> 'held' AND later.cursor > c.cursor);
COMMENT ON VIEW search_reports.changed_weeks IS 'Account x dataset x week: when its rows last changed. A consumer keeps ledger and the '
  'greatest cursor it has read, asks for greater ones, or for all if ledger is another, and replaces these weeks as a whole. So it also '
  'learns of deletions and misses nothing.';
COMMENT ON COLUMN search_reports.changed_weeks.dataset IS 'Dataset, and name of the table in schema search.';
COMMENT ON COLUMN search_reports.changed_weeks.week IS 'Sunday that begins the week: time_period_start of its rows is in the seven days '
  'from then on.';
COMMENT ON COLUMN search_reports.changed_weeks.publication IS 'Publication that last changed it, as in searchmill.publications; NULL if '
  'keep_weeks removed the week.';
COMMENT ON COLUMN search_reports.changed_weeks.cursor IS 'Grows with each change of any week. After a cursor is visible, no lower one '
  'appears, as long as ledger is the same.';
COMMENT ON COLUMN search_reports.changed_weeks.changed_at IS 'When it was changed.';
COMMENT ON COLUMN search_reports.changed_weeks.ledger IS 'Mark of the ledger that the cursor belongs to. It is another one after the '
  'ledger was restored or made anew: then begin with cursor 0.';

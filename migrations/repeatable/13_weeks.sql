-- Which weeks have figures, and why others have none.

-- A job that is loaded no more keeps its rows, and figures add them to those of the jobs beside it.
CREATE OR REPLACE VIEW search_reports.left_rows WITH (security_barrier) AS
SELECT l.*, format('figures include rows of %s, which %s', l.job, CASE WHEN l.removed_at IS NULL THEN 'is disabled' ELSE 'was removed' END)
              AS remark
  FROM (SELECT j.name AS job, j.dataset, p.account_id, search_reports.week_of(p.period_start) AS week, min(p.period_start) AS day,
               array_agg(DISTINCT b.name ORDER BY b.name) AS beside, j.removed_at,
               max(greatest(s.created_at, o.created_at, j.removed_at)) AS latest
          FROM searchmill.jobs j
          JOIN searchmill.slices s ON s.job = j.name
          JOIN searchmill.published_periods p ON p.slice_id = s.id AND p.rows > 0
          JOIN searchmill.slices o ON o.dataset = j.dataset AND o.account_id = p.account_id AND o.published_execution_id IS NOT NULL
                                  AND p.period_start BETWEEN o.window_start AND o.window_end
          JOIN searchmill.jobs b ON b.name = o.job AND b.name <> j.name AND b.removed_at IS NULL
         WHERE (j.removed_at IS NOT NULL OR NOT j.enabled)
           AND ((SELECT search_reports.sees_all_accounts()) OR p.account_id IN (SELECT account_id FROM search_reports.accounts_of_login))
         GROUP BY j.name, p.account_id, search_reports.week_of(p.period_start)) AS l
 WHERE NOT EXISTS (SELECT FROM searchmill.acknowledgements a
                    WHERE a.kind = 'rows-left' AND a.job IN ('', l.job) AND a.acknowledged_at >= l.latest);
COMMENT ON VIEW search_reports.left_rows IS 'Job x account x week: rows of a removed or disabled job in weeks that configured jobs of its '
  'dataset have published, unless somebody has acknowledged that they belong there.';
COMMENT ON COLUMN search_reports.left_rows.day IS 'First day of their periods.';
COMMENT ON COLUMN search_reports.left_rows.beside IS 'The configured jobs.';
COMMENT ON COLUMN search_reports.left_rows.removed_at IS 'When the job was removed; NULL while it is disabled.';
COMMENT ON COLUMN search_reports.left_rows.latest IS 'When the latest of the jobs that meet in the week was first planned for it, or the '
  'job was removed.';
COMMENT ON COLUMN search_reports.left_rows.remark IS 'What to tell of figures of the week.';

CREATE OR REPLACE VIEW search_reports.weeks WITH (security_barrier) AS
SELECT k.dataset, k.account_id, k.week,
       CASE WHEN m.is_marked THEN 'summarising' WHEN k.is_held THEN 'held' WHEN k.has_failed THEN 'failed' WHEN k.is_missing THEN 'missing'
            WHEN k.is_running THEN 'running' ELSE 'published' END AS state,
       k.is_published,
       nullif(concat_ws('; ', CASE WHEN m.is_marked THEN 'being summarised' END,
                        CASE WHEN k.is_published AND k.is_lacking THEN 'partly there: ' ELSE '' END || k.reasons, l.remarks), '') AS reason,
       k.is_published AND k.is_lacking AS is_partial
  FROM (SELECT j.dataset, j.account_id, search_reports.week_of(c.week) AS week, bool_or(c.state = 'held') AS is_held,
               bool_or(c.state = 'failed') AS has_failed, bool_or(c.state = 'missing') AS is_missing,
               bool_or(c.state = 'running') AS is_running,
               bool_or(c.published_at IS NOT NULL) AS is_published, bool_or(c.published_at IS NULL) AS is_lacking,
               string_agg(c.state || ' (' || c.job || ')', ', ' ORDER BY c.state, c.job) FILTER (WHERE c.state <> 'published') AS reasons
          FROM searchmill.coverage c JOIN searchmill.jobs j ON j.name = c.job
         WHERE (c.is_expected OR c.published_at IS NOT NULL OR c.state IN ('held', 'running'))
           AND ((SELECT search_reports.sees_all_accounts()) OR j.account_id IN (SELECT account_id FROM search_reports.accounts_of_login))
         GROUP BY j.dataset, j.account_id, search_reports.week_of(c.week)) k
  -- Any of its summaries: a figure may read all of them.
 CROSS JOIN LATERAL (SELECT EXISTS (SELECT FROM search_reports.marked_weeks m
                                     WHERE NOT m.is_live AND m.subject = ANY (search_reports.subjects_of(k.dataset))
                                       AND m.account_id = k.account_id AND m.week = k.week)
                            AS is_marked) AS m
  LEFT JOIN (SELECT dataset, account_id, week, string_agg(remark, ', ' ORDER BY job) AS remarks
               FROM search_reports.left_rows GROUP BY dataset, account_id, week) AS l USING (dataset, account_id, week);
COMMENT ON VIEW search_reports.weeks IS 'Dataset x account x week: whether its figures are there, and why not. Charts have a gap where '
  'they are not.';
COMMENT ON COLUMN search_reports.weeks.dataset IS 'Dataset.';
COMMENT ON COLUMN search_reports.weeks.state IS 'summarising: readers leave the week out until its summaries are stored. Otherwise the '
  'worst state of its jobs, as in searchmill.coverage: held, failed, missing, running or published.';
COMMENT ON COLUMN search_reports.weeks.is_published IS 'Whether any job has published the week. A held or running week may show what was '
  'published before.';
COMMENT ON COLUMN search_reports.weeks.reason IS 'What is wrong, with the jobs; NULL if nothing is. Of a week that is published and whole: '
  'that it has rows of a removed or disabled job, too.';
COMMENT ON COLUMN search_reports.weeks.is_partial IS 'Whether some of its jobs have published the week and others have not, so that '
  'figures are incomplete.';

CREATE OR REPLACE FUNCTION search_reports.span_of(span text, newest date, OUT since date, OUT until date, OUT most integer)
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (CASE WHEN span LIKE '%..%' THEN nullif(split_part(span, '..', 1), '')::date WHEN span = 'year'
        THEN date_trunc('year', newest)::date END,
        CASE WHEN span LIKE '%..%' THEN nullif(split_part(span, '..', 2), '')::date END,
        CASE WHEN span NOT LIKE '%..%' AND span <> 'year' THEN span::integer END);
COMMENT ON FUNCTION search_reports.span_of IS 'What a span of weeks means. A number: so many of the newest weeks; year: those of the year '
  'of the newest week; 2026-01-04..2026-06-28: those that begin between two days, of which either may be left out; NULL: all.';

-- Panels of a board read the same: the state of their weeks and what these asked for. If the transaction is read-only and sees one snapshot
-- throughout, this is read once and kept in settings until its end: a read-only transaction can write nothing else. There are at most 256
-- settings (two hexadecimal digits), because a session never forgets the name of a setting.
CREATE OR REPLACE FUNCTION search_reports.read_once(query text) RETURNS jsonb
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  is_one_state boolean := current_setting('transaction_isolation') IN ('repeatable read', 'serializable')
    AND current_setting('transaction_read_only')::boolean;
  key text := md5(current_user || ' ' || query);
  place text := 'searchmill.read_' || left(key, 2);
  kept text := CASE WHEN is_one_state THEN current_setting(place, true) END;
  read jsonb;
BEGIN
  IF starts_with(kept, key) THEN
    RETURN substr(kept, length(key) + 1);
  END IF;
  EXECUTE format('SELECT coalesce(jsonb_agg(r), %L) FROM (%s) AS r', '[]', query) INTO read;
  PERFORM set_config(place, key || read::text, true) WHERE is_one_state;
  RETURN read;
END
$$;
COMMENT ON FUNCTION search_reports.read_once IS 'The rows of a query, one object each. In a read-only transaction with one snapshot, such '
  'as that of a board, they are read once.';

-- Both functions are in PL/pgSQL, because Citus would pull an SQL function into the statement around it, run a part of it on the nodes and
-- refuse the rest. This one is planned once per session: its plan does not depend on the account, and planning takes several times as long
-- as reading.
CREATE OR REPLACE FUNCTION search_reports.read_weeks(of_dataset text, of_account bigint)
RETURNS TABLE (week date, state text, is_published boolean, reason text, is_partial boolean)
LANGUAGE plpgsql STABLE ROWS 52 SET plan_cache_mode = force_generic_plan SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY
  SELECT w.week, w.state, w.is_published, w.reason, w.is_partial FROM search_reports.weeks w WHERE w.dataset = of_dataset
    AND w.account_id = of_account;
END
$$;
COMMENT ON FUNCTION search_reports.read_weeks IS 'The weeks of a dataset and account, as search_reports.weeks has them.';

CREATE OR REPLACE FUNCTION search_reports.weeks_of(of_dataset text, of_account bigint)
RETURNS TABLE (week date, state text, is_published boolean, reason text, is_partial boolean)
LANGUAGE plpgsql STABLE ROWS 52 SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN QUERY
  SELECT * FROM jsonb_to_recordset(search_reports.read_once(format('SELECT * FROM search_reports.read_weeks(%L, %L)', of_dataset,
                                                                   of_account)))
             AS w (week date, state text, is_published boolean, reason text, is_partial boolean);
END
$$;
COMMENT ON FUNCTION search_reports.weeks_of IS 'What search_reports.weeks has of a dataset and account, read once per board.';

CREATE OR REPLACE FUNCTION search_reports.newest_weeks(of_dataset text, of_account bigint, span text)
RETURNS TABLE (week date, gap text, note text)
LANGUAGE plpgsql STABLE ROWS 52 SET plan_cache_mode = force_generic_plan SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH weeks AS MATERIALIZED (
    SELECT w.* FROM search_reports.weeks_of(of_dataset, of_account) AS w
  ), spans AS (
    SELECT s.* FROM search_reports.span_of(span, (SELECT max(week) FROM weeks)) AS s
  )
  SELECT w.week, CASE WHEN w.state = 'summarising' OR NOT w.is_published THEN coalesce(w.reason, w.state) END,
         CASE WHEN w.state <> 'summarising' AND w.is_published THEN w.reason END
    FROM weeks w CROSS JOIN spans s
   WHERE w.week >= coalesce(s.since, '-infinity') AND w.week <= coalesce(s.until, 'infinity')
   ORDER BY w.week DESC
   LIMIT (SELECT most FROM spans);
END
$$;
COMMENT ON FUNCTION search_reports.newest_weeks IS 'The weeks of a dataset and account in a span (see search_reports.span_of): gap says '
  'why a week has no figures, note what its figures lack, for instance when only some jobs have published it.';

CREATE OR REPLACE FUNCTION search_reports.no_week(of_dataset text, of_account bigint, span text) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  named text := replace(replace(of_dataset, 'ai_search_', ''), '_', ' ');
BEGIN
  RETURN (SELECT CASE WHEN count(*) = 0 THEN format('No week of %s was ever asked for.', named)
                      ELSE format('No week of %s is among those chosen: they are from %s to %s.', named, min(w.week), max(w.week)) END
            FROM search_reports.weeks_of(of_dataset, of_account) AS w);
END
$$;
COMMENT ON FUNCTION search_reports.no_week IS 'Why a span has no week of a dataset and account, as a sentence.';

CREATE OR REPLACE FUNCTION search_reports.week_compared(week date, compare text) RETURNS date
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE compare WHEN 'none' THEN NULL WHEN 'month' THEN week - 28 WHEN 'year' THEN week - 364
  ELSE coalesce(search_reports.week_of(nullif(compare, 'week')::date), week - 7) END;
COMMENT ON FUNCTION search_reports.week_compared IS 'The week that another is compared with: NULL (none), the week before it (week, NULL), '
  'four weeks before (month), 52 weeks before (year), or that of a date.';

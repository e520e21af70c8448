-- What charts mark: notes of people, and what the ledger knows about the weeks behind the figures. The latter is computed at each reading,
-- so it cannot go stale.

CREATE OR REPLACE FUNCTION search_reports.shown_filter(value jsonb) RETURNS text
LANGUAGE sql IMMUTABLE
RETURN left(CASE jsonb_typeof(value)
              WHEN 'array' THEN (SELECT string_agg(item, ', ') FROM jsonb_array_elements_text(value) AS item)
              ELSE coalesce(value #>> '{}', 'all') END, 100);
COMMENT ON FUNCTION search_reports.shown_filter IS 'The value of a filter in words: its first 100 characters, or "all" for no filter.';

CREATE OR REPLACE FUNCTION search_reports.changed_filters(before jsonb, after jsonb) RETURNS TABLE (name text, change text)
LANGUAGE sql IMMUTABLE ROWS 2
BEGIN ATOMIC
  SELECT key, format('%s: %s, before %s', key, search_reports.shown_filter(after -> key), search_reports.shown_filter(before -> key))
    FROM (SELECT jsonb_object_keys(before) AS key UNION SELECT jsonb_object_keys(after)) AS keys
   WHERE key NOT IN ('account_id', 'start_date', 'end_date', 'time_period_start', 'time_period_end')
     AND before -> key IS DISTINCT FROM after -> key
   ORDER BY key COLLATE "C";
END;
COMMENT ON FUNCTION search_reports.changed_filters IS 'The filters in which two submit bodies differ, apart from account and period.';

CREATE OR REPLACE VIEW search_reports.annotations WITH (security_barrier) AS
SELECT * FROM (
SELECT n.account_id, search_reports.week_of(n.day) AS week, n.day, 'note'::text AS kind, NULL::text AS dataset, NULL::text AS job,
       n.text, n.actor, n.noted_at AS at, n.id AS note_id
  FROM searchmill.annotations n
UNION ALL
-- A week with another question than the week before. If several windows cover a week, the last publication counts.
SELECT c.account_id, search_reports.week_of(c.day), c.day, d.kind, c.dataset, c.job, d.text, NULL, c.published_at, NULL
  FROM (SELECT w.*, lag(w.published_filters_digest) OVER job_weeks AS digest_before,
        lag(w.published_execution_id) OVER job_weeks AS execution_before
          FROM (SELECT DISTINCT ON (s.account_id, s.dataset, s.job, s.window_start + 7 * n)
                       s.account_id, s.dataset, s.job, s.window_start + 7 * n AS day, s.published_filters_digest, s.published_execution_id,
                       s.published_at
                  FROM searchmill.slices s CROSS JOIN LATERAL generate_series(0, (s.window_end - s.window_start) / 7) AS n
                 WHERE s.published_at IS NOT NULL
                 ORDER BY s.account_id, s.dataset, s.job, s.window_start + 7 * n, s.published_at DESC) AS w
        WINDOW job_weeks AS (PARTITION BY w.account_id, w.dataset, w.job ORDER BY w.day)) AS c
  JOIN searchmill.executions before ON before.id = c.execution_before
  JOIN searchmill.executions after ON after.id = c.published_execution_id
 CROSS JOIN LATERAL (
   SELECT CASE WHEN bool_and(f.name IN ('min_rank', 'max_rank', 'limit')) THEN 'depth' ELSE 'filters' END AS kind,
          format('other %s since this week (%s): %s', CASE WHEN bool_and(f.name IN ('min_rank', 'max_rank', 'limit')) THEN 'depth'
                 ELSE 'filters' END,
                 c.job, string_agg(f.change, '; ')) AS text
     FROM search_reports.changed_filters(before.request, after.request) AS f
   HAVING count(*) > 0) AS d
 WHERE c.published_filters_digest <> c.digest_before
UNION ALL
-- Whichever window has revised the week. The counts of a publication are those of its whole window.
SELECT r.account_id, r.week, r.week, 'revised', r.dataset, r.job,
       format('revised after it was shown (%s): rows added %s, changed %s, removed %s%s, last on %s', r.job, r.inserted, r.updated,
              r.deleted,
              CASE WHEN r.is_wider THEN ' in windows of several weeks' END, (r.last_at AT TIME ZONE 'UTC')::date), NULL, r.last_at, NULL
  FROM (SELECT c.account_id, c.week, c.dataset, s.job, sum(p.rows_inserted) AS inserted, sum(p.rows_updated) AS updated,
               sum(p.rows_deleted) AS deleted, bool_or(s.window_end - s.window_start > 6) AS is_wider, max(c.changed_at) AS last_at
          FROM searchmill.week_changes c
          JOIN searchmill.slices s ON s.id = c.slice_id
          JOIN searchmill.publications p ON p.id = c.publication_id
         WHERE c.kind = 'revised'
         GROUP BY c.account_id, c.week, c.dataset, s.job) AS r
UNION ALL
SELECT s.account_id, search_reports.week_of(s.window_start), s.window_start, 'held', s.dataset, s.job,
       format('%s (%s) by the audit: %s', CASE WHEN h.state = 'held' THEN 'held' WHEN h.approved_at IS NOT NULL THEN 'held and approved'
                                                  WHEN h.state = 'discarded' THEN 'held and discarded' ELSE 'held at first' END, s.job,
              (SELECT string_agg(o ->> 'message', '; ') FROM jsonb_array_elements(h.objections) AS o)), NULL, h.held_at, NULL
  FROM searchmill.slices s
 CROSS JOIN LATERAL (
   SELECT e.state, e.held_at, e.approved_at, e.objections
     FROM searchmill.executions e WHERE e.slice_id = s.id AND e.held_at IS NOT NULL ORDER BY e.id DESC LIMIT 1) AS h
UNION ALL
-- The job existed before the week ended, and a week after its end it was not published. Its first publication found no rows of its own.
SELECT s.account_id, search_reports.week_of(s.window_start), s.window_start, 'late', s.dataset, s.job,
       format('loaded late (%s), on %s', s.job, (f.published_at AT TIME ZONE 'UTC')::date), NULL, f.published_at, NULL
  FROM searchmill.slices s
  JOIN searchmill.jobs j ON j.name = s.job AND j.first_seen_at < (s.window_end + 1)::timestamp AT TIME ZONE 'UTC'
 CROSS JOIN LATERAL (
   SELECT p.published_at, p.rows_unchanged FROM searchmill.publications p WHERE p.slice_id = s.id ORDER BY p.id LIMIT 1) AS f
 WHERE f.rows_unchanged = 0 AND f.published_at > (s.window_end + 8)::timestamp AT TIME ZONE 'UTC'
) AS happened
 WHERE account_id IS NULL OR (SELECT search_reports.sees_all_accounts()) OR account_id IN (SELECT account_id
     FROM search_reports.accounts_of_login);
COMMENT ON VIEW search_reports.annotations IS 'What charts mark, by account and week: notes of people, and what the ledger knows about the '
  'weeks. No row means that there is nothing to tell.';
COMMENT ON COLUMN search_reports.annotations.account_id IS 'Account; NULL for a note on all accounts.';
COMMENT ON COLUMN search_reports.annotations.week IS 'Sunday that begins the week in which it is marked.';
COMMENT ON COLUMN search_reports.annotations.day IS 'Day of a note; otherwise the first day of the week or window.';
COMMENT ON COLUMN search_reports.annotations.kind IS 'note: of a person; filters or depth: another question than the week before; revised: '
  'after it was shown; held: by the audit; late: loaded late.';
COMMENT ON COLUMN search_reports.annotations.dataset IS 'Dataset it is about; NULL for a note, which is about all of them.';
COMMENT ON COLUMN search_reports.annotations.job IS 'Job it is about; NULL for notes.';
COMMENT ON COLUMN search_reports.annotations.text IS 'What happened, in words. May contain text of third parties: escape it.';
COMMENT ON COLUMN search_reports.annotations.actor IS 'Who noted it; NULL for what the ledger knows.';
COMMENT ON COLUMN search_reports.annotations.at IS 'When it was noted or happened.';
COMMENT ON COLUMN search_reports.annotations.note_id IS 'Number of the note, for "searchmill note remove"; NULL for what the ledger knows.';

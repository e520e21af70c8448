-- Marks the weeks whose rows are removed: readers leave them out, and a refresh removes their summaries.
-- Params: :dataset; :accounts and :weeks, lists with an entry for each week.
INSERT INTO searchmill.stale_weeks (subject, account_id, week, is_live)
SELECT subject, w.account_id, w.week, false
  FROM unnest(:accounts::bigint[], :weeks::date[]) AS w (account_id, week), unnest(search_reports.subjects_of(:dataset)) AS subject

-- Notes that the rows of weeks are gone, for those who follow search_reports.changed_weeks.
-- Params: :dataset; :accounts and :weeks, lists with an entry for each week.
INSERT INTO searchmill.week_changes (kind, dataset, account_id, week)
SELECT 'removed', :dataset, account_id, week FROM unnest(:accounts::bigint[], :weeks::date[]) AS w (account_id, week)

-- What export writes to files: rows of weeks, changes, and the ledger.

-- name: export/all-changes
-- The view of changed weeks as it is, of one account or of all. Params: :accountId, or null for all. Locks: none.
SELECT * FROM search_reports.changed_weeks
 WHERE :accountId::bigint IS NULL OR account_id = :accountId
 ORDER BY cursor;

-- name: export/point-charts
-- The charts that search_reports.points has: each account with each measure and what it is grouped by.
-- Params: :accountId, or null for all. Locks: none.
-- Not null: account, measure, groupedBy.
SELECT a.account_id::text AS account, g.measure, g.grouped_by AS "groupedBy"
  FROM search_reports.accounts a CROSS JOIN search_reports.point_groupings g
 WHERE :accountId::bigint IS NULL OR a.account_id = :accountId
 ORDER BY a.account_id, g.measure, g.grouped_by;

-- name: export/points-of-chart
-- The points of one chart, week by week. Params: :accountId, :measure, :groupedBy. Locks: none.
SELECT * FROM search_reports.points
 WHERE account_id = :accountId AND measure = :measure AND grouped_by = :groupedBy
 ORDER BY week, line;

-- name: export/promoted-columns
-- Promoted columns of the tables whose rows from before are filled. Params: none. Locks: none.
-- Result: dataset; columns, their names and when each was filled, as one text that changes when one comes or goes.
-- Not null: columns.
SELECT dataset, string_agg(column_name || ' ' || extract(epoch FROM filled_at)::text, ', ' ORDER BY promoted_at, column_name) AS columns
  FROM search_reports.promoted_columns
 WHERE filled_at IS NOT NULL
 GROUP BY dataset;

-- name: export/read-change
-- When and by which publication one week has last changed. Params: :dataset, :accountId, :week. Locks: none.
-- Not null: cursor, ledger.
SELECT publication, cursor, ledger
  FROM search_reports.changed_weeks
 WHERE dataset = :dataset AND account_id = :accountId AND week = :week;

-- name: export/read-changes
-- Weeks that have changed after a cursor, oldest change first; of one account or of all. Weeks that were removed have no publication.
-- Params: :accountId, or null for all; :after. Locks: none.
-- Not null: dataset, account, week, cursor, ledger.
SELECT dataset, account_id::text AS account, week::text AS week, publication, cursor, ledger
  FROM search_reports.changed_weeks
 WHERE cursor > :after AND (:accountId::bigint IS NULL OR account_id = :accountId)
 ORDER BY cursor;

-- name: export/read-ledger
-- The mark of the ledger, by which a reader knows that cursors go on from those it has. Params: none. Locks: none.
-- Result: one row, or none if no week has ever changed.
-- Not null: ledger.
SELECT ledger FROM search_reports.changed_weeks LIMIT 1;

-- name: export/rows-of-week
-- All columns of the rows of one account and week of a table, in the order of its key.
-- Params: :accountId, :week (its first day). Locks: none.
SELECT * FROM {table}
 WHERE account_id = :accountId AND time_period_start >= :week::date AND time_period_start < :week::date + 7
 ORDER BY time_period_start, _key, _occurrence;

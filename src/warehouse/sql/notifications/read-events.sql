-- Changes of weeks that were not sent to a target yet, in their order. Params: :target, :kinds, :most.
-- Result: a row a week, with the mark of the ledger; rows as published, staged and quarantined, and the objections of what is held. Locks: none.
-- Not null: ledger, cursor, kind, dataset, accountId, week, execution, changedAt, job, windowStart, windowEnd.
SELECT (SELECT search_reports.ledger_mark(id, tableoid) FROM searchmill.ledger) AS ledger, c.cursor, c.kind, s.job, c.dataset,
       c.account_id::text AS "accountId", c.week::text, s.window_start::text AS "windowStart",
       s.window_end::text AS "windowEnd", c.publication_id AS publication, c.execution_id AS execution, c.changed_at AS "changedAt",
       p.rows_inserted AS inserted, p.rows_updated AS updated, p.rows_unchanged AS unchanged, p.rows_deleted AS deleted,
       e.rows_staged AS staged, e.rows_quarantined AS quarantined, s.published_rows AS published, e.objections
  FROM searchmill.notification_targets t
  JOIN searchmill.week_changes c ON c.cursor > t.events_cursor
  JOIN searchmill.slices s ON s.id = c.slice_id
  LEFT JOIN searchmill.publications p ON p.id = c.publication_id
  LEFT JOIN searchmill.executions e ON e.id = c.execution_id
 WHERE t.name = :target AND c.kind = ANY (:kinds::text[])
 ORDER BY c.cursor LIMIT :most

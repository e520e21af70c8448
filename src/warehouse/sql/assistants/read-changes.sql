-- Changes of weeks after a cursor and before another, the newest first. Params: :accountId, or null for all; :cursor; :before, or null; :most.
-- Result: cursor, kind, job, dataset, account as text, week, publication, changedAt, and the counts of the publication. Locks: none.
-- Not null: cursor, kind, account, changedAt, week.
SELECT c.cursor, c.kind, s.job, c.dataset, c.account_id::text AS account, c.week::text, c.publication_id AS publication, c.changed_at AS "changedAt",
       p.rows_inserted AS inserted, p.rows_updated AS updated, p.rows_unchanged AS unchanged, p.rows_deleted AS deleted
  FROM searchmill.week_changes c
  LEFT JOIN searchmill.slices s ON s.id = c.slice_id
  LEFT JOIN searchmill.publications p ON p.id = c.publication_id
 WHERE c.cursor > :cursor AND (:before::bigint IS NULL OR c.cursor < :before::bigint)
   AND (:accountId::bigint IS NULL OR c.account_id = :accountId::bigint)
 ORDER BY c.cursor DESC LIMIT :most

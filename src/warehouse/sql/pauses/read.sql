-- All jobs and connections that the ledger knows, and since when they are paused by hand.
-- Result: kind, name, pausedAt and reason, both null when it is not paused. Locks: none.
-- Not null: kind, name.
SELECT kind, name, p.paused_at AS "pausedAt", p.reason
  FROM (SELECT 'job' AS kind, name FROM searchmill.jobs UNION ALL SELECT 'connection', name FROM searchmill.connections) k
  FULL JOIN searchmill.pauses p USING (kind, name)
 ORDER BY kind, name

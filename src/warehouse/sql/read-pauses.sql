-- What is paused by hand, and what could be: the names of all jobs and connections the ledger knows. Locks: none.
-- Result: kind, name, pausedAt and reason, both null when it is not paused.
SELECT kind, name, p.paused_at AS "pausedAt", p.reason
  FROM (SELECT 'job' AS kind, name FROM searchmill.jobs UNION ALL SELECT 'connection', name FROM searchmill.connections) k
  FULL JOIN searchmill.pauses p USING (kind, name)
 ORDER BY kind, name

-- Processes that gave a sign of life within the last minute, by columns that every release had. Locks: none.
-- Not null: seenSecondsAgo.
SELECT role, host, pid, version, extract(epoch FROM clock_timestamp() - seen_at)::float8 AS "seenSecondsAgo"
  FROM searchmill.instances
 WHERE seen_at > clock_timestamp() - interval '60 seconds'
 ORDER BY host, role, pid

-- How the configured jobs stand, for metrics. Locks: none.
-- Result, for each job: isPaused (it or its connection is). retryingSeconds for which one of its loads fails, and overdueSeconds for
-- which one is due without a process, the longest of each. leaseTakings of its loads under way.
-- A load that waits for its submit counts from the last submit of its connection on: while others are submitted it waits for its turn.
-- Not null: job, isPaused, retryingSeconds, overdueSeconds, leaseTakings.
SELECT j.name AS job,
       EXISTS (SELECT FROM searchmill.pauses p WHERE (p.kind, p.name) IN (('job', j.name), ('connection', j.connection))) AS "isPaused",
       coalesce(l.retrying, 0)::float8 AS "retryingSeconds", greatest(l.overdue, 0)::float8 AS "overdueSeconds",
       coalesce(l.takings, 0)::integer AS "leaseTakings"
  FROM searchmill.jobs j
  LEFT JOIN (
    SELECT s.job, sum(e.lease_takings) AS takings,
           max(extract(epoch FROM clock_timestamp() - e.retrying_since)) FILTER (WHERE e.state <> 'held') AS retrying,
           max(extract(epoch FROM clock_timestamp()
                 - greatest(e.due_at, e.lease_until, CASE WHEN e.state = 'planned' THEN c.submits_since END)))
             FILTER (WHERE e.state <> 'held' AND searchmill.has_passed(e.due_at) AND searchmill.is_free(e.lease_until, e.state)
                       AND (e.state <> 'planned' OR c.unauthorized_since IS NULL)
                       AND (e.state = 'staged' OR NOT EXISTS (SELECT FROM searchmill.pauses p
                              WHERE (p.kind, p.name) IN (('job', s.job), ('connection', e.connection))))) AS overdue
      FROM searchmill.executions e JOIN searchmill.slices s ON s.id = e.slice_id
      LEFT JOIN (
        SELECT c.name, b.unauthorized_since,
               greatest(b.paused_until, (SELECT max(granted_at) FROM searchmill.call_slots
                                          WHERE budget_id = b.id AND kind = 'submit')) AS submits_since
          FROM searchmill.connections c JOIN searchmill.budgets b ON b.id = c.budget_id
      ) c ON c.name = e.connection
     WHERE e.ended_at IS NULL
     GROUP BY s.job
  ) l ON l.job = j.name
 WHERE j.removed_at IS NULL

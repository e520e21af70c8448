-- How loads of the last 24 hours ended, and how many of them the audit held.
-- Params: none. Result: job, dataset, outcome, loads of each outcome that occurred. Locks: none.
-- Not null: outcome, loads.
SELECT s.job, s.dataset, o.outcome, count(*)::integer AS loads
  FROM searchmill.executions e
  JOIN searchmill.slices s ON s.id = e.slice_id
 CROSS JOIN LATERAL (VALUES (e.state, e.ended_at), ('held', e.held_at)) AS o (outcome, at)
 WHERE o.at > clock_timestamp() - interval '24 hours'
 GROUP BY s.job, s.dataset, o.outcome
 ORDER BY s.job, s.dataset, o.outcome

-- Title: Calls against what is allowed
-- Question: How close is each connection to its limit right now?
-- Chart: table
-- Note: Reads are polls and pages together. Connections with the same credential share one budget.
-- Computed: Calls that the ledger granted in the last 60 seconds, over all processes, against the configured calls per minute.
-- Datasets: all
-- Order: 90
SELECT c.name AS connection, k.kind, count(s.granted_at) AS last_minute, k.allowed AS allowed_per_minute,
       round(100.0 * count(s.granted_at) / nullif(k.allowed, 0), 1) AS percent_used,
       CASE WHEN b.unauthorized_since IS NOT NULL THEN 'the service refuses the credential'
            WHEN b.paused_until > now() THEN 'pauses after too many calls'
            WHEN EXISTS (SELECT FROM searchmill.pauses p WHERE p.kind = 'connection' AND p.name = c.name) THEN 'paused by hand'
            ELSE 'open' END AS standing
  FROM searchmill.connections c
  JOIN searchmill.budgets b ON b.id = c.budget_id
 CROSS JOIN LATERAL (VALUES ('submit', c.submits_per_minute), ('read', c.reads_per_minute)) AS k (kind, allowed)
  LEFT JOIN searchmill.call_slots s ON s.budget_id = b.id AND s.kind = k.kind AND s.granted_at > now() - interval '60 seconds'
 GROUP BY c.name, k.kind, k.allowed, b.unauthorized_since, b.paused_until
 ORDER BY c.name, k.kind DESC

-- What was acknowledged, and when. Result: kind, job (empty for all), acknowledgedAt. Locks: none.
SELECT kind, job, acknowledged_at AS "acknowledgedAt" FROM searchmill.acknowledgements ORDER BY kind, job

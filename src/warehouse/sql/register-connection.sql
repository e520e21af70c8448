-- Writes down a connection as configured, without its credential.
-- Params: $1 name, $2 base URL, $3 kind of authentication, $4 budget, $5 submits and $6 reads per minute.
-- Repeating refreshes it.
INSERT INTO searchmill.connections (name, base_url, auth_kind, budget_id, submits_per_minute, reads_per_minute)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (name) DO UPDATE
  SET base_url = excluded.base_url, auth_kind = excluded.auth_kind, budget_id = excluded.budget_id,
      submits_per_minute = excluded.submits_per_minute, reads_per_minute = excluded.reads_per_minute, seen_at = clock_timestamp()

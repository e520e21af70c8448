-- Writes down a connection as configured, without its credential.
-- Params: :name, :baseUrl, :authKind, :budget, :submitsPerMinute, :readsPerMinute. Repeating refreshes it.
INSERT INTO searchmill.connections (name, base_url, auth_kind, budget_id, submits_per_minute, reads_per_minute)
VALUES (:name, :baseUrl, :authKind, :budget, :submitsPerMinute, :readsPerMinute)
ON CONFLICT (name) DO UPDATE
  SET base_url = excluded.base_url, auth_kind = excluded.auth_kind, budget_id = excluded.budget_id,
      submits_per_minute = excluded.submits_per_minute, reads_per_minute = excluded.reads_per_minute, seen_at = clock_timestamp()

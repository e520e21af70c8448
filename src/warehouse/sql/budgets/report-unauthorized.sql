-- A 401 came: from now on only a slow probe is sent with this credential.
-- Params: :budget, :probeMs until the first probe. Repeating keeps the first time and the next probe.
UPDATE searchmill.budgets
   SET unauthorized_since = coalesce(unauthorized_since, clock_timestamp()),
       probe_at = coalesce(probe_at, clock_timestamp() + make_interval(secs => :probeMs::float8 / 1000))
 WHERE id = :budget

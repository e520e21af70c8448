-- Connections: names of services, each with its budget.

-- name: connections/read
-- Connections with the state of their budgets: paused by a 429, spent by others, unauthorized, calls in the last minute; and paused by hand.
-- Locks: none.
-- Not null: name, baseUrl, authKind, submitsPerMinute, readsPerMinute, submitsLastMinute, readsLastMinute.
SELECT c.name, c.base_url AS "baseUrl", c.auth_kind AS "authKind", c.submits_per_minute AS "submitsPerMinute",
       c.reads_per_minute AS "readsPerMinute", b.paused_until AS "pausedUntil", b.rate_limited_at AS "rateLimitedAt",
       b.unauthorized_since AS "unauthorizedSince", b.probe_at AS "probeAt",
       b.elsewhere_since AS "elsewhereSince", b.elsewhere_at AS "elsewhereAt", b.elsewhere_times AS "elsewhereTimes",
       b.elsewhere_kind AS "elsewhereKind", b.elsewhere_used AS "elsewhereUsed", b.elsewhere_of AS "elsewhereOf",
       (SELECT count(*) FROM searchmill.call_slots s WHERE s.budget_id = b.id AND s.kind = 'submit'
           AND s.granted_at > clock_timestamp() - interval '60 seconds')::integer AS "submitsLastMinute",
       (SELECT count(*) FROM searchmill.call_slots s WHERE s.budget_id = b.id AND s.kind = 'read'
           AND s.granted_at > clock_timestamp() - interval '60 seconds')::integer AS "readsLastMinute",
       (SELECT max(s.granted_at) FROM searchmill.call_slots s WHERE s.budget_id = b.id AND s.kind = 'submit'
           AND s.granted_at > clock_timestamp() - interval '1 hour') AS "lastSubmitAt",
       p.paused_at AS "pausedSince", p.reason AS "pauseReason"
  FROM searchmill.connections c JOIN searchmill.budgets b ON b.id = c.budget_id
  LEFT JOIN searchmill.pauses p ON p.kind = 'connection' AND p.name = c.name
 ORDER BY c.name;

-- name: connections/register
-- Writes down a connection as configured, without its credential.
-- Params: :name, :baseUrl, :authKind, :budget, :submitsPerMinute, :readsPerMinute. Repeating refreshes it.
INSERT INTO searchmill.connections (name, base_url, auth_kind, budget_id, submits_per_minute, reads_per_minute)
VALUES (:name, :baseUrl, :authKind, :budget, :submitsPerMinute, :readsPerMinute)
ON CONFLICT (name) DO UPDATE
  SET base_url = excluded.base_url, auth_kind = excluded.auth_kind, budget_id = excluded.budget_id,
      submits_per_minute = excluded.submits_per_minute, reads_per_minute = excluded.reads_per_minute, seen_at = clock_timestamp();
